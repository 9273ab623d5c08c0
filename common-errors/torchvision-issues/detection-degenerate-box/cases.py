import torch
from torchvision.models.detection import ssdlite320_mobilenet_v3_large
from torchvision.ops import box_convert, clip_boxes_to_image

torch.manual_seed(0)
model = ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=4)
images = list(torch.rand(2, 3, 96, 96))


def targets_with(boxes):
    return [{"boxes": boxes, "labels": torch.ones(len(boxes), dtype=torch.long)} for _ in images]


# %% boxes of COCO
boxes = torch.tensor([[5.0, 5.0, 40.0, 40.0], [50.0, 20.0, 30.0, 60.0]])
targets = targets_with(boxes)
model(images, targets)
# %% fixed
boxes = torch.tensor([[5.0, 5.0, 40.0, 40.0], [50.0, 20.0, 30.0, 60.0]])
boxes = box_convert(boxes, "xywh", "xyxy")
targets = targets_with(boxes)
model(images, targets)

# %% boxes of YOLO, center and size as fractions
boxes = torch.tensor([[0.5, 0.5, 0.3, 0.2]])
targets = targets_with(boxes)
model(images, targets)
# %% fixed
boxes = torch.tensor([[0.5, 0.5, 0.3, 0.2]])
width, height = 96, 96
boxes = box_convert(boxes, "cxcywh", "xyxy") * torch.tensor([width, height, width, height])
targets = targets_with(boxes)
model(images, targets)

# %% a box without width after a crop
boxes = clip_boxes_to_image(torch.tensor([[10.0, 10.0, 50.0, 50.0], [98.0, 20.0, 120.0, 60.0]]), (96, 96))
targets = targets_with(boxes)
model(images, targets)
# %% fixed
boxes = clip_boxes_to_image(torch.tensor([[10.0, 10.0, 50.0, 50.0], [98.0, 20.0, 120.0, 60.0]]), (96, 96))
keep = (boxes[:, 2:] > boxes[:, :2]).all(dim=1)
boxes = boxes[keep]
targets = targets_with(boxes)
model(images, targets)

# %% a line in the corner, in pixels
boxes = torch.tensor([[1.0, 0.5, 1.0, 1.5]])
targets = targets_with(boxes)
model(images, targets)
# %% fixed
boxes = torch.tensor([[1.0, 0.5, 1.0, 1.5]])
keep = (boxes[:, 2:] > boxes[:, :2]).all(dim=1)
boxes = boxes[keep]
targets = targets_with(boxes)
model(images, targets)

# %% a box whose width is rounded below zero
boxes = torch.tensor([[10.05, 5.0, 10.0, 40.0]])
targets = targets_with(boxes)
model(images, targets)
# %% fixed
boxes = torch.tensor([[10.05, 5.0, 10.0, 40.0]])
keep = (boxes[:, 2:] > boxes[:, :2]).all(dim=1)
boxes = boxes[keep]
targets = targets_with(boxes)
model(images, targets)

# %% a dummy of zeros
boxes = torch.zeros(1, 4)
targets = targets_with(boxes)
model(images, targets)
# %% fixed
boxes = torch.zeros(0, 4)
targets = targets_with(boxes)
model(images, targets)

# %% a box that was drawn from the lower right corner
boxes = torch.tensor([[70.0, 80.0, 20.0, 30.0]])
targets = targets_with(boxes)
model(images, targets)
# %% fixed
boxes = torch.tensor([[70.0, 80.0, 20.0, 30.0]])
boxes = torch.cat([torch.minimum(boxes[:, :2], boxes[:, 2:]), torch.maximum(boxes[:, :2], boxes[:, 2:])], dim=1)
targets = targets_with(boxes)
model(images, targets)

# %% top and bottom swapped by a flip
boxes = torch.tensor([[10.0, 60.0, 50.0, 40.0]])
targets = targets_with(boxes)
model(images, targets)
# %% fixed
boxes = torch.tensor([[10.0, 60.0, 50.0, 40.0]])
boxes = torch.cat([torch.minimum(boxes[:, :2], boxes[:, 2:]), torch.maximum(boxes[:, :2], boxes[:, 2:])], dim=1)
targets = targets_with(boxes)
model(images, targets)

# %% right: left, top, right, bottom
boxes = torch.tensor([[10.0, 20.0, 50.0, 60.0]])
targets = targets_with(boxes)
model(images, targets)

# %% right: an image without objects
boxes = torch.zeros(0, 4)
targets = targets_with(boxes)
model(images, targets)
