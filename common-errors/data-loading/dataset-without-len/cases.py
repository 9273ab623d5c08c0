from torch.utils.data import ConcatDataset, DataLoader, Dataset, IterableDataset, random_split

# %% the name has one underscore on each side
class ImageDataset(Dataset):
    def _len_(self):
        return 8

    def __getitem__(self, index):
        return index


dataset = ImageDataset()
for batch in DataLoader(dataset, batch_size=4):
    pass
# %% fixed
class ImageDataset(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index


dataset = ImageDataset()
for batch in DataLoader(dataset, batch_size=4):
    pass

# %% a split of a dataset without a length
class Sensor(Dataset):
    def __getitem__(self, index):
        return float(index)


dataset = Sensor()
training, validation = random_split(dataset, [0.8, 0.2])

# %% two datasets joined
class Part(Dataset):
    def __init__(self, samples):
        self.samples = samples

    def __getitem__(self, index):
        return self.samples[index]


dataset = Part([1, 2, 3])
joined = ConcatDataset([dataset, Part([4, 5])])

# %% the class instead of an object
class TextDataset(Dataset):
    def __len__(self):
        return 5

    def __getitem__(self, index):
        return index


dataset = TextDataset
loader = DataLoader(dataset, shuffle=True)
# %% fixed
class TextDataset(Dataset):
    def __len__(self):
        return 5

    def __getitem__(self, index):
        return index


dataset = TextDataset()
loader = DataLoader(dataset, shuffle=True)

# %% pairs from zip, which can be read only once
features, labels = range(6), range(6)
dataset = zip(features, labels)
for batch in DataLoader(dataset, batch_size=2):
    pass
# %% fixed
features, labels = range(6), range(6)
dataset = zip(features, labels)
dataset = list(dataset)
for batch in DataLoader(dataset, batch_size=2):
    pass

# %% the number of batches of a stream
class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(10))


dataset = Stream()
steps = len(DataLoader(dataset, batch_size=4))
# %% fixed
class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(10))


dataset = range(10)
loader, steps = DataLoader(Stream(), batch_size=4), 0
for batch in loader:
    steps += 1

# %% message: a function that returns nothing
def read(path):
    [path] * 3


DataLoader(read("train.csv"), shuffle=True)

# %% message: __getitem__ is indented too deep
class Samples(Dataset):
    def __len__(self):
        return 8

        def __getitem__(self, index):
            return index


next(iter(DataLoader(Samples(), batch_size=4)))
# %% fixed
class Samples(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return index


dataset = Samples()
next(iter(DataLoader(dataset, batch_size=4)))

# %% message: a stream without __iter__
class Articles(IterableDataset):
    def __getitem__(self, index):
        return index


for batch in DataLoader(Articles(), batch_size=4):
    pass
# %% fixed
class Articles(IterableDataset):
    def __iter__(self):
        for index in range(8):
            yield index


dataset = Articles()
for batch in DataLoader(dataset, batch_size=4):
    pass

# %% right: a list is a dataset, too
dataset = [(index, index % 2) for index in range(8)]
loader = DataLoader(dataset, batch_size=4, shuffle=True)

# %% right: a stream that is only read
class Numbers(IterableDataset):
    def __iter__(self):
        return iter(range(10))

    def __len__(self):
        return 10


dataset = Numbers()
batches = list(DataLoader(dataset, batch_size=4))
