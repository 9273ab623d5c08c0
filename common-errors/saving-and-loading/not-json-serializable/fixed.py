import json

import torch
from torch import nn

torch.manual_seed(0)
features, labels = torch.randn(64, 8), torch.randint(3, (64,))
model = nn.Linear(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

history = []
for epoch in range(3):
    outputs = model(features)
    loss = nn.functional.cross_entropy(outputs, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    accuracy = (outputs.argmax(1) == labels).float().mean()
    history.append({"epoch": epoch, "loss": loss.item(), "accuracy": accuracy.item()})  # a Python float

text = json.dumps({"learning_rate": 0.1, "history": history})
print("epochs saved:", len(json.loads(text)["history"]))
