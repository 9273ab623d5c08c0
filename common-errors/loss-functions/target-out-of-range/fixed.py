import torch
from torch import nn

torch.manual_seed(0)
stars = torch.arange(1, 11).repeat(20)  # ratings of 1 to 10 stars, 20 reviews of each
reviews = torch.randn(11, 32)[stars] + 0.3 * torch.randn(200, 32)

model = nn.Linear(32, 10)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
labels = stars - 1  # class indices start at 0: ten classes are 0 to 9

for step in range(100):
    loss = nn.functional.cross_entropy(model(reviews), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

predicted = model(reviews).argmax(dim=1)
usual_for_nine = predicted[stars == 9].mode().values
taken_for_nine = (predicted[stars == 10] == usual_for_nine).float().mean()
print(f"ten_stars_taken_for_nine={taken_for_nine.item():.2f}")
