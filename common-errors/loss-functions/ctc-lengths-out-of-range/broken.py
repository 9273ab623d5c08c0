import torch
from torch import nn

torch.manual_seed(0)
frames = torch.tensor([100, 80])
spectrograms = torch.randn(2, 40, 100)
encoder = nn.Conv1d(40, 29, kernel_size=3, stride=2, padding=1)
log_probs = encoder(spectrograms).permute(2, 0, 1).log_softmax(dim=2)

targets, target_lengths = torch.randint(1, 29, (2, 12)), torch.tensor([12, 9])
input_lengths = frames
loss = nn.functional.ctc_loss(log_probs, targets, input_lengths, target_lengths)  # error
print(f"steps: {len(log_probs)} loss is finite: {bool(loss.isfinite())}")
