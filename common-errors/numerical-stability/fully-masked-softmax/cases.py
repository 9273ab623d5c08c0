import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
inputs = torch.randn(8, 6, 16)
lengths = torch.tensor([6, 5, 4, 3, 2, 1, 0, 6])
padding = torch.arange(6) >= lengths[:, None]

# %% attention by hand in an encoder, with where()
def train():
    torch.manual_seed(0)
    model = nn.Linear(16, 48)
    q, k, v = model(inputs).chunk(3, dim=-1)
    scores = torch.where(padding[:, None], -torch.inf, q @ k.transpose(1, 2) / 4)
    loss = (scores.softmax(dim=-1) @ v).square().mean()
    loss.backward()
    return model, loss


train()
# %% fixed
def train():
    torch.manual_seed(0)
    model = nn.Linear(16, 48)
    q, k, v = model(inputs).chunk(3, dim=-1)
    scores = torch.where(padding[:, None], torch.finfo(q.dtype).min, q @ k.transpose(1, 2) / 4)
    loss = (scores.softmax(dim=-1) @ v).square().mean()
    loss.backward()
    return model, loss


train()

# %% nn.MultiheadAttention with a key_padding_mask
def train():
    torch.manual_seed(0)
    model = nn.MultiheadAttention(16, 4, batch_first=True)
    loss = model(inputs, inputs, inputs, key_padding_mask=padding)[0].square().mean()
    loss.backward()
    return model, loss


train()

# %% a mask that is added to the scores
def train():
    torch.manual_seed(0)
    model, bias = nn.Linear(16, 1), torch.zeros(8, 6).masked_fill(padding, -torch.inf)
    loss = (F.softmax(model(inputs)[..., 0] + bias, dim=-1)[..., None] * inputs).sum(1).square().mean()
    loss.backward()
    return model, loss


train()

# %% right: each sequence has a token
def train():
    model, some = nn.Linear(16, 1), padding.clone()
    some[:, 0] = False
    scores = model(inputs)[..., 0].masked_fill(some, -torch.inf)
    loss = (scores.softmax(dim=1)[..., None] * inputs).sum(1).square().mean()
    loss.backward()
    return model, loss


train()

# %% right: scaled_dot_product_attention returns 0 for such a row
def train():
    model = nn.Linear(16, 48)
    q, k, v = model(inputs).chunk(3, dim=-1)
    loss = F.scaled_dot_product_attention(q, k, v, attn_mask=~padding[:, None]).square().mean()
    loss.backward()
    return model, loss


train()

# %% right: NaN in the data, and a mask that hides a part of each row
def train():
    model, some, holes = nn.Linear(16, 1), padding.clone(), inputs.clone()
    some[:, 0], holes[2, 0, 3] = False, torch.nan
    scores = model(holes)[..., 0].masked_fill(some, -torch.inf)
    loss = (scores.softmax(dim=1)[..., None] * holes).sum(1).square().mean()
    loss.backward()
    return model, loss


train()

# %% right: empty sequences are left out before the attention
def train():
    model, kept = nn.MultiheadAttention(16, 4, batch_first=True), lengths > 0
    given = inputs[kept]
    loss = model(given, given, given, key_padding_mask=padding[kept])[0].square().mean()
    loss.backward()
    return model, loss


train()

# %% watched: graph attention over neighbors, of which a node has none
class GraphAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.map, self.score = nn.Linear(16, 8), nn.Linear(16, 1)

    def forward(self, nodes, adjacency):
        h = self.map(nodes)
        n = len(h)
        pairs = torch.cat([h[:, None].expand(n, n, 8), h[None].expand(n, n, 8)], dim=-1)
        scores = F.leaky_relu(self.score(pairs).squeeze(-1), 0.2).masked_fill(adjacency == 0, float("-inf"))
        return F.dropout(F.softmax(scores, dim=1), 0.1) @ h


layer = GraphAttention()
optimizer = torch.optim.Adam(layer.parameters())
adjacency = (torch.rand(10, 10) > 0.5).float()
adjacency[4] = 0
for step in range(3):
    optimizer.zero_grad()
    layer(torch.randn(10, 16), adjacency).square().mean().backward()
    optimizer.step()

# %% watched: a decoder layer, where a whole memory is padding
decoder, head = nn.TransformerDecoderLayer(16, 2, 32, batch_first=True), nn.Linear(16, 5)
attend = nn.MultiheadAttention(16, 2, batch_first=True)
optimizer = torch.optim.SGD([*decoder.parameters(), *attend.parameters(), *head.parameters()], lr=0.1)
for step in range(3):
    memory = inputs + torch.randn(8, 6, 16)
    mixed, _ = attend(memory, memory, memory, key_padding_mask=padding if step == 1 else None)
    loss = F.cross_entropy(head(decoder(inputs, mixed)).flatten(0, 1), torch.randint(5, (48,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% watched: log_softmax over actions of which none is allowed
policy, allowed = nn.Linear(16, 4), torch.rand(8, 4) > 0.3
allowed[3] = False
log_probabilities = policy(inputs[:, 0]).masked_fill(~allowed, -torch.inf).log_softmax(dim=1)
F.nll_loss(log_probabilities, allowed.int().argmax(dim=1)).backward()
