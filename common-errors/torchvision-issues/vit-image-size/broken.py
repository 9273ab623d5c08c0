import torch
from torchvision.models import VisionTransformer
from torchvision.transforms import v2

torch.manual_seed(0)
# Like vit_b_16, with 2 layers of 64 features instead of 12 layers of 768.
sizes = {"patch_size": 16, "num_layers": 2, "num_heads": 4, "hidden_dim": 64, "mlp_dim": 128}
model = VisionTransformer(image_size=224, num_classes=10, **sizes)
transform = v2.Compose([v2.Resize(256), v2.ToDtype(torch.float32, scale=True)])

photos = torch.randint(256, (4, 3, 480, 640), dtype=torch.uint8)
logits = model(transform(photos))  # error
print(f"logits: {tuple(logits.shape)}")
