import torch
from torchvision.ops import RoIAlign, batched_nms, box_convert, nms, roi_align, roi_pool

torch.manual_seed(0)
features = torch.rand(2, 8, 16, 16)
boxes = torch.tensor([[0.0, 0, 8, 8], [2, 2, 12, 12], [1, 0, 9, 8]])
scores = torch.tensor([0.9, 0.8, 0.7])

# %% a batch of boxes
boxes, other = torch.rand(2, 3, 4).cumsum(2), features
RoIAlign(7, 1.0, 2)(other, boxes)
# %% fixed
index = torch.arange(2.0).repeat_interleave(3)
boxes, other = torch.rand(6, 4).cumsum(1), features
boxes = torch.cat([index[:, None], boxes], dim=1)
RoIAlign(7, 1.0, 2)(other, boxes)

# %% one image
boxes, other = boxes, features[:1]
roi_pool(other, boxes, 7)
# %% fixed
boxes, other = [boxes], features[:1]
roi_pool(other, boxes, 7)

# %% the index of the image in a list
rois = [torch.cat([torch.full((3, 1), float(image)), boxes], dim=1) for image in range(2)]
boxes, other = rois, features
roi_align(other, boxes, 7)
# %% fixed
rois = [torch.cat([torch.full((3, 1), float(image)), boxes], dim=1) for image in range(2)]
boxes, other = [boxes[:, 1:] for boxes in rois], features
roi_align(other, boxes, 7)

# %% an array of NumPy
boxes, other = boxes.numpy(), features[:1]
roi_align(other, boxes, 7)
# %% fixed
boxes, other = boxes.numpy(), features[:1]
boxes = [torch.as_tensor(boxes, dtype=torch.float32)]
roi_align(other, boxes, 7)

# %% boxes in float64
boxes, other = [boxes.double(), boxes.double()], features
roi_align(other, boxes, 7)
# %% fixed
rois = [boxes.double(), boxes.double()]
boxes, other = [boxes.to(features.dtype) for boxes in rois], features
roi_align(other, boxes, 7)

# %% the index of the image last
boxes, other = torch.cat([boxes + 3, torch.zeros(3, 1)], dim=1), features
roi_align(other, boxes, 7)
# %% fixed
boxes, other = torch.cat([boxes + 3, torch.zeros(3, 1)], dim=1), features
boxes = boxes[:, [4, 0, 1, 2, 3]]
roi_align(other, boxes, 7)

# %% no box left
boxes, other = torch.tensor([]), torch.tensor([])
nms(boxes, other, 0.5)
# %% fixed
boxes, other = torch.tensor([]), torch.tensor([])
boxes = boxes.reshape(-1, 4)
nms(boxes, other, 0.5)

# %% nms of a batch
boxes, other = boxes.expand(2, 3, 4), scores.expand(2, 3)
nms(boxes, other, 0.5)
# %% fixed
boxes, other, scores = boxes.expand(2, 3, 4), scores, scores.expand(2, 3)
kept = [nms(b, s, 0.5) for b, s in zip(boxes, scores)]
boxes = boxes[0]

# %% coordinates, score and class in one tensor
boxes, other = torch.cat([boxes, scores[:, None], torch.zeros(3, 1)], dim=1), scores
nms(boxes, other, 0.5)
# %% fixed
boxes, other = torch.cat([boxes, scores[:, None], torch.zeros(3, 1)], dim=1), scores
nms(boxes[:, :4], boxes[:, 4], 0.5)
boxes = boxes[:, :4]

# %% a score per class
boxes, other = boxes, torch.rand(3, 20)
nms(boxes, other, 0.5)
# %% fixed
scores = torch.rand(3, 20)
scores, classes = scores.max(dim=1)
batched_nms(boxes, scores, classes, 0.5)
other = scores

# %% a threshold for the scores only
boxes, other = boxes, scores[scores > 0.75]
nms(boxes, other, 0.5)
# %% fixed
keep = scores > 0.75
boxes, other = boxes[keep], scores[keep]
nms(boxes, other, 0.5)

# %% scores in half precision
boxes, other = boxes, scores.half()
nms(boxes, other, 0.5)
# %% fixed
boxes, scores = boxes, scores.half()
nms(boxes.float(), scores.float(), 0.5)
other = scores.float()

# %% message: lists instead of tensors
nms(boxes.tolist(), scores.tolist(), 0.5)
# %% fixed
boxes = boxes.tolist()
nms(torch.as_tensor(boxes, dtype=torch.float32), scores, 0.5)

# %% message: a format that does not exist
box_convert(boxes, "coco", "xyxy")
# %% fixed
box_convert(boxes, "xywh", "xyxy")

# %% right: a list for two images
boxes, other = [boxes, boxes[:1]], features
roi_align(other, boxes, 7)

# %% right: one tensor with the index first
boxes, other = torch.cat([torch.ones(3, 1), boxes], dim=1), features
roi_align(other, boxes, 7)

# %% right: nms of one image
boxes, other = boxes, scores
nms(boxes, other, 0.5)
