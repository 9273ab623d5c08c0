import torch

# The sum of each row, by one block a row: 256 partial sums in shared memory, which holds 32.
SOURCE = """
extern "C" __global__ void row_sums(const float* rows, float* sums, int width) {
    __shared__ float partial[32];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < width; i += blockDim.x) sum += rows[blockIdx.x * width + i];
    partial[threadIdx.x * width] = sum;  // should be partial[threadIdx.x], and as large as the block
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = 0.0f;
        for (int i = 0; i < blockDim.x; i++) sums[blockIdx.x] += partial[i * width];
    }
}
"""
row_sums = torch.cuda._compile_kernel(SOURCE, "row_sums")
rows, sums = torch.ones(64, 40_000, device="cuda"), torch.empty(64, device="cuda")
row_sums(grid=(64, 1, 1), block=(256, 1, 1), args=(rows, sums, 40_000))
print(f"first row: {sums[0].item():.0f}")  # error
