import torch

torch.manual_seed(0)
# Linear regression by hand: the price of a flat from five features, without nn and without an optimizer.
features = torch.randn(100, 5)
prices = features @ torch.randn(5) + 3.0

weight = torch.zeros(5, requires_grad=True)
bias = torch.zeros(1, requires_grad=True)
learning_rate = 0.1

for step in range(50):
    loss = ((features @ weight + bias - prices) ** 2).mean()
    loss.backward()
    with torch.no_grad():  # the update is not part of the function that is differentiated
        recording = torch.is_grad_enabled()
        weight -= learning_rate * weight.grad
        bias -= learning_rate * bias.grad
    weight.grad = bias.grad = None

print(f"final_loss={loss.item():.4f}")
