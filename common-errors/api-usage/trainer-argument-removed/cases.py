# %% the number of processes
import lightning as L

kind, arguments = L.Trainer, {"num_processes": 2, "accelerator": "cpu"}
trainer = kind(**arguments)

# %% fixed
import lightning as L

kind, arguments = L.Trainer, {"devices": 2, "accelerator": "cpu"}
trainer = kind(accelerator="cpu", devices=1)

# %% the GPUs of a machine
import lightning as L

kind, arguments = L.Trainer, {"gpus": -1}
trainer = kind(**arguments)

# %% fixed
import lightning as L

kind, arguments = L.Trainer, {"accelerator": "auto", "devices": "auto"}
trainer = kind(accelerator="auto", devices="auto")

# %% a search for the learning rate
import lightning as L

kind, arguments = L.Trainer, {"auto_lr_find": True}
trainer = kind(**arguments)

# %% a checkpoint to go on from
import lightning as L

kind, arguments = L.Trainer, {"resume_from_checkpoint": "last.ckpt"}
trainer = kind(**arguments)

# %% how often the progress bar is drawn
import lightning as L

kind, arguments = L.Trainer, {"progress_bar_refresh_rate": 20}
trainer = kind(**arguments)

# %% when to evaluate, in Transformers
from transformers import TrainingArguments

kind, arguments = TrainingArguments, {"output_dir": "out", "evaluation_strategy": "epoch"}
settings = kind(**arguments)

# %% the tokenizer of a Transformers trainer
from transformers import Trainer

kind, arguments = Trainer, {"model": None, "tokenizer": None}
trainer = kind(**arguments)

# %% an argument without a successor
from transformers import TrainingArguments

kind, arguments = TrainingArguments, {"output_dir": "out", "overwrite_output_dir": True}
settings = kind(**arguments)

# %% message: a name that no version has
import lightning as L

L.Trainer(max_epoch=3)

# %% right: names of Lightning 2
import lightning as L

kind, arguments = L.Trainer, {"devices": 1, "accelerator": "cpu", "max_epochs": 3}
trainer = kind(**arguments)

# %% message: how ranks train together, in Lightning 1
import lightning as L

L.Trainer(distributed_backend="ddp")

# %% message: the sampler of several ranks
import lightning as L

L.Trainer(replace_sampler_ddp=False)

# %% message: no checkpoints
import lightning as L

L.Trainer(checkpoint_callback=False)

# %% message: an end of the run at the first NaN
import lightning as L

L.Trainer(terminate_on_nan=True)

# %% message: gradient norms in the log
import lightning as L

L.Trainer(track_grad_norm=2)

# %% message: the batch size of each GPU
from transformers import TrainingArguments

TrainingArguments("out", per_gpu_train_batch_size=8)

# %% message: a mistyped name
from transformers import TrainingArguments

TrainingArguments("out", learning_rates=1e-4)
