"""What evaluate's own `sacrebleu` module does, for tests and benchmarks: it can't be loaded without a network.

`evaluate.load` takes this file as it takes that module: evaluate collects two columns, references are turned to
sacreBLEU's one list a reference set, and `corpus_bleu` scores them.
"""

import datasets
import evaluate
import sacrebleu


class EvaluatesSacrebleu(evaluate.Metric):
    """The same arguments, and the same keys of the result."""

    def _info(self):
        text = datasets.Value("string")
        features = [datasets.Features(predictions=text, references=one) for one in (datasets.Sequence(text), text)]
        return evaluate.MetricInfo(description="", citation="", features=features)

    def _compute(
        self,
        predictions,
        references,
        smooth_method="exp",
        smooth_value=None,
        force=False,
        lowercase=False,
        tokenize=None,
        use_effective_order=False,
    ):
        references = [[row] if isinstance(row, str) else row for row in references]
        score = sacrebleu.corpus_bleu(
            predictions, [list(stream) for stream in zip(*references)], smooth_method=smooth_method,
            smooth_value=smooth_value, force=force, lowercase=lowercase, use_effective_order=use_effective_order,
            **({"tokenize": tokenize} if tokenize else {}),
        )  # fmt: skip
        return {
            name: getattr(score, name)
            for name in ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
        }
