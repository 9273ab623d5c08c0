import torch
from torch import nn, optim
from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    LambdaLR,
    LinearLR,
    MultiStepLR,
    OneCycleLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
)

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))

# %% momentum for Adam
kind, settings = optim.Adam, {"lr": 1e-3, "momentum": 0.9}
optimizer = optim.Adam(model.parameters(), lr=1e-3, momentum=0.9)
# %% fixed
kind, settings = optim.Adam, {"lr": 1e-3, "betas": (0.9, 0.999)}
optimizer = optim.Adam(model.parameters(), **settings)

# %% momentum for Adagrad, which has neither it nor betas
kind, settings = optim.Adagrad, {"lr": 0.01, "momentum": 0.9}
optimizer = optim.Adagrad(model.parameters(), **settings)

# %% decay, as older versions of Keras had it
kind, settings = optim.SGD, {"lr": 0.01, "decay": 1e-6, "momentum": 0.9}
optimizer = optim.SGD(model.parameters(), **settings)

# %% beta_1, as Keras calls it
kind, settings = optim.Adam, {"lr": 2e-4, "beta_1": 0.9}
optimizer = optim.Adam(model.parameters(), lr=2e-4, beta_1=0.9)
# %% fixed
kind, settings = optim.Adam, {"lr": 2e-4, "betas": (0.9, 0.999)}
optimizer = optim.Adam(model.parameters(), lr=2e-4, betas=(0.9, 0.999))

# %% epsilon for RMSprop
kind, settings = optim.RMSprop, {"lr": 1e-3, "epsilon": 1e-6}
optimizer = optim.RMSprop(model.parameters(), **settings)

# %% wd
kind, settings = optim.AdamW, {"lr": 3e-4, "wd": 0.01}
optimizer = optim.AdamW(model.parameters(), **settings)

# %% clipnorm, as Keras calls it
kind, settings = optim.Adam, {"lr": 1e-3, "clipnorm": 1.0}
optimizer = optim.Adam(model.parameters(), **settings)
# %% fixed
kind, settings = optim.Adam, {"lr": 1e-3}
optimizer = optim.Adam(model.parameters(), **settings)
model(torch.randn(4, 8)).square().mean().backward()
nn.utils.clip_grad_norm_(model.parameters(), 1.0)
optimizer.step()

# %% the AdamW of Transformers had correct_bias
kind, settings = optim.AdamW, {"lr": 2e-5, "correct_bias": False}
optimizer = optim.AdamW(model.parameters(), **settings)

# %% the parameters by a name of another framework
kind, settings = optim.SGD, {"lr": 0.1, "parameters": None}
optimizer = optim.SGD(lr=0.1, parameters=model.parameters())
# %% fixed
kind, settings = optim.SGD, {"lr": 1e-3}
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

# %% fused for LBFGS
kind, settings = optim.LBFGS, {"fused": True}
optimizer = optim.LBFGS(model.parameters(), **settings)

# %% an argument of the scheduler
kind, settings = optim.SGD, {"lr": 0.1, "gamma": 0.5}
optimizer = optim.SGD(model.parameters(), **settings)

# %% a misspelled name
kind, settings = optim.SGD, {"lr": 0.1, "momentun": 0.9}
optimizer = optim.SGD(model.parameters(), **settings)

# %% message: no parameters
optimizer = torch.optim.Adam(lr=1e-3)
# %% fixed
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

# %% CosineAnnealingLR without T_max
epochs = 20
kind, settings = CosineAnnealingLR, {"eta_min": 1e-5}
scheduler = CosineAnnealingLR(optim.SGD(model.parameters(), lr=0.1), eta_min=1e-5)
# %% fixed
epochs = 20
kind, settings = CosineAnnealingLR, {"T_max": epochs, "eta_min": 1e-5}
scheduler = CosineAnnealingLR(optim.SGD(model.parameters(), lr=0.1), T_max=epochs, eta_min=1e-5)

# %% StepLR without step_size
kind, settings = StepLR, {"gamma": 0.5}
scheduler = StepLR(optim.SGD(model.parameters(), lr=0.1), gamma=0.5)
# %% fixed
kind, settings = StepLR, {"step_size": 30}
optimizer = optim.SGD(model.parameters(), lr=0.1)
scheduler = StepLR(optimizer, step_size=30)

# %% MultiStepLR without milestones
kind, settings = MultiStepLR, {}
scheduler = MultiStepLR(optim.SGD(model.parameters(), lr=0.1))
# %% fixed
kind, settings = MultiStepLR, {"milestones": [30, 80]}
optimizer = optim.SGD(model.parameters(), lr=0.1)
scheduler = MultiStepLR(optimizer, milestones=[30, 80])

# %% LambdaLR without its function
kind, settings = LambdaLR, {}
scheduler = LambdaLR(optim.SGD(model.parameters(), lr=0.1))
# %% fixed
kind, settings = LambdaLR, {"lr_lambda": lambda epoch: 0.95**epoch}
scheduler = LambdaLR(optim.SGD(model.parameters(), lr=0.1), lr_lambda=lambda epoch: 0.95**epoch)

