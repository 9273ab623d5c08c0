import torch
from torch import nn

torch.manual_seed(0)
# Gray images of 8 x 8; the four classes differ in brightness.
labels = torch.randint(4, (512,))
images = 0.2 * torch.randn(512, 1, 8, 8) + 0.3 * labels[:, None, None, None]


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", images.mean())  # a constant of the training set, saved with the model
        self.layers = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 4))

    def forward(self, images):
        return self.layers(images - self.mean)


model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(10):
    for batch in torch.randperm(512).split(64):
        loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch={epoch} loss={loss.item():.3f}")

model.eval()
with torch.no_grad():
    together = model(images[:200]).argmax(dim=1)
    alone = torch.cat([model(image[None]) for image in images[:200]]).argmax(dim=1)
print(f"accuracy_in_a_batch={(together == labels[:200]).float().mean().item():.2f}")
print(f"changed={(together != alone).float().mean().item():.2f}")
