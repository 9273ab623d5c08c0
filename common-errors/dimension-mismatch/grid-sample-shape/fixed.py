import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
images = torch.rand(4, 3, 32, 48)
motion = nn.Conv2d(3, 2, kernel_size=3, padding=1)
identity = F.affine_grid(torch.eye(2, 3).expand(4, 2, 3), images.shape, align_corners=False)

flow = 0.1 * torch.tanh(motion(images))  # channels first: 4 x 2 x 32 x 48
grid = identity + flow.permute(0, 2, 3, 1)  # coordinates last: 4 x 32 x 48 x 2
warped = F.grid_sample(images, grid, align_corners=False)
print("warped:", tuple(warped.shape))
