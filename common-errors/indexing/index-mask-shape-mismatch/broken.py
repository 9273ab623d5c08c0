import torch

torch.manual_seed(0)
boxes = torch.rand(200, 4)
scores = torch.rand(200)
labels = torch.randint(3, (200,))

# Drop the weak detections, then keep the people among the rest.
confident = scores > 0.5
boxes, scores = boxes[confident], scores[confident]
is_person = labels == 1
people = boxes[is_person]  # error
print(f"people: {len(people)} of {len(boxes)} detections")
