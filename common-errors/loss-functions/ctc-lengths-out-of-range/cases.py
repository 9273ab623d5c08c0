import torch
from torch import nn

# %% two poolings in front of a recurrent layer
images, widths = torch.rand(4, 1, 32, 128), torch.tensor([128, 100, 90, 128])
features = nn.MaxPool2d(4)(images).flatten(1, 2).permute(2, 0, 1)
log_probs = nn.LSTM(8, 37)(features)[0].log_softmax(2)
targets, input_lengths, target_lengths = torch.randint(1, 37, (4, 5)), widths, torch.tensor([5, 4, 3, 5])
loss = nn.CTCLoss()(log_probs, targets, input_lengths, target_lengths)
# %% fixed
images, widths = torch.rand(4, 1, 32, 128), torch.tensor([128, 100, 90, 128])
features = nn.MaxPool2d(4)(images).flatten(1, 2).permute(2, 0, 1)
log_probs = nn.LSTM(8, 37)(features)[0].log_softmax(2)
lengths = widths
input_lengths = lengths // 4
targets, target_lengths = torch.randint(1, 37, (4, 5)), torch.tensor([5, 4, 3, 5])
loss = nn.CTCLoss()(log_probs, targets, input_lengths, target_lengths)

# %% a convolution without padding
log_probs = nn.Conv1d(13, 20, 5)(torch.randn(1, 13, 50)).permute(2, 0, 1).log_softmax(2)
targets, input_lengths, target_lengths = torch.randint(1, 20, (1, 8)), torch.tensor([50]), torch.tensor([8])
loss = nn.CTCLoss()(log_probs, targets, input_lengths, target_lengths)
# %% fixed
log_probs = nn.Conv1d(13, 20, 5)(torch.randn(1, 13, 50)).permute(2, 0, 1).log_softmax(2)
batch = 1
input_lengths = torch.full((batch,), log_probs.shape[0])
targets, target_lengths = torch.randint(1, 20, (1, 8)), torch.tensor([8])
loss = nn.CTCLoss()(log_probs, targets, input_lengths, target_lengths)

# %% the batch first
log_probs = nn.Linear(64, 30)(torch.randn(8, 75, 64)).log_softmax(2)
targets, input_lengths, target_lengths = torch.randint(1, 30, (8, 10)), torch.full((8,), 75), torch.full((8,), 10)
loss = nn.CTCLoss()(log_probs, targets, input_lengths, target_lengths)
# %% fixed
log_probs = nn.Linear(64, 30)(torch.randn(8, 75, 64)).log_softmax(2)
log_probs = log_probs.transpose(0, 1)
targets, input_lengths, target_lengths = torch.randint(1, 30, (8, 10)), torch.full((8,), 75), torch.full((8,), 10)
loss = nn.CTCLoss()(log_probs, targets, input_lengths, target_lengths)

# %% the lengths of the targets for each character
log_probs = torch.randn(50, 2, 20).log_softmax(2)
targets, input_lengths, target_lengths = torch.randint(1, 20, (2, 6)), torch.full((2,), 50), torch.ones(12).long()
loss = nn.CTCLoss()(log_probs, targets, input_lengths, target_lengths)

# %% targets that were cut off, and their lengths were not
log_probs = torch.randn(60, 3, 20).log_softmax(2)
targets = torch.randint(1, 20, (3, 14))[:, :10]
input_lengths, target_lengths = (60, 60, 60), (14, 7, 9)
loss = nn.CTCLoss()(log_probs, targets, input_lengths, target_lengths)

# %% targets in one row, with the padding in it
log_probs = torch.randn(60, 3, 20).log_softmax(2)
targets, target_lengths = torch.randint(1, 20, (30,)), torch.tensor([10, 7, 9])
input_lengths = torch.tensor([60, 60, 60])
loss = nn.CTCLoss()(log_probs, targets, input_lengths, target_lengths)

# %% lengths that became negative
log_probs = torch.randn(10, 2, 20).log_softmax(2)
targets, input_lengths, target_lengths = torch.randint(1, 20, (2, 4)), torch.tensor([10, 2]) - 4, torch.tensor([2, 2])
loss = nn.CTCLoss()(log_probs, targets, input_lengths, target_lengths)

# %% message: relative lengths, parts of the longest recording
log_probs = torch.randn(50, 2, 20).log_softmax(2)
input_lengths = torch.tensor([1.0, 0.5]) * 50
loss = nn.CTCLoss()(log_probs, torch.randint(1, 20, (2, 6)), input_lengths, torch.tensor([6, 6]))
# %% fixed
log_probs = torch.randn(50, 2, 20).log_softmax(2)
input_lengths = torch.tensor([1.0, 0.5]) * 50
loss = nn.CTCLoss()(log_probs, torch.randint(1, 20, (2, 6)), input_lengths.round().long(), torch.tensor([6, 6]))

# %% message: a blank behind the last class
log_probs = torch.randn(50, 2, 26).log_softmax(2)
loss = nn.CTCLoss(blank=26)(log_probs, torch.randint(0, 26, (2, 6)), (50, 50), (6, 6))
# %% fixed
n_characters = 26
log_probs = torch.randn(50, 2, n_characters + 1).log_softmax(2)
loss = nn.CTCLoss(blank=26)(log_probs, torch.randint(0, 26, (2, 6)), (50, 50), (6, 6))

# %% message: feature maps that keep their height
log_probs = torch.randn(50, 2, 1, 26).log_softmax(3)
loss = nn.CTCLoss()(log_probs, torch.randint(1, 26, (2, 6)), (50, 50), (6, 6))

# %% right: lengths shorter than the steps
log_probs = torch.randn(50, 2, 20).log_softmax(2)
targets, input_lengths, target_lengths = torch.randint(1, 20, (2, 12)), torch.tensor([50, 31]), torch.tensor([12, 3])
loss = nn.CTCLoss()(log_probs, targets, input_lengths, target_lengths)

# %% right: targets in one row
log_probs = torch.randn(50, 2, 20).log_softmax(2)
targets, input_lengths, target_lengths = torch.randint(1, 20, (15,)), torch.tensor([50, 31]), torch.tensor([12, 3])
loss = nn.CTCLoss()(log_probs, targets, input_lengths, target_lengths)
