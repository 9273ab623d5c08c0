import lightning as L
import torch
from torch import nn


class Regression(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 1)

    def training_step(self, batch, batch_index):
        features, targets = batch
        return nn.functional.mse_loss(self.layer(features), targets)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


torch.manual_seed(0)
model = Regression()
settings = {"max_epochs": 3, "gpus": 1, "logger": False, "enable_checkpointing": False}
trainer = L.Trainer(**settings)  # error
print(f"epochs={trainer.max_epochs} devices={trainer.num_devices}")
