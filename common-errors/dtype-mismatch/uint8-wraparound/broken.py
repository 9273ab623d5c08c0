import torch

torch.manual_seed(0)
# A fixed camera at dusk: gray 8-bit frames, a little darker than the background, with a white car that drives by.
scene = torch.randint(60, 120, (48, 64))
cars = torch.zeros(8, 48, 64, dtype=torch.bool)
for number in range(8):
    cars[number, 20:28, 6 * number : 6 * number + 12] = True
noise = (3 * torch.randn(8, 48, 64)).round().long()
frames = torch.where(cars, 230, scene - 4 + noise).to(torch.uint8)
background = scene.to(torch.uint8)


def changed(frame, background):
    return (frame - background).abs() > 25  # error


false_alarms = 0
for number, frame in enumerate(frames):
    found = changed(frame, background)
    false_alarms += (found & ~cars[number]).sum().item()
    print(f"frame={number} changed={found.float().mean().item():.1f}")

print(f"false_alarms={false_alarms / (~cars).sum().item():.2f}")