# %% warm restarts without T_0
kind, settings = CosineAnnealingWarmRestarts, {"T_mult": 2}
scheduler = CosineAnnealingWarmRestarts(optim.SGD(model.parameters(), lr=0.1), T_mult=2)

# %% message: a scheduler without its optimizer
scheduler = StepLR(step_size=10)

# %% milestones for StepLR
kind, settings = StepLR, {"step_size": 30, "milestones": [30, 80]}
scheduler = StepLR(optim.SGD(model.parameters(), lr=0.1), milestones=[30, 80])
# %% fixed
kind, settings = MultiStepLR, {"milestones": [30, 80]}
optimizer = optim.SGD(model.parameters(), lr=0.1)
scheduler = MultiStepLR(optimizer, milestones=[30, 80])

# %% the learning rate for the scheduler
kind, settings = CosineAnnealingLR, {"T_max": 10, "lr": 0.1}
scheduler = CosineAnnealingLR(optim.SGD(model.parameters()), T_max=10, lr=0.1)

# %% warm-up in a cosine schedule
kind, settings = CosineAnnealingLR, {"T_max": 45, "warmup_epochs": 5}
scheduler = CosineAnnealingLR(optim.SGD(model.parameters(), lr=0.1), **settings)
# %% fixed
kind, settings = CosineAnnealingLR, {"T_max": 45}
optimizer = optim.SGD(model.parameters(), lr=0.1)
warmup, decay = LinearLR(optimizer, total_iters=5), CosineAnnealingLR(optimizer, **settings)
scheduler = SequentialLR(optimizer, [warmup, decay], milestones=[5])

# %% epochs of patience under another name
kind, settings = ReduceLROnPlateau, {"epochs": 3}
scheduler = ReduceLROnPlateau(optim.SGD(model.parameters(), lr=0.1), **settings)

# %% a negative learning rate, to maximize
kind, settings = optim.SGD, {"lr": -0.001}
optimizer = optim.SGD(model.parameters(), **settings)
# %% fixed
kind, settings = optim.SGD, {"lr": 0.001}
optimizer = optim.SGD(model.parameters(), lr=0.001, maximize=True)

# %% a learning rate that is not a number
kind, settings = optim.Adam, {"lr": float("nan")}
optimizer = optim.Adam(model.parameters(), **settings)

# %% a negative weight decay
kind, settings = optim.AdamW, {"lr": 1e-3, "weight_decay": -0.01}
optimizer = optim.AdamW(model.parameters(), **settings)

# %% a beta above 1
kind, settings = optim.Adam, {"lr": 1e-3, "betas": (0.9, 9.99)}
optimizer = optim.Adam(model.parameters(), **settings)

# %% a beta of 1
kind, settings = optim.Adam, {"lr": 1e-3, "betas": (1.0, 0.999)}
optimizer = optim.Adam(model.parameters(), **settings)

# %% Nesterov without momentum
kind, settings = optim.SGD, {"lr": 0.1, "nesterov": True}
optimizer = optim.SGD(model.parameters(), **settings)
# %% fixed
kind, settings = optim.SGD, dict(lr=0.1, momentum=0.9, nesterov=True)
optimizer = optim.SGD(model.parameters(), **settings)

# %% rho above 1
kind, settings = optim.Adadelta, {"rho": 9.0}
optimizer = optim.Adadelta(model.parameters(), **settings)

# %% message: a negative momentum for Muon
optimizer = optim.Muon([nn.Parameter(torch.zeros(4, 4))], momentum=-0.9)

# %% a divisor as factor
kind, settings = ReduceLROnPlateau, {"factor": 10}
scheduler = ReduceLROnPlateau(optim.SGD(model.parameters(), lr=0.1), **settings)

# %% two functions for one group
kind, settings = LambdaLR, {"lr_lambda": [lambda epoch: 1.0, lambda epoch: 0.5]}
scheduler = LambdaLR(optim.SGD(model.parameters(), lr=0.1), **settings)

# %% message: the milestones begin with 0
optimizer = optim.SGD(model.parameters(), lr=0.1)
warmup, decay = LinearLR(optimizer), CosineAnnealingLR(optimizer, T_max=20)
scheduler = SequentialLR(optimizer, [warmup, decay], milestones=[0, 5])

# %% right: all arguments by name
kind = optim.AdamW
settings = {"lr": 3e-4, "betas": (0.9, 0.95), "eps": 1e-8, "weight_decay": 0.1, "fused": False}
optimizer = optim.AdamW(model.parameters(), **settings)

# %% right: two functions for two groups
kind, settings, groups = LambdaLR, {"lr_lambda": [lambda epoch: 1.0, lambda epoch: 0.5]}, 2
scheduler = LambdaLR(optim.SGD([{"params": layer.parameters()} for layer in (model[0], model[2])], lr=0.1), **settings)

# %% right: a schedule of one cycle
kind, settings = OneCycleLR, {"max_lr": 0.1, "total_steps": 100}
scheduler = OneCycleLR(optim.SGD(model.parameters(), lr=0.01), **settings)


# %% right: a class of one's own that is called Adam
class Adam:
    def __init__(self, weights, learning_rate=0.01):
        self.weights, self.learning_rate = weights, learning_rate


kind, settings = Adam, {"learning_rate": 0.1}
optimizer = Adam([torch.zeros(3)], **settings)
