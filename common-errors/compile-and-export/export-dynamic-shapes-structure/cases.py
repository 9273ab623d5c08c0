import torch
from torch import nn
from torch.export import Dim, export

torch.manual_seed(0)
batch = Dim("batch")
features, mask = torch.rand(4, 6), torch.ones(6)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 8)

    def forward(self, features, mask=None):
        return self.layer(features if mask is None else features * mask)


class Batched(nn.Module):
    def forward(self, batch):
        return batch["ids"] * batch["mask"]


class Pyramid(nn.Module):
    def forward(self, features):
        return features[0] + features[1]


class Sum(nn.Module):
    def forward(self, *args):
        return args[0] + args[1]


class Scaled(nn.Module):
    def forward(self, x, times):
        return x * times


# %% an input left out
model, args, kwargs = Encoder(), (features, mask), {}
shapes = {"features": {0: batch}}
export(model, args, kwargs, dynamic_shapes=shapes)
# %% fixed
model, args, kwargs = Encoder(), (features, mask), {}
shapes = {"features": {0: batch}, "mask": None}
export(model, args, kwargs, dynamic_shapes=shapes)

# %% a parameter that gets no argument
model, args, kwargs = Encoder(), (features,), {}
shapes = {"features": {0: batch}, "mask": None}
export(model, args, kwargs, dynamic_shapes=shapes)
# %% fixed
model, args, kwargs = Encoder(), (features,), {}
shapes = {"features": {0: batch}}
export(model, args, kwargs, dynamic_shapes=shapes)

# %% the dimensions of the only input
model, args, kwargs = nn.Linear(16, 4), (torch.rand(8, 16),), {}
shapes = {0: batch}
export(model, args, kwargs, dynamic_shapes=shapes)
# %% fixed
model, args, kwargs = nn.Linear(16, 4), (torch.rand(8, 16),), {}
shapes = ({0: batch},)
export(model, args, kwargs, dynamic_shapes=shapes)

# %% a tuple of dimensions
model, args, kwargs = nn.Linear(16, 4), (torch.rand(8, 16),), {}
shapes = (batch, None)
export(model, args, kwargs, dynamic_shapes=shapes)
# %% fixed
model, args, kwargs = nn.Linear(16, 4), (torch.rand(8, 16),), {}
shapes = ((batch, None),)
export(model, args, kwargs, dynamic_shapes=shapes)

# %% a keyword argument left out
model, args, kwargs = Encoder(), (features,), {"mask": mask}
shapes = ({0: batch},)
export(model, args, kwargs, dynamic_shapes=shapes)
# %% fixed
model, args, kwargs = Encoder(), (features,), {"mask": mask}
shapes = ({0: batch}, None)
export(model, args, kwargs, dynamic_shapes=shapes)

# %% a dict as input
model, args, kwargs = Batched(), ({"ids": features, "mask": features > 0.5},), {}
shapes = {"batch": {0: batch}}
export(model, args, kwargs, dynamic_shapes=shapes)
# %% fixed
model, args, kwargs = Batched(), ({"ids": features, "mask": features > 0.5},), {}
shapes = {"batch": {"ids": {0: batch}, "mask": {0: batch}}}
export(model, args, kwargs, dynamic_shapes=shapes)

# %% the keys of the dict, one level too high
model, args, kwargs = Batched(), ({"ids": features, "mask": features > 0.5},), {}
shapes = {"ids": {0: batch}, "mask": {0: batch}}
export(model, args, kwargs, dynamic_shapes=shapes)
# %% fixed
model, args, kwargs = Batched(), ({"ids": features, "mask": features > 0.5},), {}
shapes = ({"ids": {0: batch}, "mask": {0: batch}},)
export(model, args, kwargs, dynamic_shapes=shapes)

# %% other keys in the dict
model, args, kwargs = Batched(), ({"ids": features, "mask": features > 0.5},), {}
shapes = {"batch": {"ids": {0: batch}, "attention_mask": {0: batch}}}
export(model, args, kwargs, dynamic_shapes=shapes)
# %% fixed
model, args, kwargs = Batched(), ({"ids": features, "mask": features > 0.5},), {}
shapes = {"batch": {"ids": {0: batch}, "mask": {0: batch}}}
export(model, args, kwargs, dynamic_shapes=shapes)

