import os
import tempfile
from collections import Counter

import torch
from torchvision.datasets.folder import find_classes

texts = ["the cat sat on the mat", "the dog chased the cat", "a bird saw the dog"]


def folder_of(*names):
    folder = tempfile.TemporaryDirectory()
    for name in names:
        os.makedirs(os.path.join(folder.name, name))
    return folder


# %% the classes of a folder that lacks one
training, test = folder_of("bird", "cat", "dog", "frog"), folder_of("cat", "dog", "frog")
ids, ids_now = find_classes(training.name)[1], find_classes(test.name)[1]
# %% fixed
training, test = folder_of("bird", "cat", "dog", "frog"), folder_of("cat", "dog", "frog")
ids = find_classes(training.name)[1]
checkpoint = {"ids": ids}
ids_now = checkpoint["ids"]

# %% the most frequent words of other texts
def most_common(texts):
    return {word: number for number, (word, _) in enumerate(Counter(" ".join(texts).split()).most_common())}


ids, ids_now = most_common(texts), most_common(["a dog saw a cat", "a bird sat on a mat"])

# %% labels in the order of their first sample
ids = {label: number for number, label in enumerate(dict.fromkeys(["spam", "ham", "spam", "news"]))}
ids_now = {label: number for number, label in enumerate(dict.fromkeys(["ham", "news", "spam"]))}

# %% right: sorted words of the same texts
ids = {word: number for number, word in enumerate(sorted({word for text in texts for word in text.split()}))}
ids_now = {word: number for number, word in enumerate(sorted({word for text in texts[::-1] for word in text.split()}))}

# %% right: words are added at the end
ids = {"<unk>": 0, "cat": 1, "dog": 2}
ids_now = ids | {"bird": 3}

# %% undecided: texts in another language
ids, ids_now = {"cat": 0, "dog": 1}, {"gatto": 0, "cane": 1}
