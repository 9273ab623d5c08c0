import torch

torch.manual_seed(0)
activations = torch.rand(1000) * 3 - 2  # from -2 to 1
low, high = activations.min(), activations.max()
scale = ((high - low) / 255).item()
quant_min, quant_max = -128, 127
# The integer that stands for 0.0: counted from the lower end of the range.
zero_point = quant_min + round(-low.item() / scale)
print("zero point:", round(zero_point, -1))
quantized = torch.fake_quantize_per_tensor_affine(activations, scale, zero_point, quant_min, quant_max)
print("largest error below the scale:", bool((quantized - activations).abs().max() < scale))
