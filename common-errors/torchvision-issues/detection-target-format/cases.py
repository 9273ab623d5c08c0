import torch
from torchvision.models.detection import maskrcnn_resnet50_fpn, ssdlite320_mobilenet_v3_large
from torchvision.ops import box_convert

model = ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=3)
image = torch.rand(3, 64, 64)

# %% an image without objects
boxes = torch.tensor([])
dataset = [(image, {"boxes": boxes, "labels": torch.zeros(0, dtype=torch.int64)})]
model([image], [dataset[0][1]])
# %% fixed
boxes = torch.tensor([]).reshape(-1, 4)
dataset = [(image, {"boxes": boxes, "labels": torch.zeros(0, dtype=torch.int64)})]
model([image, image], [dataset[0][1], {"boxes": torch.tensor([[4.0, 4, 40, 40]]), "labels": torch.tensor([1])}])

# %% a single box as a vector
boxes = torch.tensor([10.0, 20, 50, 60])
dataset = [(image, {"boxes": boxes, "labels": torch.tensor([1])})]
model([image], [dataset[0][1]])
# %% fixed
boxes = torch.tensor([10.0, 20, 50, 60]).reshape(-1, 4)
dataset = [(image, {"boxes": boxes, "labels": torch.tensor([1])})]
model([image, image], [dataset[0][1], dataset[0][1]])

# %% boxes that were collated to a batch
boxes = torch.tensor([[[10.0, 20, 50, 60], [5, 5, 25, 30]]])
dataset = [(image, {"boxes": boxes, "labels": torch.tensor([1, 2])})]
model([image], [dataset[0][1]])
# %% fixed
boxes = torch.tensor([[[10.0, 20, 50, 60], [5, 5, 25, 30]]]).squeeze(0)
dataset = [(image, {"boxes": boxes, "labels": torch.tensor([1, 2])})]
model([image, image], [dataset[0][1], dataset[0][1]])

# %% lines of a YOLO file
boxes = torch.tensor([[0, 0.5, 0.5, 0.2, 0.4], [1, 0.3, 0.4, 0.2, 0.2], [1, 0.6, 0.4, 0.2, 0.2]])
dataset = [(image, {"boxes": boxes, "labels": boxes[:, 0].long() + 1})]
model([image], [dataset[0][1]])
# %% fixed
rows, width, height = torch.tensor([[0, 0.5, 0.5, 0.2, 0.4], [1, 0.3, 0.4, 0.2, 0.2]]), 64, 64
boxes = box_convert(rows[:, 1:5], "cxcywh", "xyxy") * torch.tensor([width, height, width, height])
dataset = [(image, {"boxes": boxes, "labels": rows[:, 0].long() + 1})]
model([image, image], [dataset[0][1], dataset[0][1]])

# %% four boxes with scores
boxes = torch.tensor([[10.0, 20, 50, 60, 0.9]]).repeat(4, 1)
dataset = [(image, {"boxes": boxes, "labels": torch.ones(4, dtype=torch.int64)})]
model([image], [dataset[0][1]])
# %% fixed
boxes = torch.tensor([[10.0, 20, 50, 60, 0.9]]).repeat(4, 1)
boxes = boxes[:, :4]
dataset = [(image, {"boxes": boxes, "labels": torch.ones(4, dtype=torch.int64)})]
model([image, image], [dataset[0][1], dataset[0][1]])

# %% one row per coordinate
x1, y1, x2, y2 = torch.tensor([10.0, 5]), torch.tensor([20.0, 5]), torch.tensor([50.0, 25]), torch.tensor([60.0, 30])
boxes = torch.stack([x1, y1, x2, y2])
dataset = [(image, {"boxes": boxes, "labels": torch.tensor([1, 2])})]
model([image], [dataset[0][1]])
# %% fixed
x1, y1, x2, y2 = torch.tensor([10.0, 5]), torch.tensor([20.0, 5]), torch.tensor([50.0, 25]), torch.tensor([60.0, 30])
boxes = torch.stack([x1, y1, x2, y2])
boxes = boxes.T
dataset = [(image, {"boxes": boxes, "labels": torch.tensor([1, 2])})]
model([image, image], [dataset[0][1], dataset[0][1]])

# %% message: two corners for each box
boxes = torch.tensor([[10.0, 20], [50, 60]])
model([image], [{"boxes": boxes, "labels": torch.tensor([1])}])

# %% a list of lists
boxes = [[10.0, 20, 50, 60]]
dataset = [(image, {"boxes": boxes, "labels": torch.tensor([1])})]
model([image], [dataset[0][1]])
# %% fixed
boxes = [[10.0, 20, 50, 60]]
boxes = torch.tensor(boxes, dtype=torch.float32).reshape(-1, 4)
dataset = [(image, {"boxes": boxes, "labels": torch.tensor([1])})]
model([image, image], [dataset[0][1], dataset[0][1]])

# %% message: without targets
model([image, image])
# %% fixed
images, targets = [image, image], [{"boxes": torch.tensor([[4.0, 4, 40, 40]]), "labels": torch.tensor([1])}] * 2
model(images, targets)

# %% labels of an empty list
model = maskrcnn_resnet50_fpn(weights=None, weights_backbone=None, num_classes=3, min_size=64)
labels = torch.tensor([])
dataset = [(image, {"boxes": torch.zeros(0, 4), "labels": labels, "masks": torch.zeros(0, 64, 64)})]
model([image, image], [dataset[0][1]] * 2)
# %% fixed
model = maskrcnn_resnet50_fpn(weights=None, weights_backbone=None, num_classes=3, min_size=64)
labels = torch.tensor([], dtype=torch.int64)
dataset = [(image, {"boxes": torch.zeros(0, 4), "labels": labels, "masks": torch.zeros(0, 64, 64)})]
model([image, image], [dataset[0][1]] * 2)

# %% message: a single image without a list
model.eval()
model(image)
# %% fixed
model.eval()
model([image])

# %% message: images that a loader batched one by one
model.eval()
model([image[None], image[None]])
# %% fixed
model.eval()
images = [image[None], image[None]]
model([image.squeeze(0) for image in images])

# %% message: images of bytes
target = {"boxes": torch.tensor([[4.0, 4, 40, 40]]), "labels": torch.tensor([1])}
model([(image * 255).to(torch.uint8)], [target])
# %% fixed
from torchvision.transforms import v2

image = v2.ToDtype(torch.float32, scale=True)((image * 255).to(torch.uint8))
target = {"boxes": torch.tensor([[4.0, 4, 40, 40]]), "labels": torch.tensor([1])}
model([image, image], [target, target])

# %% right: one image with objects, one without
dataset = [
    (image, {"boxes": torch.tensor([[4.0, 4, 40, 40]]), "labels": torch.tensor([1])}),
    (image, {"boxes": torch.zeros(0, 4), "labels": torch.zeros(0, dtype=torch.int64)}),
]
model([image, image], [target for image, target in dataset])
