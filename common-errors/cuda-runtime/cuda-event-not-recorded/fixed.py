import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Linear(64, 1)
optimizer = torch.optim.SGD(critic.parameters(), lr=0.01)
start = end = None  # there are events only where they are recorded

# Resumed at batch 5; the gradient penalty is computed, and timed, in every 16th batch only.
for batch in range(5, 9):
    images = torch.randn(8, 64, requires_grad=True)
    loss = critic(images).mean()
    if batch % 16 == 0:
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        loss = loss + torch.autograd.grad(loss, images, create_graph=True)[0].square().sum()
        end.record()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

if end is not None:
    end.synchronize()
    print(f"batch {batch}, penalty: {start.elapsed_time(end):.1f} ms")
else:
    print(f"batch {batch}, no penalty so far")
