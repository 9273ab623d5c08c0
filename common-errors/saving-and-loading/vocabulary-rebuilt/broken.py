import io

import torch
from torch import nn

torch.manual_seed(0)
plants = ["berlin", "boston", "delhi", "kyoto", "lagos", "lima", "oslo", "porto", "quito", "seoul"]


def orders(count):
    """Orders of eight part numbers, and the plant that makes these parts."""
    labels = torch.randint(len(plants), (count,))
    return [[f"{plants[label]}-{part}" for part in torch.randint(20, (8,))] for label in labels], labels


def ids_of(orders):
    return {part: number for number, part in enumerate(dict.fromkeys(part for order in orders for part in order))}


def encode(orders, ids):
    return torch.tensor([[ids[part] for part in order] for order in orders])


def create(ids):
    return nn.Sequential(nn.EmbeddingBag(len(ids), 16), nn.Linear(16, len(plants)))


train_orders, labels = orders(600)
ids = ids_of(train_orders)
model = create(ids)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for step in range(30):
    loss = nn.functional.cross_entropy(model(encode(train_orders, ids)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"training loss={loss.item():.2f}")
file = io.BytesIO()
torch.save({"model": model.state_dict()}, file)

checkpoint = torch.load(io.BytesIO(file.getvalue()))  # from here on as in a new process
test_orders, labels = orders(400)
ids_now = ids_of(test_orders)  # error
model = create(ids_now)
model.load_state_dict(checkpoint["model"])
right = model(encode(test_orders, ids_now)).argmax(dim=1) == labels
print(f"accuracy={right.float().mean().item():.2f}")
