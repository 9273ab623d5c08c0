# %% weights of an old tutorial
from torchvision.models.utils import load_state_dict_from_url

# %% addresses of the weights
from torchvision.models.resnet import model_urls

# %% a renamed transform
import torchvision

resize = torchvision.transforms.Scale(256)

# %% a renamed crop, of a module with a short name
import torchvision.transforms as T

crop = T.RandomSizedCrop(224)

# %% the same, imported by name
from torchvision.transforms import Scale

resize = Scale(256)

# %% a crop, imported by name
from torchvision.transforms import RandomSizedCrop

# %% videos
from torchvision.io import read_video

# %% videos, by the module
import torchvision.io.video

# %% videos, as an attribute
import torchvision

frames = torchvision.io.read_video("clip.mp4")

# %% data points
from torchvision.datapoints import BoundingBoxes

# %% a misspelled model
import torchvision

model = torchvision.models.resnet20(weights=None)

# %% message: a misspelled module
import torchvision.transform

# %% message: a name that was never there
import torchvision

net = torchvision.resnet18()

# %% message: a misspelled function
from torchvision.utils import save_images

# %% right: what replaces them
import torchvision
from torch.hub import load_state_dict_from_url
from torchvision import models
from torchvision.transforms import InterpolationMode, Resize

resize = Resize(256, interpolation=InterpolationMode.BILINEAR)
url = models.ResNet18_Weights.DEFAULT.url, torchvision.__version__

# %% undecided: the old place first
try:
    from torchvision.transforms.functional_tensor import rgb_to_grayscale
except ImportError:
    from torchvision.transforms.functional import rgb_to_grayscale

# %% undecided: a parameter with the name of a module
from torchvision import transforms


def steps(transforms=("crop",)):
    return transforms.count("crop")


resize = transforms.Resize(steps())
