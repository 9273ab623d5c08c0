import torch
from torch import nn
from torchvision.ops import roi_align

torch.manual_seed(0)
images = torch.rand(2, 3, 128, 128)
backbone = nn.Sequential(nn.Conv2d(3, 32, 3, 4, padding=1), nn.ReLU(), nn.Conv2d(32, 64, 3, 4, padding=1))
head = nn.Linear(64 * 7 * 7, 4)
# Two boxes in the first image, one in the second: x1, y1, x2, y2 in pixels.
boxes = torch.tensor([[10.0, 12, 60, 70], [40, 30, 100, 90], [5, 5, 50, 80]])

features = backbone(images)
regions = roi_align(features, boxes, output_size=7, spatial_scale=1 / 16)  # error
scores = head(regions.flatten(1))
print("scores:", tuple(scores.shape))
