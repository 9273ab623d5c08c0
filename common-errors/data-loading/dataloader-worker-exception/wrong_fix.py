import json

from torch.utils.data import DataLoader, Dataset


class Reviews(Dataset):
    """Reviews and their stars, one JSON object a line."""

    def __init__(self, lines):
        self.lines = lines

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, index):
        review = json.loads(self.lines[index])  # error
        return review["text"], review["stars"]


lines = [
    '{"text": "arrived in two days", "stars": 5}',
    '{"text": "smaller than it looks", "stars": 3}',
    '{"text": "broke after a week", "sta',
    '{"text": "as described", "stars": 4}',
]
for texts, stars in DataLoader(Reviews(lines), batch_size=4, num_workers=0):
    print(f"{len(texts)} reviews, stars: {stars.tolist()}")
