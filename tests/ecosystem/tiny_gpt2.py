"""A GPT-2 small enough to learn a dozen sentences in seconds, with a tokenizer of words."""

import torch
import transformers
from tiny_t5 import SENTENCES, WORDS
from tokenizers import Tokenizer, models, pre_tokenizers

# Prompts of several lengths.
PAIRS = [
    {"prompt": " ".join(["big"] * (i % 3) + ["say", text, ":"]), "completion": f" {text}"}
    for i, text in enumerate(SENTENCES)
]


def make_tokenizer():
    names = ["<pad>", "</s>", "<unk>", "say", ":", *WORDS]
    vocabulary = {name: i for i, name in enumerate(names)}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=words,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        model_input_names=["input_ids", "attention_mask"],
    )


def make_model(tokenizer):
    """With random weights, the same ones each time."""
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_embd=32, n_layer=2, n_head=2, n_positions=128, resid_pdrop=0.0, embd_pdrop=0.0,
        attn_pdrop=0.0, bos_token_id=1, eos_token_id=1, pad_token_id=0,
    )  # fmt: skip
    return transformers.GPT2LMHeadModel(config)
