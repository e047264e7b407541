#!/usr/bin/env python3
"""PyTorch's time of a step of the models beside this file: peer.py [--threads N] [--steps N] [MODEL...]

Each has the layers, sizes, batch, loss and optimiser of the C++ file of its name, with numbers drawn in the shapes of its
data. A step is what the program `train` times: forward, backward, Adam, and the loss as a number. Prints a line of JSON
for each model: its parameters and the median step's milliseconds.
"""
import argparse
import glob
import json
import os
import statistics
import time

parser = argparse.ArgumentParser()
parser.add_argument("models", nargs="*")
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--steps", type=int, default=40)
options = parser.parse_intermixed_args()

import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(options.threads)
PAGES = glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "*.md"))
CHARACTERS = len(set("".join(open(page, encoding="utf-8").read() for page in PAGES if not page.endswith("/models.md"))))


class Block(nn.Module):
    def __init__(self, n_in, n_out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(n_in, n_out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(n_out)
        self.conv2 = nn.Conv2d(n_out, n_out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(n_out)
        self.shortcut = nn.Sequential()
        if stride != 1 or n_in != n_out:
            self.shortcut = nn.Sequential(nn.Conv2d(n_in, n_out, 1, stride, bias=False), nn.BatchNorm2d(n_out))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.shortcut(x))


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
                                 Block(64, 64, 1), Block(64, 64, 1), Block(64, 128, 2), Block(128, 128, 1),
                                 Block(128, 256, 2), Block(256, 256, 1), Block(256, 512, 2), Block(512, 512, 1),
                                 nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))

    def batch(self):
        return torch.randn(32, 3, 32, 32), torch.randint(10, (32,))

    def loss(self, images, labels):
        chosen = torch.where(torch.rand(images.shape[0], 1, 1, 1) < 0.5, images, images.flip(3))
        y, x = torch.randint(9, (2,)).tolist()
        framed = F.pad(chosen, (4, 4, 4, 4), "reflect")
        return F.cross_entropy(self.net(framed[:, :, y:y + 32, x:x + 32]), labels)


class Encoder(nn.Module):
    """Letters -> scores of the next ones."""

    def __init__(self, letters, length, width, heads):
        super().__init__()
        self.letters = nn.Embedding(letters, width)
        self.places = nn.Embedding(length, width)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, nn.LayerNorm(width), enable_nested_tensor=False)
        self.head = nn.Linear(width, letters)

    def forward(self, text):
        x = self.letters(text) + self.places(torch.arange(text.shape[1]))
        mask = nn.Transformer.generate_square_subsequent_mask(text.shape[1])
        return self.head(self.layers(x, mask=mask, is_causal=True))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Encoder(13, 15, 64, 2)

    def batch(self):
        return (torch.randint(13, (64, 16)),)

    def loss(self, text):
        return F.cross_entropy(self.net(text[:, :15])[:, 7:].flatten(0, 1), text[:, 8:].flatten())


class CharTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Encoder(CHARACTERS, 64, 128, 4)

    def batch(self):
        return (torch.randint(CHARACTERS, (32, 65)),)

    def loss(self, text):
        return F.cross_entropy(self.net(text[:, :64]).flatten(0, 1), text[:, 1:].flatten())


class LstmTagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(200, 64)
        self.lstm = nn.LSTM(64, 64, batch_first=True, bidirectional=True)
        self.head = nn.Linear(128, 8)

    def batch(self):
        return torch.randint(200, (32, 24)), torch.randint(4, 25, (32,)), torch.randint(8, (32, 24))

    def loss(self, words, lengths, tags):
        packed = nn.utils.rnn.pack_padded_sequence(self.words(words), lengths, batch_first=True, enforce_sorted=False)
        output, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=24)
        place, last = torch.arange(24), lengths.unsqueeze(1) - 1
        wanted = torch.where((place > 0) & (place < last), tags, torch.full_like(tags, -100))
        return F.cross_entropy(self.head(output).flatten(0, 1), wanted.flatten(), ignore_index=-100)


