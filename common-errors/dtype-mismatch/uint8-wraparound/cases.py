import torch

torch.manual_seed(0)
frame = torch.randint(256, (3, 32, 32), dtype=torch.uint8)
background = torch.randint(256, (3, 32, 32), dtype=torch.uint8)

# %% an image is made lighter
def changed(frame, background):
    return frame + 80


lighter = changed(frame, background)
# %% fixed
def changed(frame, background):
    return (frame.short() + 80).clamp(0, 255).to(torch.uint8)


lighter = changed(frame, background)

# %% the mean squared error of two images, made float too late
def changed(frame, background):
    return ((frame - background) ** 2).float().mean()


decibels = 10 * torch.log10(255**2 / changed(frame, background))

# %% two exposures are averaged in place
def changed(frame, background):
    mixed = frame.clone()
    mixed += background
    return mixed // 2


mixed = changed(frame, background)

# %% right: a sum over an image is int64
def changed(frame, background):
    return frame.sum() - background.sum()


difference = changed(frame, background)

# %% right: a factor with a point makes floats
def changed(frame, background):
    return frame * 0.5 + background * 0.5


mixed = changed(frame, background)

# %% right: the larger one of two, and a mask
def changed(frame, background):
    return torch.maximum(frame, background) * (frame > 100)


lights = changed(frame, background)
