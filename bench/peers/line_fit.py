#!/usr/bin/env python3
"""Microseconds per training step of samples/line_fit.cpp in PyTorch: one hidden layer of 100 fits y = 10 x, plain SGD.

usage: line_fit.py [--threads N] [--steps N]      prints one JSON line, the fastest of five rounds
"""
import argparse
import json
import time

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--threads", type=int, default=torch.get_num_threads())
parser.add_argument("--steps", type=int, default=1000)
arguments = parser.parse_args()
torch.set_num_threads(arguments.threads)
torch.manual_seed(3)

x = torch.rand(100, 1)
y = 10 * x
model = nn.Sequential(nn.Linear(1, 100), nn.ReLU(), nn.Linear(100, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)

times = []
for round in range(5):
    start = time.perf_counter()
    for step in range(arguments.steps):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y, reduction="sum")
        loss.backward()
        optimizer.step()
    times.append((time.perf_counter() - start) / arguments.steps)
print(json.dumps({"name": "line_fit", "unit": "us per step", "value": min(times) * 1e6, "threads": arguments.threads,
                  "version": "PyTorch " + torch.__version__}))
