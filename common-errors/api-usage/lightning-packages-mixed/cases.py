import lightning as L
import pytorch_lightning as pl
import torch
from lightning.pytorch.demos import boring_classes as new
from pytorch_lightning.demos import boring_classes as old

quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False, "enable_checkpointing": False}
quiet |= {"accelerator": "cpu", "max_epochs": 1, "limit_train_batches": 0, "limit_val_batches": 0}

# %% the other way round
trainer, model = pl.Trainer(**quiet), new.BoringModel()
trainer.fit(model)
# %% fixed
trainer, model = pl.Trainer(**quiet), old.BoringModel()
trainer.fit(model)

# %% a data module of the other package
trainer, model = L.Trainer(**quiet), old.BoringDataModule()
trainer.fit(new.BoringModel(), datamodule=model)

# %% a validation only
trainer, model = L.Trainer(**quiet), old.BoringModel()
trainer.validate(model)

# %% a module of torch
trainer, model = L.Trainer(**quiet), torch.nn.Linear(8, 2)
trainer.fit(model)

# %% the class instead of an object
trainer, model = L.Trainer(**quiet), new.BoringModel
trainer.fit(model)

# %% message: a function without return
L.Trainer(**quiet).fit(print())

# %% message: a strategy of the other package
L.Trainer(strategy=pl.strategies.DDPStrategy(), **quiet)

# %% right: one package
trainer, model = L.Trainer(**quiet), new.BoringModel()
trainer.fit(model)
