#!/usr/bin/env python3
"""The GPT-2 of a folder by llama.cpp: peer_llama.py FOLDER --threads N prints a line of JSON with its times, and the first
tokens that it goes on with. Needs llama-cpp-python, gguf and safetensors."""
import argparse
import json
import os
import time

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("--threads", type=int, default=os.cpu_count())
options = parser.parse_args()

import gguf
import llama_cpp
import numpy
from safetensors.numpy import load_file

PROMPT, NEW = 128, 64
PARTS = {"ln_1": "attn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "ln_2": "ffn_norm",
         "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}


def write(path):
    with open(os.path.join(options.folder, "config.json")) as file:
        config = json.load(file)
    writer = gguf.GGUFWriter(path, "gpt2")
    writer.add_block_count(config["n_layer"])
    writer.add_context_length(config["n_positions"])
    writer.add_embedding_length(config["n_embd"])
    writer.add_feed_forward_length(4 * config["n_embd"])
    writer.add_head_count(config["n_head"])
    writer.add_layer_norm_eps(config["layer_norm_epsilon"])
    writer.add_vocab_size(config["vocab_size"])
    writer.add_tokenizer_model("none")
    for name, tensor in load_file(os.path.join(options.folder, "model.safetensors")).items():
        part = name.removeprefix("transformer.")
        if part.startswith("h."):
            _, layer, rest = part.split(".", 2)
            kind, _, end = rest.rpartition(".")
            if kind not in PARTS:
                continue  # a mask
            part = f"blk.{layer}.{PARTS[kind]}.{end}"
            tensor = tensor.T if tensor.ndim == 2 else tensor
        else:
            for old, new in (("wte", "token_embd"), ("wpe", "position_embd"), ("ln_f", "output_norm")):
                part = part.replace(old, new)
        writer.add_tensor(part, numpy.ascontiguousarray(tensor, dtype=numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


path = os.path.join(options.folder, "model.gguf")
if not os.path.exists(path):
    write(path)
llama_cpp.llama_backend_init()
model = llama_cpp.llama_model_load_from_file(path.encode(), llama_cpp.llama_model_default_params())
context_options = llama_cpp.llama_context_default_params()
context_options.n_ctx, context_options.n_batch, context_options.n_ubatch = 256, PROMPT, PROMPT
context_options.n_threads = context_options.n_threads_batch = options.threads
context_options.type_k = context_options.type_v = 0  # float32
context = llama_cpp.llama_init_from_model(model, context_options)
size = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(model))


def next_of(tokens):
    held = (llama_cpp.llama_token * len(tokens))(*tokens)
    if llama_cpp.llama_decode(context, llama_cpp.llama_batch_get_one(held, len(tokens))) != 0:
        raise SystemExit("llama_decode failed")
    return int(numpy.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(context, -1), shape=(size,)).argmax())


result = {"version": llama_cpp.__version__}
for _ in range(2):  # the first is to warm up
    llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(context), True)
    started = time.perf_counter()
    tokens = [next_of([i * 7919 % 50257 for i in range(PROMPT)])]
    result["prompt_ms"] = (time.perf_counter() - started) * 1e3
    started = time.perf_counter()
    for _ in range(NEW):
        tokens.append(next_of(tokens[-1:]))
    result["tokens_per_second"] = NEW / (time.perf_counter() - started)
result["tokens"] = tokens[:8]
print(json.dumps(result))
