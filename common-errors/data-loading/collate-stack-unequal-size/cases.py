import numpy as np
import torch
from PIL import Image
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, TensorDataset, default_collate
from torchvision.transforms import v2

# %% tokenized reviews
reviews = [(torch.tensor([4, 8, 15]), 1), (torch.tensor([16, 23]), 0), (torch.tensor([42, 7]), 1)]
loader = DataLoader(reviews, batch_size=2)
for tokens, labels in loader:
    print(tokens.shape)
# %% fixed
reviews = [(torch.tensor([4, 8, 15]), 1), (torch.tensor([16, 23]), 0), (torch.tensor([42, 7]), 1)]


def pad(samples):
    tensors, labels = zip(*samples)
    return pad_sequence(tensors, batch_first=True), torch.tensor(labels)


loader = DataLoader(reviews, batch_size=2, collate_fn=pad)
for tokens, labels in loader:
    print(tokens.shape)

# %% boxes of a detection dataset, one of them empty
samples = [{"image": torch.rand(3, 64, 64), "boxes": torch.rand(count, 4)} for count in (2, 2, 0, 1)]
loader = DataLoader(samples, batch_size=2)
for batch in loader:
    print(batch["boxes"].shape)
# %% fixed
samples = [{"image": torch.rand(3, 64, 64), "boxes": torch.rand(count, 4)} for count in (2, 2, 0, 1)]
loader = DataLoader(samples, batch_size=2, collate_fn=list)
for batch in loader:
    print([sample["boxes"].shape for sample in batch])

# %% pairs of an image and its boxes and labels
samples = [(torch.rand(3, 64, 64), {"boxes": torch.rand(count, 4), "labels": torch.ones(count)}) for count in (1, 2, 3)]
loader = DataLoader(samples, batch_size=3)
for images, targets in loader:
    print(len(images), targets["boxes"].shape)
# %% fixed
samples = [(torch.rand(3, 64, 64), {"boxes": torch.rand(count, 4), "labels": torch.ones(count)}) for count in (1, 2, 3)]


def collate(samples):
    return tuple(zip(*samples))


loader = DataLoader(samples, batch_size=3, collate_fn=collate)
for images, targets in loader:
    print(len(images), [target["boxes"].shape for target in targets])

# %% clips with another number of frames
clips = [torch.rand(9, 24, 42), torch.rand(13, 24, 42)]
loader = DataLoader(clips, batch_size=2)
next(iter(loader))
# %% fixed
clips = [torch.rand(9, 24, 42), torch.rand(13, 24, 42)]
loader = DataLoader(clips, batch_size=2, collate_fn=lambda tensors: pad_sequence(tensors, batch_first=True))
next(iter(loader))

# %% a grayscale image among others
photos = [Image.new("RGB", (32, 32)), Image.new("L", (32, 32)), Image.new("RGBA", (32, 32))]
to_tensor = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])
loader = DataLoader([to_tensor(photo) for photo in photos], batch_size=3)
next(iter(loader))
# %% fixed
photos = [Image.new("RGB", (32, 32)), Image.new("L", (32, 32)), Image.new("RGBA", (32, 32))]
to_tensor = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])
loader = DataLoader([to_tensor(photo.convert("RGB")) for photo in photos], batch_size=3)
next(iter(loader))

# %% an array without a channel dimension
scans = [(np.zeros((1, 28, 28), dtype=np.float32), 0), (np.zeros((28, 28), dtype=np.float32), 1)]
loader = DataLoader(scans, batch_size=2)
next(iter(loader))
# %% fixed
scans = [torch.zeros(1, 28, 28), torch.zeros(28, 28).unsqueeze(0)]
loader = DataLoader(scans, batch_size=2)
next(iter(loader))

# %% a resize with one number
photos = [torch.zeros(3, 60, 40), torch.zeros(3, 40, 60)]
loader = DataLoader([v2.Resize(32)(photo) for photo in photos], batch_size=2)
next(iter(loader))
# %% fixed
photos = [torch.zeros(3, 60, 40), torch.zeros(3, 40, 60)]
loader = DataLoader([v2.Resize((224, 224))(photo) for photo in photos], batch_size=2)
next(iter(loader))

# %% spectrograms of recordings
recordings = [torch.rand(80, 120), torch.rand(80, 97)]
loader = DataLoader(recordings, batch_size=2)
next(iter(loader))

# %% a collate_fn that stacks volumes
volumes = [torch.rand(1, 16, 16, 16), torch.rand(1, 16, 16, 20)]
loader = DataLoader(volumes, batch_size=2, collate_fn=torch.stack)
next(iter(loader))

# %% in a worker, the larger sample first
photos = [torch.zeros(3, 48, 48), torch.zeros(3, 8, 8)]
if __name__ == "__main__":
    loader = DataLoader(photos, batch_size=2, num_workers=1)
    next(iter(loader))

# %% token ids in lists
loader = DataLoader([[4, 8, 15], [16, 23]], batch_size=2)
next(iter(loader))
# %% fixed


def pad(samples):
    return pad_sequence([torch.tensor(sample) for sample in samples], batch_first=True)


loader = DataLoader([[4, 8, 15], [16, 23]], batch_size=2, collate_fn=pad)
next(iter(loader))

# %% a stereo recording among mono ones
recordings = [torch.rand(1, 16000), torch.rand(2, 16000)]
loader = DataLoader(recordings, batch_size=2)
next(iter(loader))
# %% fixed
recordings = [torch.rand(1, 16000), torch.rand(2, 16000)]
loader = DataLoader([waveform.mean(dim=0, keepdim=True) for waveform in recordings], batch_size=2)
next(iter(loader))

