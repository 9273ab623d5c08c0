import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


# %% distillation: batchmean divides by the first size, which is the number of classes for a batch of one
def metric(scores, teacher):
    scores, teacher = scores.squeeze(), teacher.squeeze()
    return F.kl_div(F.log_softmax(scores, dim=-1), F.softmax(teacher, dim=-1), reduction="batchmean")


pool = nn.Sequential(nn.Conv2d(3, 10, 3), nn.AdaptiveAvgPool2d(1))
pair = pool(torch.randn(16, 3, 8, 8)), torch.randn(16, 10, 1, 1)
# %% fixed
def metric(scores, teacher):
    scores, teacher = scores.squeeze(dim=(2, 3)), teacher.squeeze(dim=(2, 3))
    return F.kl_div(F.log_softmax(scores, dim=-1), F.softmax(teacher, dim=-1), reduction="batchmean")


pool = nn.Sequential(nn.Conv2d(3, 10, 3), nn.AdaptiveAvgPool2d(1))
pair = pool(torch.randn(16, 3, 8, 8)), torch.randn(16, 10, 1, 1)

# %% wrong words per sentence, divided by len(): of one sentence, that is the number of its words
class WordErrors:
    def __call__(self, logits, words):
        wrong = (logits.argmax(dim=-1) != words).squeeze()
        return wrong.sum() / len(wrong)


metric, pair = WordErrors(), (torch.randn(6, 12, 30), torch.randint(30, (6, 12)))

# %% right: predictions of one number, whose mean squared error is the same for a batch of one
def metric(predictions, targets):
    return (predictions.squeeze() - targets.squeeze()).square().mean()


pair = nn.Linear(4, 1)(torch.randn(16, 4)), torch.randn(16, 1)

# %% right: the labels of all pixels, counted together, without any dimension of samples
def metric(logits, labels):
    return (logits.argmax(dim=1).squeeze() == labels.squeeze()).float().mean()


pair = nn.Conv2d(1, 5, 3, padding=1)(torch.randn(4, 1, 8, 8)), torch.randint(5, (4, 1, 8, 8))

# %% right: a loss per word, of sentences of different lengths: no mean over sentences, but the same for one of them twice
def metric(logits, words):
    return F.cross_entropy(logits.flatten(0, 1), words.flatten(), ignore_index=0)


lengths = torch.arange(2, 10)
pair = torch.randn(8, 10, 30), torch.randint(1, 30, (8, 10)) * (torch.arange(10) < lengths[:, None])