class Ctc(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(16, 48, 5, padding=2)
        self.gru = nn.GRU(48, 48, bidirectional=True)
        self.head = nn.Linear(96, 10)

    def batch(self):
        return torch.randn(32, 16, 48), torch.randint(1, 10, (32, 8)), torch.randint(2, 9, (32,))

    def loss(self, frames, symbols, lengths):
        scores = self.head(self.gru(F.relu(self.conv(frames)).permute(2, 0, 1))[0])
        return F.ctc_loss(F.log_softmax(scores, 2), symbols, torch.full((frames.shape[0],), 48), lengths)


def unet_block(n_in, n_out):
    return nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(n_in, n_out, 3), nn.BatchNorm2d(n_out), nn.ReLU(),
                         nn.ReflectionPad2d(1), nn.Conv2d(n_out, n_out, 3), nn.BatchNorm2d(n_out), nn.ReLU())


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.outer, self.middle, self.inner = unet_block(1, 16), unet_block(16, 32), unet_block(32, 64)
        self.up1, self.back1 = nn.ConvTranspose2d(64, 32, 2, 2), unet_block(64, 32)
        self.up2, self.back2 = nn.Conv2d(32, 16, 1), unet_block(32, 16)
        self.head = nn.Conv2d(16, 3, 1)

    def batch(self):
        return torch.randn(16, 1, 32, 32), torch.randint(3, (16, 32, 32))

    def loss(self, images, classes):
        a = self.outer(images)
        b = self.middle(F.max_pool2d(a, 2))
        c = self.inner(F.max_pool2d(b, 2))
        d = self.back1(torch.cat([b, self.up1(c)], 1))
        wide = F.interpolate(d, scale_factor=2.0, mode="bilinear")
        return F.cross_entropy(self.head(self.back2(torch.cat([a, self.up2(wide)], 1))), classes)


class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.own1, self.other1 = nn.Linear(8, 32), nn.Linear(8, 32, bias=False)
        self.own2, self.other2 = nn.Linear(32, 4), nn.Linear(32, 4, bias=False)

    def batch(self):
        return torch.randn(16, 64, 8), torch.randint(64, (16, 64, 6)), torch.randint(4, (16, 64))

    def loss(self, features, neighbours, communities):
        graphs, nodes = features.shape[0], features.flatten(0, 1)
        to = torch.arange(graphs * 64).repeat_interleave(6)
        edges = torch.stack([to, (neighbours + (torch.arange(graphs) * 64).reshape(-1, 1, 1)).flatten()])
        weight = torch.full((edges.shape[1],), 1 / 6)
        near = torch.sparse_coo_tensor(edges, weight, (len(nodes), len(nodes)))
        hidden = F.relu(self.own1(nodes) + torch.sparse.mm(near, self.other1(nodes)))
        sent = self.other2(hidden).index_select(0, edges[1])
        where = edges[0].unsqueeze(1).expand(-1, 4)
        own = self.own2(hidden)
        scores = own + torch.zeros_like(own).scatter_reduce(0, where, sent, "mean", include_self=False)
        return F.cross_entropy(scores, communities.flatten())


