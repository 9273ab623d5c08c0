import torch

# %% a limit without its value
settings = "max_split_size_mb"
torch._C._accelerator_setAllocatorSettings(settings)
# %% fixed
settings = "max_split_size_mb:128"
torch._C._accelerator_setAllocatorSettings(settings)

# %% a colon and no value
settings = "max_split_size_mb:"
torch._C._accelerator_setAllocatorSettings(settings)

# %% the second of two options
settings = "expandable_segments:True,garbage_collection_threshold"
torch._C._accelerator_setAllocatorSettings(settings)

# %% a list that is not closed
settings = "roundup_power2_divisions:[256:1"
torch._C._accelerator_setAllocatorSettings(settings)

# %% an option of pinned memory
settings = "pinned_num_register_threads"
torch._C._accelerator_setAllocatorSettings(settings)

# %% message: a switch in lower case
torch._C._accelerator_setAllocatorSettings("expandable_segments:true")

# %% message: an option that is misspelled
torch._C._accelerator_setAllocatorSettings("expandable_segment:True")

# %% message: an operator called with a number that has no meaning
index, offsets = torch.tensor([0]), torch.tensor([0])
torch.ops.aten._embedding_bag_dense_backward(torch.rand(1, 2), index, offsets, offsets, index, 3, False, 9, None, -1)

# %% right: several options
settings = "expandable_segments:False,max_split_size_mb:256"
torch._C._accelerator_setAllocatorSettings(settings)
