import pandas as pd
import torch
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
table = pd.DataFrame({"age": [31.0, 54.0, 27.0, 45.0, 60.0, 38.0], "income": [2.0, 4.5, 1.0, 3.5, 4.0, 2.5]})


class Columns(Dataset):
    def __init__(self, features, targets):
        self.features, self.targets = features, targets

    def __len__(self):
        return len(self.features)

    def __getitem__(self, index):
        return torch.tensor(self.features[index]), torch.tensor(self.targets[index])


class Captions(Dataset):
    def __init__(self, captions):
        self.captions = captions

    def __len__(self):
        return len(self.captions)

    def __getitem__(self, index):
        return torch.tensor(self.captions[index])



# %% a sample of the rows, as a split makes it
train = table.sample(frac=0.5, random_state=0)
dataset = Columns(train["age"], train["income"])
for features, targets in DataLoader(dataset, batch_size=2, shuffle=True):
    pass
# %% fixed
train = table.sample(frac=0.5, random_state=0)
train = train.reset_index(drop=True)
dataset = Columns(train["age"], train["income"])
for features, targets in DataLoader(dataset, batch_size=2, shuffle=True):
    pass


# %% loc after a slice
class Rows(Dataset):
    def __init__(self, table):
        self.table = table

    def __len__(self):
        return len(self.table)

    def __getitem__(self, index):
        row = self.table.loc[index]
        return torch.tensor(row.to_numpy())


dataset = Rows(table[3:])
for rows in DataLoader(dataset, batch_size=2):
    pass
# %% fixed
class Rows(Dataset):
    def __init__(self, table):
        self.table = table

    def __len__(self):
        return len(self.table)

    def __getitem__(self, index):
        row = self.table.iloc[index]
        return torch.tensor(row.to_numpy())


dataset = Rows(table[3:])
for rows in DataLoader(dataset, batch_size=2):
    pass


# %% a row of a DataFrame in brackets
class Frame(Dataset):
    def __init__(self, table):
        self.table = table

    def __len__(self):
        return len(self.table)

    def __getitem__(self, index):
        return torch.tensor(self.table[index])


dataset = Frame(table)
for rows in DataLoader(dataset, batch_size=2):
    pass
# %% fixed
class Frame(Dataset):
    def __init__(self, table):
        self.table = table

    def __len__(self):
        return len(self.table)

    def __getitem__(self, index):
        return torch.tensor(self.table.iloc[index].to_numpy())


dataset = Frame(table)
for rows in DataLoader(dataset, batch_size=2):
    pass


# %% a dictionary from which ids were removed
captions = {number: [number, number + 1] for number in range(8) if number != 3}
dataset = Captions(captions)
for batch in DataLoader(dataset, batch_size=2):
    pass
# %% fixed
captions = {number: [number, number + 1] for number in range(8) if number != 3}
dataset = Captions(list(captions.values()))
for batch in DataLoader(dataset, batch_size=2):
    pass

# %% columns in a dictionary, without a dataset
dataset = {"tokens": torch.arange(12).reshape(4, 3), "label": torch.arange(4)}
for batch in DataLoader(dataset, batch_size=2):
    pass
# %% fixed
columns = {"tokens": torch.arange(12).reshape(4, 3), "label": torch.arange(4)}
dataset = [dict(zip(columns, row)) for row in zip(*columns.values())]
for batch in DataLoader(dataset, batch_size=2):
    pass


# %% message: a class number that the table of names lacks
class Names(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        label = [0, 1, 7, 1][index]
        return {0: "cat", 1: "dog"}[label]


for batch in DataLoader(Names(), batch_size=2):
    pass

# %% message: in a worker
for batch in DataLoader(Columns(table["age"][::2], table["income"][::2]), batch_size=2, num_workers=1):
    pass
# %% fixed
train = table[::2].reset_index(drop=True)
for batch in DataLoader(Columns(train["age"], train["income"]), batch_size=2, num_workers=1):
    pass

# %% message: a DataFrame instead of a dataset
for batch in DataLoader(table, batch_size=2):
    pass
# %% fixed
for batch in DataLoader([table.iloc[index].to_numpy() for index in range(len(table))], batch_size=2):
    pass

# %% right: the labels are 0 to 5
dataset = Columns(table["age"], table["income"])
for batch in DataLoader(dataset, batch_size=2):
    pass

# %% right: NumPy arrays have no labels
part = table[table["age"] > 40]
dataset = Columns(part["age"].to_numpy(), part["income"].to_numpy())
for batch in DataLoader(dataset, batch_size=2):
    pass
