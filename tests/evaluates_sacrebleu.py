"""A replacement of evaluate's own `sacrebleu` module, which can't be loaded without a network, for tests and benchmarks.

`evaluate.load` takes the path of this file. As in that module, evaluate collects two columns, the references become
sacreBLEU's one list per reference set, and `corpus_bleu` scores them.
"""

import datasets
import evaluate
import sacrebleu


class EvaluatesSacrebleu(evaluate.Metric):
    """A metric with the arguments and the result keys of evaluate's module."""

    def _info(self):
        text = datasets.Value("string")
        features = [
            datasets.Features(predictions=text, references=one)
            for one in (datasets.Sequence(text), text)
        ]
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
        if len(set(map(len, references))) > 1:
            raise ValueError("Each prediction needs the same number of references.")
        score = sacrebleu.corpus_bleu(
            predictions, [list(stream) for stream in zip(*references)], smooth_method=smooth_method,
            smooth_value=smooth_value, force=force, lowercase=lowercase, use_effective_order=use_effective_order,
            **({"tokenize": tokenize} if tokenize else {}),
        )  # fmt: skip
        return {
            name: getattr(score, name)
            for name in ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
        }
