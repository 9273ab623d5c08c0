import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, 64), nn.ReLU())
photos = torch.rand(5, 1, 28, 28)  # one after the other, as a dataset returns them

embeddings = []
with torch.inference_mode():
    for photo in photos:
        embedding = encoder(photo.unsqueeze(0)).squeeze(0)
        embeddings.append(embedding)
# stack joins tensors along a new first dimension; torch.tensor expects numbers.
embeddings = torch.stack(embeddings)

query = embeddings[0]
similarity = torch.cosine_similarity(query, embeddings, dim=1)
print(f"embeddings: {tuple(embeddings.shape)} similarity: {tuple(similarity.shape)}")
