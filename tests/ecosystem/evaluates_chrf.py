"""evaluate's module `chrf` as far as a recipe uses it: sacreBLEU's chrF behind evaluate's arguments and keys."""

import datasets
import evaluate
from sacrebleu import CHRF


class ChrF(evaluate.Metric):
    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description="chrF",
            citation="",
            inputs_description="",
            features=[
                datasets.Features({"predictions": text, "references": datasets.Sequence(text)}),
                datasets.Features({"predictions": text, "references": text}),
            ],
        )

    def _compute(self, predictions, references):
        """Score a corpus; each prediction has the same number of references."""
        rows = [[row] if isinstance(row, str) else row for row in references]
        return {
            "score": CHRF().corpus_score(predictions, list(zip(*rows))).score,
            "char_order": 6,
            "word_order": 0,
        }
