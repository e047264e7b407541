#!/usr/bin/env python3
"""Small tokenisers, and what the tokenizers package makes of texts with them:

    python3 tests/nn/models/make_tokenizers.py tests/nn/models/data [TEXTS]

writes data/tokenizer_KIND with tokenizer.json and expected.json, for GPT-2's kind and for Llama 3's. Needs tokenizers.
"""
import json
import os
import random
import sys

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
WORDS = ("the determinism sum order don't we'll größe naïve 数 学 日本語 тест سلام 😀 👩‍🔬 x=1; 0.125 12345 -> I'M ДЕТ".split()
         + ["\n", "\t", "  "])
LETTERS = ["abcdefghijklmnopqrstuvwxyz", "ABC'", " \t\n\r\u00a0\u2003", "0123456789²½Ⅷ٣", "äöüßéñçøÅ", "абвгдежзик",
           "日本語中文字漢", "안녕하세요", "سلامعليكم", "हिन्दीक्षत्र", "😀👩‍🔬🏽🇩🇪", ".,;:!?-_()[]{}<>/\\\"'`~@#$%^&*+=|",
           "e\u0301a\u0308", "\u200b\ufeff\u00ad"]
PHRASES = ["the ", "'s", " don't", "  ", "<|endoftext|>", "<|end|>", "\r\n\r\n", "1234567", " order", "sum"]


def trained(kind):
    bytes_only = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=kind == "gpt2")
    tokenizer = Tokenizer(models.BPE(ignore_merges=kind == "llama3"))
    tokenizer.pre_tokenizer = bytes_only if kind == "gpt2" else pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(LLAMA3), "isolated", False), bytes_only])
    tokenizer.decoder = decoders.ByteLevel()
    rng = random.Random(5)
    texts = [" ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 30))) for _ in range(4000)]
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=420, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|endoftext|>", "<|end|>"], show_progress=False))
    return tokenizer


def text_of(rng):
    return "".join(rng.choice(rng.choice(LETTERS) if rng.random() < 0.5 else PHRASES) for _ in range(rng.randint(0, 40)))


def main():
    for kind in ("gpt2", "llama3"):
        folder = os.path.join(sys.argv[1], "tokenizer_" + kind)
        os.makedirs(folder, exist_ok=True)
        tokenizer, rng = trained(kind), random.Random(kind)
        tokenizer.save(os.path.join(folder, "tokenizer.json"), pretty=False)
        texts = [text_of(rng) for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 150)]
        rows = [{"text": text, "tokens": tokenizer.encode(text).ids} for text in texts]
        with open(os.path.join(folder, "expected.json"), "w") as f:
            json.dump(rows, f)


main()
