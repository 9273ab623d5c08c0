import torch
from torch import nn
from torchvision import models
from torchvision.models import detection, segmentation

# %% a detector with three classes
chosen, passed = detection.FasterRCNN_ResNet50_FPN_Weights.DEFAULT, {"num_classes": 3}
model = detection.fasterrcnn_resnet50_fpn(weights=chosen, **passed)
# %% fixed
chosen, passed = detection.FasterRCNN_ResNet50_FPN_Weights.DEFAULT, {}
model = detection.fasterrcnn_mobilenet_v3_large_320_fpn(weights=None, weights_backbone=None)
in_features, FastRCNNPredictor = model.roi_heads.box_predictor.cls_score.in_features, detection.faster_rcnn.FastRCNNPredictor
model.roi_heads.box_predictor = FastRCNNPredictor(in_features, 3)

# %% segmentation of roads
chosen, passed = segmentation.DeepLabV3_ResNet50_Weights.DEFAULT, {"num_classes": 2}
model = segmentation.deeplabv3_resnet50(weights=chosen, **passed)
# %% fixed
chosen, passed = segmentation.DeepLabV3_ResNet50_Weights.DEFAULT, {}
model = segmentation.deeplabv3_resnet50(weights=None, weights_backbone=None)
model.classifier[-1] = nn.Conv2d(model.classifier[-1].in_channels, 2, 1)

# %% two classes with a ResNet
chosen, passed = models.ResNet50_Weights.DEFAULT, {"num_classes": 2}
model = models.resnet50(weights=chosen, **passed)
# %% fixed
chosen, passed = models.ResNet50_Weights.DEFAULT, {}
model = models.resnet18(weights=None)
model.fc = nn.Linear(model.fc.in_features, 2)

# %% larger images for a ViT
chosen, passed = models.ViT_B_16_Weights.IMAGENET1K_V1, {"image_size": 384}
model = models.vit_b_16(weights=chosen, **passed)

# %% Inception without its auxiliary output
chosen, passed = models.Inception_V3_Weights.DEFAULT, {"aux_logits": False}
model = models.inception_v3(weights=chosen, **passed)
# %% fixed
chosen, passed = models.Inception_V3_Weights.DEFAULT, {}
model = models.inception_v3(weights=None, init_weights=False)
model.aux_logits = False
scores = model(torch.rand(2, 3, 299, 299))

# %% message: new weights, and pretrained ones
model = models.googlenet(weights=models.GoogLeNet_Weights.DEFAULT, init_weights=True)

# %% message: weights of another model
model = models.resnet18(weights=models.ResNet50_Weights.DEFAULT)

# %% right: no weights, another number of classes
chosen, passed = None, {"num_classes": 10}
model = models.resnet18(weights=chosen, **passed)
