"""A T5 small enough to learn a dozen sentences in seconds, with a tokenizer of words."""

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WORDS = ["the", "cat", "dog", "sat", "ran", "on", "to", "a", "mat", "house", "big", "small"]
SENTENCES = [
    " ".join(
        [
            "the",
            WORDS[1 + i % 2],
            WORDS[3 + i % 2],
            WORDS[5 + i % 2],
            "a",
            WORDS[10 + i // 2 % 2],
            WORDS[8 + i % 2],
        ]
    )
    for i in range(12)
]


def make_tokenizer():
    words = Tokenizer(
        models.WordLevel(
            {word: i for i, word in enumerate(["<pad>", "</s>", "<unk>", *WORDS])},
            unk_token="<unk>",
        )
    )
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )


def make_model(tokenizer):
    """With random weights, the same ones each time."""
    torch.manual_seed(0)
    config = transformers.T5Config(
        vocab_size=len(tokenizer), d_model=32, d_kv=16, d_ff=64, num_layers=1, num_heads=2, dropout_rate=0.0,
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    return transformers.T5ForConditionalGeneration(config)


def train(model, tokenizer, sources, targets, steps):
    """Train for a given number of steps, each with all rows."""
    inputs, labels = (
        tokenizer(list(texts), return_tensors="pt", padding=True)["input_ids"]
        for texts in (sources, targets)
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(steps):
        model(input_ids=inputs, labels=labels).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
