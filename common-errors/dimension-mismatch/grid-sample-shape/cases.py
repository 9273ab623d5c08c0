import torch
import torch.nn.functional as F

torch.manual_seed(0)
images = torch.rand(4, 3, 16, 16)
volume = torch.rand(2, 1, 6, 8, 8)
points = torch.rand(4, 100, 2) * 2 - 1

# %% a volume and its deformation
images, grid = volume, torch.rand(2, 3, 6, 8, 8)
F.grid_sample(images, grid, align_corners=False)
# %% fixed
images, grid = volume, torch.rand(2, 3, 6, 8, 8)
grid = grid.permute(0, 2, 3, 4, 1)
F.grid_sample(images, grid, align_corners=False)

# %% a flow in half size
images, grid = images, torch.rand(4, 2, 8, 8)
F.grid_sample(images, grid, align_corners=False)
# %% fixed
images, grid = images, torch.rand(4, 2, 8, 8)
grid = grid.permute(0, 2, 3, 1)
F.grid_sample(images, grid, align_corners=False)

# %% homogeneous coordinates
images, grid = images, torch.rand(4, 16, 16, 3) + 1
F.grid_sample(images, grid, align_corners=False)
# %% fixed
images, grid = images, torch.rand(4, 16, 16, 3) + 1
grid = grid[..., :2] / grid[..., 2:]
F.grid_sample(images, grid, align_corners=False)

# %% two flows in one tensor
images, grid = images, torch.rand(4, 16, 16, 4)
F.grid_sample(images, grid, align_corners=False)
# %% fixed
images, grid = images, torch.rand(4, 4, 16, 16)[:, :2]
grid = grid.permute(0, 2, 3, 1)
F.grid_sample(images, grid, align_corners=False)

# %% one grid for all images
images, grid = images, torch.rand(1, 16, 16, 2)
F.grid_sample(images, grid, align_corners=False)
# %% fixed
images, grid = images, torch.rand(1, 16, 16, 2)
grid = grid.expand(len(images), -1, -1, -1)
F.grid_sample(images, grid, align_corners=False)

# %% a grid without a batch
images, grid = images, torch.rand(16, 16, 2)
F.grid_sample(images, grid, align_corners=False)
# %% fixed
images, grid = images, torch.rand(16, 16, 2)
grid = grid.expand(len(images), *grid.shape)
F.grid_sample(images, grid, align_corners=False)

# %% a single image
images, grid = images[0], torch.rand(1, 16, 16, 2)
F.grid_sample(images, grid, align_corners=False)
# %% fixed
image, grid = images[0], torch.rand(1, 16, 16, 2)
images = image.unsqueeze(0)
F.grid_sample(images, grid, align_corners=False).squeeze(0)

# %% one image for several grids
images, grid = images[:1], torch.rand(3, 16, 16, 2)
F.grid_sample(images, grid, align_corners=False)
# %% fixed
image, grid = images[:1], torch.rand(3, 16, 16, 2)
images = image.expand(len(grid), -1, -1, -1)
F.grid_sample(images, grid, align_corners=False)

# %% correlation of sizes that are no multiple of 8
images, grid = torch.rand(55 * 4, 1, 13, 4), torch.rand(54 * 4, 9, 9, 2)
F.grid_sample(images, grid, align_corners=True)

# %% points instead of a grid
images, grid = images, points
F.grid_sample(images, grid, align_corners=False)
# %% fixed
images, grid = images, points
grid = grid.unsqueeze(1)
sampled = F.grid_sample(images, grid, align_corners=False).squeeze(2)

# %% frames of a video and a grid for images
images, grid = torch.rand(2, 3, 5, 8, 8), torch.rand(2, 8, 8, 2)
F.grid_sample(images, grid, align_corners=False)
# %% fixed
images, grid = torch.rand(2, 3, 5, 8, 8), torch.rand(2, 8, 8, 2)
images, grid = images.transpose(1, 2).flatten(0, 1), grid.repeat_interleave(5, dim=0)
F.grid_sample(images, grid, align_corners=False)

# %% points in a volume
images, grid = volume, torch.rand(2, 50, 3)
F.grid_sample(images, grid, align_corners=False)
# %% fixed
images, grid = volume, torch.rand(2, 50, 3)
grid = grid[:, None, None]
F.grid_sample(images, grid, align_corners=False)

# %% message: an empty crop
F.grid_sample(images[:, :, 20:], torch.rand(4, 16, 16, 2), align_corners=False)

# %% message: a mode of interpolate
F.grid_sample(images, torch.rand(4, 16, 16, 2), mode="linear", align_corners=False)
# %% fixed
F.grid_sample(images, torch.rand(4, 16, 16, 2), mode="bilinear", align_corners=False)

# %% message: a padding of F.pad
F.grid_sample(images, torch.rand(4, 16, 16, 2), padding_mode="reflect", align_corners=False)
# %% fixed
F.grid_sample(images, torch.rand(4, 16, 16, 2), padding_mode="reflection", align_corners=False)

# %% message: the output of a localization network
theta = torch.nn.Linear(3 * 16 * 16, 6)(images.flatten(1))
F.affine_grid(theta, images.shape, align_corners=False)
# %% fixed
theta = torch.nn.Linear(3 * 16 * 16, 6)(images.flatten(1))
F.affine_grid(theta.view(-1, 2, 3), images.shape, align_corners=False)

# %% message: one matrix
theta = torch.eye(2, 3)
F.affine_grid(theta, images.shape, align_corners=False)
# %% fixed
theta = torch.eye(2, 3)
F.affine_grid(theta.expand(len(images), -1, -1), images.shape, align_corners=False)

# %% message: square matrices
theta = torch.eye(3).expand(4, 3, 3)
F.affine_grid(theta, images.shape, align_corners=False)
# %% fixed
theta = torch.eye(3).expand(4, 3, 3)
F.affine_grid(theta[:, :-1], images.shape, align_corners=False)

# %% message: matrices for images and a volume
F.affine_grid(torch.eye(2, 3).expand(2, 2, 3), volume.shape, align_corners=False)

# %% message: one matrix in a batch
theta = torch.eye(2, 3)[None]
F.affine_grid(theta, images.shape, align_corners=False)
# %% fixed
theta = torch.eye(2, 3)[None]
F.affine_grid(theta.expand(len(images), -1, -1), images.shape, align_corners=False)

# %% message: only height and width
F.affine_grid(torch.eye(2, 3).expand(4, 2, 3), images.shape[-2:], align_corners=False)
# %% fixed
F.affine_grid(torch.eye(2, 3).expand(4, 2, 3), images.shape, align_corners=False)

# %% message: integers
theta = torch.tensor([[[1, 0, 0], [0, 1, 0]]])
F.affine_grid(theta, images[:1].shape, align_corners=False)
# %% fixed
theta = torch.tensor([[[1, 0, 0], [0, 1, 0]]])
F.affine_grid(theta.float(), images[:1].shape, align_corners=False)

# %% right: a grid of another size
images, grid = images, torch.rand(4, 5, 7, 2)
F.grid_sample(images, grid, align_corners=False)

# %% right: a volume
images, grid = volume, torch.rand(2, 4, 4, 4, 3)
F.grid_sample(images, grid, align_corners=False)
