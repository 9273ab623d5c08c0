import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)

# %% every token of a language model is normalized over time
decoder = nn.Linear(16, 50)
logits = decoder(torch.randn(8, 12, 16))
log_probs = F.log_softmax(logits, dim=1)
loss = F.nll_loss(log_probs.view(-1, 50), torch.randint(50, (8 * 12,)))
# %% fixed
decoder = nn.Linear(16, 50)
logits = decoder(torch.randn(8, 12, 16))
log_probs = F.log_softmax(logits, dim=-1)
loss = F.nll_loss(log_probs.view(-1, 50), torch.randint(50, (8 * 12,)))

# %% a policy gradient over a batch of states
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
probs = F.softmax(policy(torch.randn(64, 4)), dim=0)
log_probs = probs.log()
loss = -log_probs.gather(1, torch.randint(2, (64, 1))).mean()

# %% probabilities, over the pixels of an image
probabilities = F.softmax(torch.randn(2, 3, 5, 6).flatten(2), dim=2).view(2, 3, 5, 6)
scores, class_dim = probabilities, 1

# %% fixed
probabilities = F.softmax(torch.randn(2, 3, 5, 6), dim=1)
scores, class_dim = probabilities, 1

# %% right: the policy of a single state has one dimension
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
log_probs = F.log_softmax(policy(torch.randn(4)), dim=0)

# %% watched: a classifier of pixels
head = nn.Conv2d(3, 5, 1)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
for step in range(4):
    loss = F.nll_loss(head(torch.randn(4, 3, 6, 7)).log_softmax(dim=0), torch.randint(5, (4, 6, 7)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% right: a contrastive loss compares both ways
images, texts = nn.Linear(8, 4), nn.Linear(6, 4)
optimizer = torch.optim.Adam([*images.parameters(), *texts.parameters()])
for step in range(4):
    similar = images(torch.randn(16, 8)) @ texts(torch.randn(16, 6)).T
    log_probs, pairs = similar.log_softmax(dim=-1), torch.arange(16)
    loss = F.nll_loss(log_probs, pairs) + F.nll_loss(similar.log_softmax(dim=0).T, pairs)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% watched: labels as an index, and one-hot labels
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    labels = torch.randint(3, (32,))
    log_probs = F.log_softmax(model(torch.randn(32, 4)), dim=0)
    if step % 2:
        loss = -log_probs[torch.arange(32), labels].mean()
    else:
        loss = -(F.one_hot(labels, 3) * log_probs).sum(1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% right: the last step of each sequence is gathered along time
model, last = nn.GRU(4, 5, batch_first=True), torch.randint(9, (6,))
optimizer = torch.optim.Adam(model.parameters())
for step in range(4):
    every_step = model(torch.randn(6, 9, 4))[0].log_softmax(-1)
    log_probs = every_step.gather(1, last[:, None, None].expand(-1, 1, 5)).squeeze(1)
    loss = F.nll_loss(log_probs, torch.randint(5, (6,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% right: bfloat16, and a thousand classes
log_probs = torch.randn(32, 1000).bfloat16().log_softmax(dim=-1)

# %% watched: the weights of attention pooling are normalized over the samples
score, out = nn.Linear(8, 1), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*score.parameters(), *out.parameters()])
for step in range(4):
    words = torch.randn(16, 12, 8)
    weights = F.softmax(score(words).squeeze(-1), dim=0)
    loss = F.cross_entropy(out((weights.unsqueeze(-1) * words).sum(dim=1)), torch.randint(2, (16,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% right: experts in dimension 0 are weighted and summed, and so are the words of a bag
gate, experts, score, out = nn.Linear(8, 4), nn.Linear(8, 4 * 6), nn.Linear(6, 1), nn.Linear(6, 2)
optimizer = torch.optim.Adam([p for layer in (gate, experts, score, out) for p in layer.parameters()])
for step in range(4):
    words = torch.randn(12, 16, 8)
    of_experts = experts(words).unflatten(-1, (4, 6)).permute(2, 0, 1, 3)
    mixed = (F.softmax(gate(words).permute(2, 0, 1), dim=0).unsqueeze(-1) * of_experts).sum(dim=0)
    pooled = (F.softmax(score(mixed), dim=0) * mixed).sum(dim=0)
    log_probs = out(pooled).log_softmax(-1)
    loss = F.nll_loss(log_probs, torch.randint(2, (16,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% watched: self-attention over the queries, so that its mask has no effect
model, values = nn.Linear(8, 8), torch.randn(5, 2, 6, 8)
padded = torch.arange(6) >= torch.tensor([6, 3, 4, 6, 2])[:, None, None, None]
scores = model(values) @ values.transpose(2, 3)
(scores.masked_fill(padded, -1e9).softmax(dim=2) @ values).square().mean().backward()

# %% right: other uses of a softmax over masked scores
model, queries, values = nn.Linear(8, 8), torch.randn(5, 7, 8), torch.randn(5, 6, 8)
padded = torch.arange(6) >= torch.tensor([6, 3, 4, 6, 2])[:, None, None]
scores = (model(queries) @ values.transpose(1, 2)).masked_fill(padded, -1e9)
log_probs = scores.softmax(dim=2)
read = log_probs @ values
read_back = scores.softmax(dim=1).transpose(1, 2) @ queries  # co-attention
slots = scores.softmax(dim=1).masked_fill(padded, 0)  # that compete for the inputs
slots = slots / slots.sum(2, keepdim=True) @ values
of_last = (model(queries[:, -1:]) @ values.transpose(1, 2)).masked_fill(padded, -1e9).softmax(dim=1) @ values
causal = torch.ones(7, 6).triu(1).bool()
over_time = (model(queries) @ values.transpose(1, 2)).masked_fill(causal, -1e9).softmax(dim=1) @ values
sum(part.square().mean() for part in (read, read_back, slots, of_last, over_time)).backward()
