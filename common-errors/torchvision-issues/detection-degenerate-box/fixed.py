import torch
from torchvision.models.detection import ssdlite320_mobilenet_v3_large
from torchvision.ops import box_convert

torch.manual_seed(0)
# As in a COCO annotation: left, top, width, height.
annotations = [
    {"bbox": [60.0, 40.0, 30.0, 50.0], "category_id": 1},
    {"bbox": [10.0, 12.0, 45.0, 80.0], "category_id": 2},
]

model = ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=3)
images = torch.rand(2, 3, 128, 128)
boxes = torch.tensor([annotation["bbox"] for annotation in annotations])
target = {
    "boxes": box_convert(boxes, "xywh", "xyxy"),  # left, top, right, bottom
    "labels": torch.tensor([annotation["category_id"] for annotation in annotations]),
}
losses = model(list(images), [target, target])
print("losses:", *losses)
