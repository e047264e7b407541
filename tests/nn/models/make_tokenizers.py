#!/usr/bin/env python3
"""Small tokenisers, and what the tokenizers package makes of texts with them:

    python3 tests/nn/models/make_tokenizers.py tests/nn/models/data [TEXTS]

writes data/tokenizer_KIND with tokenizer.json and expected.json, for the kinds of GPT-2, Llama 3, Qwen 2 and Llama 2, of
Llama 2 as newer converters write it, and of BERT, with and without capital letters. Needs tokenizers.
"""
import json
import os
import random
import sys

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
WORDS = ("the determinism sum order don't we'll größe naïve 数 学 日本語 тест سلام 😀 👩‍🔬 x=1; 0.125 12345 -> I'M ДЕТ".split()
         + ["\n", "\t", "  "])
LETTERS = ["abcdefghijklmnopqrstuvwxyz", "ABC'", " \t\n\r\u00a0\u2003", "0123456789²½Ⅷ٣", "äöüßéñçøÅ", "абвгдежзик",
           "日本語中文字漢", "안녕하세요", "سلامعليكم", "हिन्दीक्षत्र", "😀👩‍🔬🏽🇩🇪", ".,;:!?-_()[]{}<>/\\\"'`~@#$%^&*+=|",
           "e\u0301a\u0308\u0323", "\u1112\u1161\u11ab\u212b\u2126\ufa1e\u0344", "\u200b\ufeff\u00ad"]
PHRASES = ["the ", "'s", " don't", "  ", "<s>", "</s>", "\u2581", "<0x41>", "<|endoftext|>", "<|end|>", "\r\n\r\n", "1234567", " order", "sum"]


def texts_to_learn():
    rng = random.Random(5)
    return [" ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 30))) for _ in range(4000)]


def of_characters(kind):
    """Words of characters; those that are none of the vocabulary are bytes."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    if kind == "llama2":
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    else:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    tokenizer.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(),
                                           decoders.Strip(" ", 1, 0)])
    special = ["<unk>", "<s>", "</s>"]
    words = Tokenizer.from_str(tokenizer.to_str())  # learns from words, not from whole texts
    words.normalizer, words.pre_tokenizer = normalizers.Sequence([]), pre_tokenizers.Metaspace(prepend_scheme="always")
    words.train_from_iterator([text.replace("日", "") for text in texts_to_learn()], trainers.BpeTrainer(
        vocab_size=620, special_tokens=special + [f"<0x{byte:02X}>" for byte in range(256)], show_progress=False))
    file, learnt = json.loads(tokenizer.to_str()), json.loads(words.to_str())
    file["model"]["vocab"], file["model"]["merges"] = learnt["model"]["vocab"], learnt["model"]["merges"]
    # In older files texts are changed before these are looked for.
    file["added_tokens"] = [{**token, "normalized": token["content"] == "</s>"} for token in learnt["added_tokens"]
                            if token["content"] in special]
    return Tokenizer.from_str(json.dumps(file))


def of_words(kind):
    """WordPiece."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=30))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=kind == "bert")
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(cleanup=kind == "bert")
    tokenizer.train_from_iterator(texts_to_learn(), trainers.WordPieceTrainer(
        vocab_size=260, limit_alphabet=1000, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
        show_progress=False))
    if kind == "bert":
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    else:
        tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def trained(kind):
    if kind.startswith("bert"):
        return of_words(kind)
    if kind.startswith("llama2"):
        return of_characters(kind)
    bytes_only = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=kind == "gpt2")
    tokenizer = Tokenizer(models.BPE(ignore_merges=kind == "llama3"))
    if kind == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = bytes_only if kind == "gpt2" else pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(LLAMA3), "isolated", False), bytes_only])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(texts_to_learn(), trainers.BpeTrainer(
        vocab_size=420, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|endoftext|>", "<|end|>"], show_progress=False))
    return tokenizer


def text_of(rng):
    return "".join(rng.choice(rng.choice(LETTERS) if rng.random() < 0.5 else PHRASES) for _ in range(rng.randint(0, 40)))


def main():
    for kind in ("gpt2", "llama3", "qwen2", "llama2", "llama2_marks", "bert", "bert_cased"):
        folder = os.path.join(sys.argv[1], "tokenizer_" + kind)
        os.makedirs(folder, exist_ok=True)
        tokenizer, rng = trained(kind), random.Random(kind)
        tokenizer.save(os.path.join(folder, "tokenizer.json"), pretty=False)
        texts = [text_of(rng) for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 120)]
        rows = []
        for text in texts:
            tokens = tokenizer.encode(text, add_special_tokens=False).ids
            rows.append({"text": text, "tokens": tokens, "decoded": tokenizer.decode(tokens, skip_special_tokens=False)})
        if kind.startswith("bert"):
            for row, other in zip(rows, rows[1:20]):
                one, two = tokenizer.encode(row["text"]), tokenizer.encode(row["text"], other["text"])
                row["surrounded"], row["pair"], row["types"] = one.ids, two.ids, two.type_ids
        with open(os.path.join(folder, "expected.json"), "w") as f:
            json.dump(rows, f, ensure_ascii=False, separators=(",", ":"))


main()
