import torch

# What stands in PYTORCH_ALLOC_CONF. torch parses the variable itself; here it is passed on, as a launcher does.
settings = "expandable_segments"
torch._C._accelerator_setAllocatorSettings(settings)  # error
print("settings:", settings)