# %% gray images of another height
scans = [torch.rand(30, 40), torch.rand(32, 40)]
loader = DataLoader(scans, batch_size=2)
next(iter(loader))
# %% fixed
scans = [torch.rand(30, 40), torch.rand(32, 40)]
loader = DataLoader(scans, batch_size=2, collate_fn=lambda tensors: pad_sequence(tensors, batch_first=True))
next(iter(loader))

# %% clips of color frames
clips = [torch.rand(16, 3, 24, 24), torch.rand(12, 3, 24, 24)]
loader = DataLoader(clips, batch_size=2)
next(iter(loader))
# %% fixed
clips = [torch.rand(16, 3, 24, 24), torch.rand(12, 3, 24, 24)]
loader = DataLoader(clips, batch_size=2, collate_fn=lambda tensors: pad_sequence(tensors, batch_first=True))
next(iter(loader))

# %% a stream of sentences


class Stream(IterableDataset):
    def __iter__(self):
        return (torch.arange(length) for length in (5, 5, 5, 7))


loader = DataLoader(Stream(), batch_size=2)
for batch in loader:
    print(batch.shape)
# %% fixed


class Stream(IterableDataset):
    def __iter__(self):
        return (torch.arange(length) for length in (5, 5, 5, 7))


loader = DataLoader(Stream(), batch_size=2, collate_fn=lambda tensors: pad_sequence(tensors, batch_first=True))
for batch in loader:
    print(batch.shape)

# %% message: stereo and mono, stacked by hand
torch.stack([torch.rand(2, 8000), torch.rand(1, 8000)])
# %% fixed
torch.stack([waveform.mean(dim=0, keepdim=True) for waveform in (torch.rand(2, 8000), torch.rand(1, 8000))])

# %% message: reconstructions of batches of which the last is smaller
torch.stack([torch.rand(4, 3, 8, 8), torch.rand(4, 3, 8, 8), torch.rand(1, 3, 8, 8)])
# %% fixed
tensors = [torch.rand(4, 3, 8, 8), torch.rand(4, 3, 8, 8), torch.rand(1, 3, 8, 8)]
torch.cat(tensors)

# %% message: predictions of which the last batch is smaller
model = torch.nn.Linear(8, 5)
outputs = [model(batch) for (batch,) in DataLoader(TensorDataset(torch.rand(10, 8)), batch_size=4)]
predictions = torch.stack(outputs)
# %% fixed
model = torch.nn.Linear(8, 5)
tensors = [model(batch) for (batch,) in DataLoader(TensorDataset(torch.rand(10, 8)), batch_size=4)]
predictions = torch.cat(tensors)

# %% message: masks of batches of which the last is smaller
masks = [torch.zeros(4, 16, 16), torch.zeros(4, 16, 16), torch.zeros(1, 16, 16)]
torch.stack(masks)
# %% fixed
tensors = [torch.zeros(4, 16, 16), torch.zeros(4, 16, 16), torch.zeros(1, 16, 16)]
torch.cat(tensors)

# %% message: losses of which one has a dimension
torch.stack([torch.tensor(0.7), torch.tensor([0.4])]).mean()
# %% fixed
torch.stack([torch.tensor(0.7).unsqueeze(0), torch.tensor([0.4])]).mean()

# %% message: a grid of images with different widths
from torchvision.utils import make_grid

make_grid([torch.rand(3, 32, 32), torch.rand(3, 32, 48)])
# %% fixed
from torchvision.utils import make_grid

make_grid([v2.Resize((224, 224))(image) for image in (torch.rand(3, 32, 32), torch.rand(3, 32, 48))])

# %% message: features of several resolutions
torch.stack([torch.rand(8, 64, 14, 14), torch.rand(8, 64, 7, 7)])

# %% message: a NumPy array as output
torch.add(torch.rand(4), 1, out=torch.from_numpy(np.zeros(2, dtype=np.float32)))

# %% message: a list of token ids
rows = [[101, 7592, 102], [101, 102]]
torch.tensor(rows)
# %% fixed
rows = [[101, 7592, 102], [101, 102]]
pad_sequence([torch.tensor(row) for row in rows], batch_first=True)

# %% message: rows of one element
torch.tensor([[3], [4, 1]])
# %% fixed
rows = [[3], [4, 1]]
pad_sequence([torch.tensor(row) for row in rows], batch_first=True)

# %% message: characters of words of sentences
torch.tensor([[[1, 2, 3], [4, 5]], [[6, 7, 8], [9, 1, 2]]])

# %% right: a collate_fn that pads, and a field of text
reviews = [(torch.tensor([4, 8, 15]), "long"), (torch.tensor([16]), "a single word")]


def pad_tokens(samples):
    tokens, texts = zip(*samples)
    return pad_sequence(tokens, batch_first=True), default_collate(texts)


loader = DataLoader(reviews, batch_size=2, shuffle=True, collate_fn=pad_tokens)
next(iter(loader))

# %% right: batches of sequences of equal length
sentences = [torch.arange(length) for length in (3, 7, 3, 7)]
loader = DataLoader(sentences, batch_sampler=BatchSampler([0, 2, 1, 3], batch_size=2, drop_last=False))
print([tuple(batch.shape) for batch in loader])

# %% right: images of different sizes, one at a time
loader = DataLoader([torch.zeros(3, 60, 40), torch.zeros(3, 40, 60)], batch_size=None)
print([tuple(image.shape) for image in loader])

# %% right: an endless stream of equal samples


class Endless(IterableDataset):
    def __iter__(self):
        while True:
            yield torch.rand(3, 8, 8)


loader = DataLoader(Endless(), batch_size=4)
next(iter(loader))
