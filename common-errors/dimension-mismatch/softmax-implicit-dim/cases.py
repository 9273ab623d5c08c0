import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

# %% a module without a dimension
softmax = nn.Softmax()
logits = nn.Linear(20, 3)(torch.randn(16, 20))
output = softmax(logits)
# %% fixed
softmax = nn.Softmax(dim=-1)
logits = nn.Linear(20, 3)(torch.randn(16, 20))
output = softmax(logits)

# %% the classes of the pixels of an image
logits = torch.randn(2, 5, 8, 8)
softmax = F.log_softmax
output = softmax(logits)
# %% fixed
logits = torch.randn(2, 5, 8, 8)
softmax = lambda x: F.log_softmax(x, dim=1)
output = softmax(logits)

# %% the weights of attention over words
logits = torch.randn(4, 7, 7)
softmax = F.softmax
output = softmax(logits)
# %% fixed
logits = torch.randn(4, 7, 7)
softmax = lambda x: F.softmax(x, dim=-1)
output = softmax(logits)

# %% the policy of one state
logits = nn.Linear(4, 2)(torch.randn(4))
softmax = nn.LogSoftmax()
output = softmax(logits)

# %% a matching cost
logits = torch.randn(6, 9)
softmax = nn.Softmin()
output = softmax(logits)

# %% right: a dimension is given
logits = torch.randn(4, 7, 7)
softmax = nn.Softmax(dim=2)
output = softmax(logits)

# %% right: Gumbel softmax, whose default is the last dimension
logits = torch.randn(4, 7, 7)
softmax = F.gumbel_softmax
output = softmax(logits)
