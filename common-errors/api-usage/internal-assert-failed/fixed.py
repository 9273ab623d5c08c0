import torch

# What stands in PYTORCH_ALLOC_CONF. Each option has a value, after a colon.
settings = "expandable_segments:True"
torch._C._accelerator_setAllocatorSettings(settings)
print("settings:", settings)
