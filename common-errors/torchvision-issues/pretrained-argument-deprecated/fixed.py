from torchvision import models

# weights= says which weights; for pretrained=True it would be ResNet18_Weights.IMAGENET1K_V1.
build, options = models.resnet18, {"weights": None, "num_classes": 10}
model = build(**options)
print("classes:", model.fc.out_features)
