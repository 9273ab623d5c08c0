import lightning as L
import torch
from torch import nn


class Classifier(L.LightningModule):  # of the package whose Trainer it is given to
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)

    def training_step(self, batch, batch_index):
        features, labels = batch
        return nn.functional.cross_entropy(self.layer(features), labels)

    def train_dataloader(self):
        return torch.utils.data.DataLoader([(torch.randn(8), 0), (torch.randn(8), 1)], batch_size=2)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False, "enable_checkpointing": False}
trainer = L.Trainer(accelerator="cpu", max_epochs=1, limit_train_batches=0, **quiet)  # sets up a run without a step
model = Classifier()
trainer.fit(model)
print(f"epochs={trainer.current_epoch}")
