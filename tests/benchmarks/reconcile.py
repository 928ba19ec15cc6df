"""`reconcile` on 1,000 segments with two references, beside computing BLEU under each of its settings.

python tests/benchmarks/reconcile.py
"""

import itertools
import warnings
from pathlib import Path

import evaluate
from corpora import corpus
from speed import best_seconds

ROOT = Path(__file__).resolve().parents[2]
TOKENIZERS, METHODS = ("13a", "none", "intl", "zh", "char"), ("exp", "none", "floor", "add-k", "laplace")
LENGTHS = ("closest", "shortest", "longest")
NAMES = ("tokenize", "lowercase", "minimum_total", "reference_length", "smooth_method", "max_order")


def main() -> None:
    warnings.simplefilter("ignore")
    bleu = evaluate.load(str(ROOT / "bleu_metric.py"))
    name, predictions, references = corpus(1_000)
    settings = list(itertools.product(TOKENIZERS, (False, True), (0, 1), LENGTHS, METHODS, (4, 3, 2, 1)))
    given = [references, *([[row[i]] for row in references] for i in range(2))]

    def one_by_one() -> None:
        for chosen, setting in itertools.product(given, settings):
            bleu.compute(predictions=predictions, references=chosen, **dict(zip(NAMES, setting)))

    bleu.reconcile(predictions, references, 30)
    searching = best_seconds(lambda: bleu.reconcile(predictions, references, 30), 5)
    naive = best_seconds(one_by_one, 1)
    print(f"| 1,000 segments of {name}, 2 references, {len(given) * len(settings):,} settings | seconds | ratio |")
    print("| --- | ---: | ---: |")
    print(f"| `compute` under each | {naive:.2f} | {naive / searching:.0f}x |")
    print(f"| `reconcile` | {searching:.3f} | 1x |")


if __name__ == "__main__":
    main()
