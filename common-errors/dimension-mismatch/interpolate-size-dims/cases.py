import torch
from torch import nn
from torch.nn import functional as F

# %% one image in an upsampling network
model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.Upsample(size=(32, 32), mode="bilinear"))
batch = torch.rand(3, 64, 64)
features, given = model[0](batch), model[1].size
small = model(batch)
# %% fixed
model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.Upsample(size=(32, 32), mode="bilinear"))
image = torch.rand(3, 64, 64)
batch = image.unsqueeze(0)
features, given = model[0](batch), model[1].size
small = model(batch)

# %% a depth map
features, given = torch.rand(120, 160), (240, 320)
depth = F.interpolate(features, size=given)
# %% fixed
image = torch.rand(120, 160)
features, given = image[None, None], (240, 320)
depth = F.interpolate(features, size=given)[0, 0]

# %% the shape of an image whose channels come last
image, features = torch.rand(281, 500, 3), torch.rand(1, 21, 32, 32)
given = image.shape
scores = F.interpolate(features, size=given, mode="bilinear")
# %% fixed
image, features = torch.rand(281, 500, 3), torch.rand(1, 21, 32, 32)
given = image.shape[:2]
scores = F.interpolate(features, size=image.shape[:2], mode="bilinear")

# %% the shape of a batch whose channels come last
image, features = torch.rand(2, 281, 500, 3), torch.rand(2, 21, 32, 32)
given = image.shape
scores = F.interpolate(features, size=given, mode="bilinear")
# %% fixed
image, features = torch.rand(2, 281, 500, 3), torch.rand(2, 21, 32, 32)
given = image.shape[1:3]
scores = F.interpolate(features, size=image.shape[1:3], mode="bilinear")

# %% a volume without a batch
volume, given, spatial = torch.rand(1, 40, 64, 64), (32, 32, 32), 3
features = volume
small = F.interpolate(features, size=given, mode="trilinear")
# %% fixed
volume, given, spatial = torch.rand(1, 40, 64, 64), (32, 32, 32), 3
features = volume.unsqueeze(0)
small = F.interpolate(features, size=given, mode="trilinear")

# %% message: a decoder that takes the whole shape of the skip connection
class Decoder(nn.Module):
    def forward(self, top, skip):
        return torch.cat([F.interpolate(top, size=list(skip.shape)), skip], dim=1)


decoder = Decoder()
decoder(torch.rand(4, 32, 8, 8), torch.rand(4, 16, 16, 16))
# %% fixed
class Decoder(nn.Module):
    def forward(self, top, skip):
        return torch.cat([F.interpolate(top, size=skip.shape[-2:]), skip], dim=1)


decoder = Decoder()
decoder(torch.rand(4, 32, 8, 8), torch.rand(4, 16, 16, 16))

# %% message: a video of batch x time x channels
video = torch.rand(2, 8, 3, 64, 64)
small = F.interpolate(video, size=(32, 32), mode="bilinear")
# %% fixed
video = torch.rand(2, 8, 3, 64, 64)
small = F.interpolate(video.flatten(0, 1), size=(32, 32), mode="bilinear").unflatten(0, (2, 8))

# %% message: position embeddings of a vision transformer
tokens = torch.rand(1, 196, 768)
tokens = F.interpolate(tokens, size=(16, 16), mode="bicubic")
# %% fixed
tokens, height, width = torch.rand(1, 196, 768), 14, 14
grid = tokens.transpose(1, 2).unflatten(2, (height, width))
tokens = F.interpolate(grid, size=(16, 16), mode="bicubic").flatten(2).transpose(1, 2)

# %% message: one image whose channels come last
image = torch.rand(64, 48, 3)
small = F.interpolate(image, size=(32, 24))
# %% fixed
image = torch.rand(64, 48, 3)
small = F.interpolate(image.permute(2, 0, 1).unsqueeze(0), size=(32, 24))

# %% message: a signal without channels
signals = torch.rand(8, 1000)
resampled = F.interpolate(signals, size=(500,), mode="linear")
# %% fixed
signals = torch.rand(8, 1000)
resampled = F.interpolate(signals.unsqueeze(1), size=(500,), mode="linear").squeeze(1)

# %% message: one number in brackets
images = torch.rand(2, 3, 64, 64)
small = F.interpolate(images, size=(32,))
# %% fixed
images = torch.rand(2, 3, 64, 64)
small = F.interpolate(images, size=32)

# %% message: the whole shape of a signal
signals = torch.rand(8, 1, 1000)
resampled = F.interpolate(signals, size=[8, 1, 500])

# %% message: factors for height and width of one image
image = torch.rand(3, 64, 64)
large = F.interpolate(image, scale_factor=(2, 2))
# %% fixed
image = torch.rand(3, 64, 64)
large = F.interpolate(image.unsqueeze(0), scale_factor=(2, 2))

# %% message: antialias for one image
image = torch.rand(3, 64, 64)
small = F.interpolate(image, size=32, mode="bilinear", antialias=True)
# %% fixed
image = torch.rand(3, 64, 64)
small = F.interpolate(image.unsqueeze(0), size=32, mode="bilinear", antialias=True)

# %% message: a size of floats for one image
image = torch.rand(3, 64, 64)
small = F.interpolate(image, size=(64 / 2, 64 / 2))

# %% right: images of another batch size and channels than the target
image, features = torch.rand(7, 3, 281, 500), torch.rand(1, 21, 32, 32)
given = image.shape[-2:]
scores = F.interpolate(features, size=given, mode="bilinear")

# %% right: a sequence, resized by a factor
features, given, spatial = torch.rand(4, 16, 100), 0.5, 1
half = F.interpolate(features, scale_factor=given)