class Spatial(nn.Module):
    def __init__(self):
        super().__init__()
        self.where_to = nn.Sequential(nn.Conv2d(1, 8, 7), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(8, 10, 5), nn.MaxPool2d(2),
                                      nn.ReLU(), nn.Flatten(), nn.Linear(90, 32), nn.ReLU())
        self.place = nn.Linear(32, 6)
        self.read = nn.Sequential(nn.Conv2d(1, 16, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(16, 32, 5), nn.MaxPool2d(2),
                                  nn.ReLU(), nn.Flatten(), nn.Linear(512, 10))
        nn.init.zeros_(self.place.weight)
        with torch.no_grad():
            self.place.bias.copy_(torch.tensor([1.0, 0, 0, 0, 1, 0]))

    def batch(self):
        return torch.rand(64, 1, 28, 28), torch.randint(10, (64,))

    def loss(self, images, labels):
        theta = self.place(self.where_to(images)).reshape(-1, 2, 3)
        grid = F.affine_grid(theta, images.shape, align_corners=False)
        return F.cross_entropy(self.read(F.grid_sample(images, grid, align_corners=False)), labels)


def roi_align(features, rois):
    """torchvision's, of 5 x 5 places, 2 x 2 points in each, at half the scale, aligned: by grid_sample, where it is not."""
    try:
        from torchvision.ops import roi_align as theirs
        return theirs(features, rois, (5, 5), 0.5, 2, True)
    except ImportError:
        pass
    n, c, h, w = features.shape
    x1, y1, x2, y2 = (rois[:, 1:] * 0.5 - 0.5).unbind(1)
    point = (torch.arange(10) + 0.5) / 10
    x, y = x1[:, None] + (x2 - x1)[:, None] * point, y1[:, None] + (y2 - y1)[:, None] * point
    x, y = x.clamp(0, w - 1), y.clamp(0, h - 1)
    k = rois.shape[0] // n  # so many of each image, in its order
    grid = torch.stack([(x * 2 / (w - 1) - 1)[:, None, :].expand(-1, 10, -1), (y * 2 / (h - 1) - 1)[:, :, None].expand(-1, -1, 10)], 3)
    cut = F.grid_sample(features, grid.reshape(n, k * 10, 10, 2), align_corners=True)
    return F.avg_pool2d(cut.reshape(n, c, k, 10, 10).transpose(1, 2).reshape(n * k, c, 10, 10), 2)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(),
                                      nn.Conv2d(32, 32, 3, padding=1), nn.ReLU())
        self.hidden, self.what, self.off = nn.Linear(800, 64), nn.Linear(64, 3), nn.Linear(64, 4)

    def batch(self):
        corner = torch.rand(16, 6, 2) * 24 + 4
        boxes = torch.cat([corner, corner + torch.rand(16, 6, 2) * 12 + 4], 2)
        return torch.randn(16, 1, 48, 48), boxes, torch.randint(3, (16, 6)), boxes + torch.randn(16, 6, 4)

    def loss(self, images, boxes, classes, truth):
        number = torch.arange(len(images)).to(images.dtype).repeat_interleave(6).unsqueeze(1)
        h = F.relu(self.hidden(roi_align(self.features(images), torch.cat([number, boxes.flatten(0, 1)], 1)).flatten(1)))
        classes = classes.flatten()
        there = (classes > 0).to(torch.float32).unsqueeze(1)
        wanted = (truth - boxes).flatten(0, 1)
        return F.cross_entropy(self.what(h), classes) + F.smooth_l1_loss(self.off(h) * there, wanted * there) * 4


class Video(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv3d(1, 16, 3, padding=1), nn.BatchNorm3d(16), nn.ReLU(), nn.MaxPool3d(2),
                                 nn.Conv3d(16, 32, 3, padding=1), nn.BatchNorm3d(32), nn.ReLU(), nn.MaxPool3d(2),
                                 nn.Flatten(), nn.Linear(1024, 8))

    def batch(self):
        return torch.randn(32, 1, 8, 16, 16), torch.randint(8, (32,))

    def loss(self, frames, ways):
        return F.cross_entropy(self.net(frames), ways)


class Vae(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen, self.mean, self.log_variance = nn.Linear(784, 256), nn.Linear(256, 16), nn.Linear(256, 16)
        self.shown = nn.Sequential(nn.Linear(16, 256), nn.ReLU(), nn.Linear(256, 784))

    def batch(self):
        return (torch.rand(64, 1, 28, 28),)

    def loss(self, images):
        h = F.relu(self.seen(images.flatten(1)))
        m, v = self.mean(h), self.log_variance(h)
        pixels = self.shown(m + torch.exp(v * 0.5) * torch.randn_like(m))
        rebuilt = F.binary_cross_entropy_with_logits(pixels, images.flatten(1), reduction="sum")
        return (rebuilt - (v + 1 - m * m - torch.exp(v)).sum() * 0.5) / images.shape[0]


MODELS = {"resnet18": (ResNet18, 1e-3), "transformer": (Transformer, 2e-3), "char_transformer": (CharTransformer, 2e-3),
          "lstm_tagger": (LstmTagger, 5e-3), "ctc": (Ctc, 3e-3), "unet": (UNet, 2e-3), "graph": (Graph, 5e-3),
          "spatial": (Spatial, 1e-3), "detector": (Detector, 1e-3), "video": (Video, 2e-3), "vae": (Vae, 1e-3)}

for name in options.models or MODELS:
    make, lr = MODELS[name]
    model = make()
    optimizer = torch.optim.Adam(model.parameters(), lr)
    milliseconds = []
    for _ in range(options.steps):
        batch = model.batch()
        begun = time.perf_counter()
        optimizer.zero_grad()
        loss = model.loss(*batch)
        loss.backward()
        optimizer.step()
        loss.item()
        milliseconds.append((time.perf_counter() - begun) * 1e3)
    print(json.dumps({"model": name, "version": torch.__version__, "parameters": sum(p.numel() for p in model.parameters()),
                      "ms": round(statistics.median(milliseconds), 3)}), flush=True)
