import torch
import torch.nn.functional as F

torch.manual_seed(0)
image = torch.rand(1, 3, 240, 320)
boxes = [(40, 60, 120, 200), (335, 20, 360, 90), (200, 150, 330, 236)]  # left, top, right, bottom

crops = []
for left, top, right, bottom in boxes:
    crop = image[:, :, top:bottom, left:right]
    if crop.numel() == 0:  # a box outside of the image leaves nothing to resize
        continue
    crops.append(F.interpolate(crop, size=(64, 64), mode="bilinear"))

batch = torch.cat(crops)
print(f"crops: {tuple(batch.shape)}")
