import torch

torch.manual_seed(0)
boxes = torch.rand(200, 4)
scores = torch.rand(200)
labels = torch.randint(3, (200,))

# Drop the weak detections, then keep the people among the rest.
confident = scores > 0.5
# What describes the same detections is filtered together, the labels as well.
boxes, scores, labels = boxes[confident], scores[confident], labels[confident]
is_person = labels == 1
people = boxes[is_person]
print(f"people: {len(people)} of {len(boxes)} detections")
