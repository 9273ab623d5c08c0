from torchvision import models

# %% a flag for the backbone
build, options = models.segmentation.lraspp_mobilenet_v3_large, {"pretrained_backbone": False}
model = build(**options)
# %% fixed
build, options = models.segmentation.lraspp_mobilenet_v3_large, dict(weights_backbone=None)
model = build(**options)

# %% a network without pretrained weights
build, options = models.squeezenet1_1, {"pretrained": False}
model = build(**options)
# %% fixed
build, options = models.squeezenet1_1, dict(weights=None)
model = build(**options)

# %% a flag in the new argument
build, options = models.mobilenet_v3_small, {"weights": False, "num_classes": 3}
model = build(**options)
# %% fixed
build, options = models.mobilenet_v3_small, dict(weights=None, num_classes=3)
model = build(**options)

# %% a detection model with both flags
build = models.detection.ssdlite320_mobilenet_v3_large
options = {"pretrained": False, "pretrained_backbone": False}
model = build(**options)
# %% fixed
build = models.detection.ssdlite320_mobilenet_v3_large
options = dict(weights=None, weights_backbone=None)
model = build(**options)

# %% message: the flag by position
models.shufflenet_v2_x0_5(False)

# %% message: None by position
models.mobilenet_v3_small(None)

# %% right: no pretrained weights
build, options = models.squeezenet1_1, {"weights": None}
model = build(**options)

# %% right: the name of the weights, not loaded
build, options = models.get_model, {"name": "resnet18", "weights": None}
model = build(**options)
