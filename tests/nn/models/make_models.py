#!/usr/bin/env python3
"""Small random checkpoints of models, and what PyTorch and transformers compute with them:

    python3 tests/nn/models/make_models.py tests/nn/models/data [NAMES]

writes a folder for each, or for those of NAMES: config.json, model.safetensors, and expected.safetensors with tokens or images, logits, the loss
of predicting each next token or the label, and the gradient of every parameter; and low-rank parts of GPT-2 with the logits
that they lead to. Needs torch, transformers, peft and safetensors.
"""
import os
import sys

import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import save_file
from transformers import (BertConfig, BertForMaskedLM, BertForSequenceClassification, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, MistralConfig,
                          MistralForCausalLM, Qwen2Config, Qwen2ForCausalLM, ResNetConfig,
                          ResNetForImageClassification)

small = {"vocab_size": 89, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "max_position_embeddings": 64}
small_bert = {"vocab_size": 89, "hidden_size": 16, "intermediate_size": 24, "num_attention_heads": 2,
              "max_position_embeddings": 32}
MODELS = {
    "bert_masked": lambda: BertForMaskedLM(BertConfig(**small_bert, num_hidden_layers=2)),
    "bert_classifier": lambda: BertForSequenceClassification(BertConfig(
        **small_bert, num_hidden_layers=1, id2label={0: "no", 1: "maybe", 2: "yes"})),
    "gpt2": lambda: GPT2LMHeadModel(GPT2Config(vocab_size=89, n_embd=16, n_layer=2, n_head=2, n_positions=32)),
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**small, rms_norm_eps=1e-5, rope_parameters={
        "rope_type": "llama3", "rope_theta": 500.0, "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 16})),
    "mistral": lambda: MistralForCausalLM(MistralConfig(**small, head_dim=8, sliding_window=None)),
    "resnet_basic": lambda: ResNetForImageClassification(ResNetConfig(
        embedding_size=6, hidden_sizes=[6, 8], depths=[2, 1], layer_type="basic", num_labels=3)),
    "resnet_bottleneck": lambda: ResNetForImageClassification(ResNetConfig(
        num_channels=2, embedding_size=8, hidden_sizes=[16, 32], depths=[1, 2], downsample_in_first_stage=True,
        id2label={0: "cat", 1: "dog", 2: "owl"})),
    "qwen2": lambda: Qwen2ForCausalLM(Qwen2Config(**small, tie_word_embeddings=True)),
}


def write(folder, model):
    # Larger than a beginning's: each part of the model must show in the logits.
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.3 + (parameter.dim() == 1))
        for name, buffer in model.named_buffers():
            if name.endswith("running_mean") or name.endswith("running_var"):
                buffer.copy_(torch.rand_like(buffer) + 0.5)
    model.eval()
    inputs = {}
    if "resnet" in folder:
        tokens = torch.randn(3, model.config.num_channels, 37, 33)
        result = model(pixel_values=tokens, labels=torch.tensor([0, 2, 1]))
    elif "bert" in folder:
        tokens = torch.randint(0, 89, (3, 13))
        inputs = {"token_type_ids": (torch.arange(13) > torch.tensor([[5], [12], [3]])).long(),
                  "attention_mask": (torch.arange(13) < torch.tensor([[13], [9], [11]])).long()}
        result = model(tokens, **inputs, labels=torch.tensor([0, 2, 1]) if "classifier" in folder else tokens)
    else:
        tokens = torch.randint(0, 89, (3, 13))
        result = model(input_ids=tokens, labels=tokens)
    result.loss.backward()
    model.save_pretrained(folder)
    if "qwen2" in folder:
        torch.save(model.state_dict(), os.path.join(folder, "pytorch_model.bin"))
    expected = {"tokens": tokens, **inputs, "logits": result.logits.detach(), "loss": result.loss.detach().reshape(1)}
    expected.update({"grad." + name: p.grad for name, p in model.named_parameters() if p.grad is not None})
    save_file({name: t.contiguous() for name, t in expected.items()}, os.path.join(folder, "expected.safetensors"))


def write_adapter(base, folder, task):
    if task == "SEQ_CLS":  # whose classifier is among modules_to_save
        model = get_peft_model(BertForSequenceClassification.from_pretrained(base), LoraConfig(
            r=4, lora_alpha=6, target_modules=["query", "value"], use_rslora=True, task_type=task))
    else:
        model = get_peft_model(GPT2LMHeadModel.from_pretrained(base), LoraConfig(
            r=2, lora_alpha=5, lora_dropout=0.1, target_modules=["c_attn", "c_fc"], fan_in_fan_out=True))
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.copy_(torch.randn_like(parameter) * 0.3)
    model.eval()
    tokens = torch.randint(0, 89, (2, 9))
    model.save_pretrained(folder)
    os.remove(os.path.join(folder, "README.md"))
    save_file({"tokens": tokens, "logits": model(input_ids=tokens).logits.detach()},
              os.path.join(folder, "expected.safetensors"))


def main():
    for name, make in MODELS.items():
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        torch.manual_seed(len(name))
        folder = os.path.join(sys.argv[1], name)
        os.makedirs(folder, exist_ok=True)
        write(folder, make())
        if "resnet" not in name and "bert" not in name:
            os.remove(os.path.join(folder, "generation_config.json"))
    for name, task, base in (("gpt2_adapter", "CAUSAL_LM", "gpt2"), ("bert_adapter", "SEQ_CLS", "bert_classifier")):
        if len(sys.argv) <= 2 or name in sys.argv[2:]:
            torch.manual_seed(3)
            write_adapter(os.path.join(sys.argv[1], base), os.path.join(sys.argv[1], name), task)


main()
