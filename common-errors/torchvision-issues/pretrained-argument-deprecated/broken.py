from torchvision import models

# With True instead of False the same warnings appear, after a download.
build, options = models.resnet18, {"pretrained": False, "num_classes": 10}
model = build(**options)  # error
print("classes:", model.fc.out_features)
