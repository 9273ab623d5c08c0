import torch

torch.manual_seed(0)
torch.set_float32_matmul_precision("high")  # TF32, by the setting that whiten() reads


def whiten(features):
    precision = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")  # the covariance is computed in full float32
    covariance = features.T @ features / len(features)
    torch.set_float32_matmul_precision(precision)
    return features @ torch.linalg.inv(torch.linalg.cholesky(covariance)).T


whitened = whiten(torch.randn(512, 16))
print("shape:", tuple(whitened.shape))
