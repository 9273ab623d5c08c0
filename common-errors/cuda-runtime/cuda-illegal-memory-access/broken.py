import torch

# The mean of some rows of a table. Nothing compares an id with the number of rows.
SOURCE = """
extern "C" __global__ void mean_of_rows(const float* table, const long long* ids, float* mean, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += table[ids[i] * 64 + threadIdx.x];
    mean[threadIdx.x] = sum / n;
}
"""
mean_of_rows = torch.cuda._compile_kernel(SOURCE, "mean_of_rows")
torch.manual_seed(0)
vectors, mean = torch.randn(1000, 64, device="cuda"), torch.empty(64, device="cuda")
# The shop's article numbers instead of positions in the table of 1000 articles
articles = torch.tensor([17_000_000_042, 17_000_000_007, 17_000_000_950])

mean_of_rows(grid=(1, 1, 1), block=(64, 1, 1), args=(vectors, articles.to("cuda"), mean, 3))
print(f"mean: {mean.mean().item():.3f}")  # error
