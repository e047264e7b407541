#!/usr/bin/env python3
"""Seconds per epoch of the demo's digit network in PyTorch: the same layers, batch size, optimiser and number of images.

usage: digits_cnn.py [--threads N] [--epochs N]      prints one JSON line, the fastest epoch
"""
import argparse
import json
import time

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--threads", type=int, default=torch.get_num_threads())
parser.add_argument("--epochs", type=int, default=3)
arguments = parser.parse_args()
torch.set_num_threads(arguments.threads)
torch.manual_seed(0)

IMAGES, BATCH = 8000, 64
images, labels = torch.rand(IMAGES, 1, 28, 28), torch.randint(0, 10, (IMAGES,))
model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3, stride=2),
    nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3, stride=2),
    nn.Flatten(), nn.Linear(32 * 6 * 6, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

times = []
for epoch in range(arguments.epochs):
    start = time.perf_counter()
    order = torch.randperm(IMAGES)
    for first in range(0, IMAGES, BATCH):
        chosen = order[first:first + BATCH]
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
        loss.backward()
        optimizer.step()
    times.append(time.perf_counter() - start)
print(json.dumps({"name": "digits_cnn", "unit": "s per epoch", "value": min(times), "threads": arguments.threads,
                  "version": "PyTorch " + torch.__version__}))
