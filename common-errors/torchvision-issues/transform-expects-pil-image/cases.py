import numpy as np
import torch
from PIL import Image
from torchvision import transforms
from torchvision.transforms import functional as TF
from torchvision.transforms import v2

# %% ToTensor twice
dataset = [(transforms.ToTensor()(Image.new("RGB", (64, 48))), 3)]
steps, image = [transforms.Resize(32), transforms.ToTensor()], dataset[0][0]
transforms.Compose(steps)(image)

# %% an image of OpenCV
steps, image = [transforms.Resize(32), transforms.ToTensor()], np.zeros((48, 64, 3), dtype=np.uint8)
transforms.Compose(steps)(image)
# %% fixed
steps, image = [v2.ToImage(), v2.Resize(32), v2.ToDtype(torch.float32, scale=True)], np.zeros((48, 64, 3), dtype=np.uint8)
transforms.Compose(steps)(image)

# %% a random flip of an array
steps, image = [transforms.RandomHorizontalFlip(p=1.0)], np.zeros((48, 64, 3), dtype=np.uint8)
transforms.Compose(steps)(image)
# %% fixed
steps, image = [v2.ToImage(), transforms.RandomHorizontalFlip(p=1.0)], np.zeros((48, 64, 3), dtype=np.uint8)
transforms.Compose(steps)(image)

# %% the whole sample
dataset = [(Image.new("RGB", (64, 48)), 3)]
steps, image = [transforms.ToTensor()], dataset[0]
transforms.Compose(steps)(image)

# %% the path instead of the image
steps, image = [transforms.ToTensor()], "cats/1.jpg"
transforms.Compose(steps)(image)

# %% a sample through Resize
steps, image = [transforms.Resize(32)], (Image.new("RGB", (64, 48)), 3)
transforms.Compose(steps)(image)

# %% a file that OpenCV could not read
steps, image = [transforms.Resize(32), transforms.ToTensor()], None
transforms.Compose(steps)(image)

# %% a path through a random crop of v2
steps, image = [v2.RandomCrop(32)], "cats/1.jpg"
v2.Compose(steps)(image)

# %% the function, called twice
steps, image = [TF.to_tensor], TF.to_tensor(Image.new("RGB", (64, 48)))
frame = TF.to_tensor(image)

# %% PILToTensor of a tensor
steps, image = [transforms.PILToTensor()], torch.zeros(3, 48, 64, dtype=torch.uint8)
transforms.Compose(steps)(image)
# %% fixed
steps, image = [v2.ToImage()], torch.zeros(3, 48, 64, dtype=torch.uint8)
transforms.Compose(steps)(image)

# %% message: a sample of a dictionary
transforms.ToTensor()({"image": Image.new("RGB", (64, 48))})

# %% message: a sample with a flip
transforms.ColorJitter(0.5)((Image.new("RGB", (64, 48)), 3))

# %% message: a path with a flip
transforms.RandomHorizontalFlip(p=1.0)("cats/1.jpg")

# %% message: a missing file with a flip
transforms.RandomHorizontalFlip(p=1.0)(None)

# %% message: a list
transforms.RandomHorizontalFlip(p=1.0)([Image.new("RGB", (64, 48))])

# %% message: a video as an array
transforms.ToTensor()(np.zeros((16, 48, 64, 3), dtype=np.uint8))

# %% message: a missing file
transforms.ToTensor()(None)

# %% message: a number
transforms.ToTensor()(255)

# %% message: a number through a flip
transforms.RandomHorizontalFlip(p=1.0)(255)

# %% message: a row of pixels
transforms.ToTensor()(np.zeros(784, dtype=np.float32))

# %% message: the path of an image, cropped
crop = transforms.CenterCrop(8)("cat.jpg")

# %% message: a file that is open, cropped
import io

crop = transforms.CenterCrop(8)(io.BytesIO())

# %% message: RandAugment after ToTensor
torch.manual_seed(11)  # draws Solarize
augment = transforms.Compose([transforms.ToTensor(), transforms.RandAugment(num_ops=1)])
augment(Image.new("RGB", (32, 32)))
# %% fixed
torch.manual_seed(11)  # draws Solarize
augment = transforms.Compose([transforms.RandAugment(num_ops=1), transforms.ToTensor()])
augment(Image.new("RGB", (32, 32)))

# %% message: a solarized float image
transforms.RandomSolarize(128, p=1.0)(torch.rand(3, 32, 32))
# %% fixed
transforms.RandomSolarize(0.5, p=1.0)(torch.rand(3, 32, 32))

# %% message: a float image, solarized by v2
v2.RandomSolarize(128, p=1.0)(torch.rand(3, 32, 32))

# %% message: an equalized float image
transforms.RandomEqualize(p=1.0)(torch.rand(3, 32, 32))
# %% fixed
transforms.Compose([transforms.RandomEqualize(p=1.0), transforms.ToTensor()])(Image.new("RGB", (32, 32)))

# %% message: boxes as a tensor, cropped
sample = {"image": Image.new("RGB", (64, 48)), "boxes": torch.tensor([[4.0, 4, 30, 30]]), "labels": torch.tensor([1])}
v2.RandomIoUCrop()(sample)
# %% fixed
from torchvision import tv_tensors

boxes, height, width = torch.tensor([[4.0, 4, 30, 30]]), 48, 64
boxes = tv_tensors.BoundingBoxes(boxes, format="XYXY", canvas_size=(height, width))
sample = {"image": Image.new("RGB", (64, 48)), "boxes": boxes, "labels": torch.tensor([1])}
v2.RandomIoUCrop()(sample)

# %% message: boxes as a tensor, to be cleaned
sample = {"image": torch.rand(3, 48, 64), "boxes": torch.zeros(2, 4), "labels": torch.tensor([1, 2])}
v2.SanitizeBoundingBoxes()(sample)
# %% fixed
from torchvision import tv_tensors

boxes, height, width = torch.tensor([[4.0, 4, 30, 30], [9, 9, 9, 9]]), 48, 64
boxes = tv_tensors.BoundingBoxes(boxes, format="XYXY", canvas_size=(height, width))
v2.SanitizeBoundingBoxes()({"image": torch.rand(3, 48, 64), "boxes": boxes, "labels": torch.tensor([1, 2])})

# %% right: an array through ToTensor, a tensor through Resize
steps, image = [transforms.ToTensor(), transforms.Resize(32)], np.zeros((48, 64, 3), dtype=np.uint8)
transforms.Compose(steps)(image)

# %% right: a class of one's own, for arrays
class Crop:
    def __call__(self, image):
        return image[:32, :32]


steps, image = [Crop(), transforms.Compose([transforms.ToTensor()])], np.zeros((48, 64, 3), dtype=np.uint8)
transforms.Compose(steps)(image)

# %% right: a sample with boxes through v2
steps, image = [v2.ToImage(), v2.Resize(32)], {"image": Image.new("RGB", (64, 48)), "boxes": torch.zeros(2, 4)}
v2.Compose(steps)(image)

# %% right: an array through v2
steps, image = [v2.ToImage(), v2.RandomCrop(32), v2.ToTensor()], np.zeros((48, 64, 3), dtype=np.uint8)
v2.Compose(steps)(image)
