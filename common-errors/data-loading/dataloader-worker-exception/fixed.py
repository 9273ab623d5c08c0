import json

from torch.utils.data import DataLoader, Dataset

# An export with one JSON object per line, as read from a file.
export = """\
{"text": "arrived in two days", "stars": 5}
{"text": "smaller than it looks", "stars": 3}
{"text": "as described", "stars": 4}
"""


class Reviews(Dataset):
    def __init__(self, text):
        self.lines = text.splitlines()  # split("\n") adds an empty line after the last newline

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, index):
        review = json.loads(self.lines[index])
        return review["text"], review["stars"]


if __name__ == "__main__":
    loader = DataLoader(Reviews(export), batch_size=4, num_workers=1)
    for texts, stars in loader:
        print(f"{len(texts)} reviews, stars: {stars.tolist()}")
