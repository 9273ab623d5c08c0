import torch

# Gamma correction of 2048 pixels, with a thread for each pixel.
SOURCE = """
extern "C" __global__ void gamma_correct(const float* pixels, float* corrected, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) corrected[i] = powf(pixels[i], 1.0f / 2.2f);
}
"""
gamma_correct = torch.cuda._compile_kernel(SOURCE, "gamma_correct")
pixels = torch.rand(2048, device="cuda")
corrected = torch.empty_like(pixels)
grid, block = (8, 1, 1), (256, 1, 1)  # a block may have 1024 threads at most
gamma_correct(grid=grid, block=block, args=(pixels, corrected, 2048))
print(f"largest: {corrected.max().item():.2f}")
