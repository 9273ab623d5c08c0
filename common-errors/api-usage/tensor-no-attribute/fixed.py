import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(20, 3)
inputs, labels = torch.randn(64, 20), torch.randint(3, (64,))

with torch.inference_mode():
    predictions = model(inputs).argmax(dim=1)
# astype is NumPy: convert first, or call float() of the tensor.
correct = (predictions == labels).numpy()
accuracy = correct.astype("float32").mean()
print(f"accuracy: {accuracy:.2f}")
