#!/usr/bin/env python3
"""GPT-2 of 124 million parameters with random weights, by transformers: peer_language.py make FOLDER writes it and tokens;
peer_language.py {prompt,train} FOLDER DTYPE --threads N prints a line of JSON with PyTorch's times."""
import argparse
import json
import os
import statistics
import time

parser = argparse.ArgumentParser()
parser.add_argument("what", choices=("make", "prompt", "train"))
parser.add_argument("folder")
parser.add_argument("dtype", nargs="?", default="float32")
parser.add_argument("--threads", type=int, default=os.cpu_count())
options = parser.parse_args()

import numpy
import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.set_num_threads(options.threads)
PROMPT, NEW, BATCH = 128, 64, 4
tokens = [i * 7919 % 50257 for i in range(40960)]
if options.what == "make":
    torch.manual_seed(0)
    GPT2LMHeadModel(GPT2Config()).save_pretrained(options.folder)
    numpy.save(os.path.join(options.folder, "tokens.npy"), numpy.array(tokens, dtype=numpy.int32))
    raise SystemExit
model = GPT2LMHeadModel.from_pretrained(options.folder, dtype=getattr(torch, options.dtype))
result = {"version": torch.__version__}
if options.what == "prompt":
    model.eval()
    text = torch.tensor([tokens[:PROMPT]])
    with torch.no_grad():
        for _ in range(2):  # the first is to warm up
            started = time.perf_counter()
            out = model(text, use_cache=True, logits_to_keep=1)
            result["prompt_ms"] = (time.perf_counter() - started) * 1e3
            started = time.perf_counter()
            for _ in range(NEW):
                next_token = out.logits[:, -1].argmax(-1, keepdim=True)
                out = model(next_token, past_key_values=out.past_key_values, use_cache=True)
            result["tokens_per_second"] = NEW / (time.perf_counter() - started)
else:
    model.train()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-5)
    seconds = []
    for step in range(5):
        text = torch.tensor([tokens[(step * BATCH + row) * PROMPT:][:PROMPT] for row in range(BATCH)])
        started = time.perf_counter()
        optimizer.zero_grad()
        model(text, labels=text).loss.backward()
        optimizer.step()
        seconds.append(time.perf_counter() - started)
    result["step_ms"] = statistics.median(seconds) * 1e3
print(json.dumps(result))