# %% a list as input
model, args, kwargs = Pyramid(), ([torch.rand(4, 8), torch.rand(4, 8)],), {}
shapes = {"features": {0: batch}}
export(model, args, kwargs, dynamic_shapes=shapes)
# %% fixed
model, args, kwargs = Pyramid(), ([torch.rand(4, 8), torch.rand(4, 8)],), {}
shapes = {"features": [{0: batch}, {0: batch}]}
export(model, args, kwargs, dynamic_shapes=shapes)

# %% names for positional arguments
model, args, kwargs = Sum(), (torch.rand(4, 8), torch.rand(4, 8)), {}
shapes = {"first": {0: batch}, "second": {0: batch}}
export(model, args, kwargs, dynamic_shapes=shapes)
# %% fixed
model, args, kwargs = Sum(), (torch.rand(4, 8), torch.rand(4, 8)), {}
shapes = {"args": ({0: batch}, {0: batch})}
export(model, args, kwargs, dynamic_shapes=shapes)

# %% other names than those of the keyword arguments
class Gated(nn.Module):
    def forward(self, x, **kwargs):
        return x * kwargs["gate"]


model, args, kwargs = Gated(), (features,), {"gate": features}
shapes = {"x": {0: batch}, "gates": {0: batch}}
export(model, args, kwargs, dynamic_shapes=shapes)
# %% fixed
class Gated(nn.Module):
    def forward(self, x, **kwargs):
        return x * kwargs["mask"]


model, args, kwargs = Gated(), (features,), {"mask": features}
shapes = {"x": {0: batch}}
shapes |= {"kwargs": {"mask": {0: batch}}}
export(model, args, kwargs, dynamic_shapes=shapes)

# %% one dimension of two
model, args, kwargs = nn.Linear(16, 4), (torch.rand(8, 16),), {}
shapes = ((batch,),)
export(model, args, kwargs, dynamic_shapes=shapes)
# %% fixed
model, args, kwargs = nn.Linear(16, 4), (torch.rand(8, 16),), {}
shapes = ((batch, None),)
export(model, args, kwargs, dynamic_shapes=shapes)

# %% a string
model, args, kwargs = nn.Linear(16, 4), (torch.rand(8, 16),), {}
shapes = ({0: "batch"},)
export(model, args, kwargs, dynamic_shapes=shapes)
# %% fixed
batch = torch.export.Dim("batch")
model, args, kwargs = nn.Linear(16, 4), (torch.rand(8, 16),), {}
shapes = ({0: batch},)
export(model, args, kwargs, dynamic_shapes=shapes)

# %% the example alone
model, args, kwargs = nn.Linear(16, 4), torch.rand(8, 16), {}
shapes = ({0: batch},)
export(model, args, kwargs, dynamic_shapes=shapes)
# %% fixed
example = torch.rand(8, 16)
model, args, kwargs = nn.Linear(16, 4), (example,), {}
shapes = ({0: batch},)
export(model, args, kwargs, dynamic_shapes=shapes)

# %% message: the name of a dimension instead of a spec
export(Encoder(), (features,), dynamic_shapes={"features": "batch"})
# %% fixed
export(Encoder(), (features,), dynamic_shapes={"features": {0: batch}})

# %% message: a function
export(torch.relu, (features,))
# %% fixed
class Relu(nn.Module):
    def forward(self, features):
        return torch.relu(features)


export(Relu(), (features,))

# %% message: two bounds of one dimension
shapes = {"x": {0: Dim("batch", max=8)}, "times": {0: Dim("batch", max=16)}}
export(Scaled(), (features, features), dynamic_shapes=shapes)
# %% fixed
batch = Dim("batch", max=16)
shapes = {"x": {0: batch}, "times": {0: batch}}
export(Scaled(), (features, features), dynamic_shapes=shapes)

# %% message: a name with a space
Dim("batch size")
# %% fixed
Dim("batch_size")

# %% message: an integer
export(Scaled(), (features, 3), dynamic_shapes={"x": {0: batch}, "times": batch})
# %% fixed
export(Scaled(), (features, 3), dynamic_shapes={"x": {0: batch}, "times": Dim.DYNAMIC})

# %% right: a tuple in the order of the parameters
model, args, kwargs = Encoder(), (features,), {"mask": mask}
shapes = ({0: batch}, None)
export(model, args, kwargs, dynamic_shapes=shapes)

# %% right: nothing is dynamic
model, args, kwargs = Encoder(), (features,), {}
shapes = {"features": None}
export(model, args, kwargs, dynamic_shapes=shapes)
