import torch


def rotation(angle):
    matrix = angle.new_zeros(2, 2)  # from `angle`, so it has room for each sample
    matrix[0, 0] = angle.cos()
    matrix[0, 1] = -angle.sin()
    matrix[1, 0] = angle.sin()
    matrix[1, 1] = angle.cos()
    return matrix


angles = torch.linspace(0, torch.pi, 32)  # one for each sample
function, samples = rotation, angles
print(f"one: {tuple(function(samples[0]).shape)}")
result = torch.vmap(function)(samples)
print(f"all: {tuple(result.shape)}")
