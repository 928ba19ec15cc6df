"""What evaluate shows of the metric: its description, its arguments, and what to cite."""

DESCRIPTION = """\
BLEU (Papineni et al., 2002): clipped n-gram precision and brevity penalty, with sacreBLEU's counts and signature by
default and the conventions of evaluate's `bleu`, NLTK, Moses and the paper by name. Also segment scores, confidence
intervals, paired tests, statistics rows that add up across batches and machines, what matched in a sentence, and why
two scores differ.
"""

INPUTS_DESCRIPTION = """
Args:
    predictions: one a row: a str, a list of str tokens or a list of int token ids. In a list, tuple, NumPy array,
        pandas or polars Series, column of a `datasets.Dataset`, or anything of Arrow.
    references: a list of references a row, as many as there are, or one str a row.
    tokenize: "13a", "none", "intl", "zh", "char" or "multi-bleu"; a name of sacreBLEU's; or a function from str to a
        list of str.
    lowercase: True to score without case.
    max_order: the longest n-gram, 4 by default.
    weights: one weight an order.
    smooth_method: "exp", "none", "floor", "add-k" or "laplace", for orders without a match; or "chen-cherry-4" to -7,
        "nltk-4", -5, -7, for sentences.
    smooth_value: for those that take one: 0 or more, and above 0 where it is divided by.
    effective_order: True to leave out orders that the predictions are too short to have.
    reference_length: "closest", "shortest" or "longest".
    segments: True to add `segment_bleu`, one score a row.
    confidence: 0.95, say, to add `confidence_interval` and `bootstrap_mean`.
    n_resamples, seed: of the bootstrap behind `confidence`.
Returns:
    A dict of plain Python values: `bleu` (0 to 1), `score` (0 to 100), `precisions`, `brevity_penalty`, `length_ratio`,
    `translation_length`, `reference_length`, `counts`, `totals`, `bleu_by_order`, `signature`.
Raises:
    TypeError, ValueError: with the column, the row, and what to do.
Examples:
    >>> bleu = evaluate.load("bleu_metric.py")
    >>> result = bleu.compute(predictions=["the cat sat on the mat"], references=[["the cat sat on a mat"]])
    >>> print(round(result["score"], 2), result["signature"])
    53.73 nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:bleu_metric-0.1.0
"""

CITATION = """\
@inproceedings{papineni-etal-2002-bleu,
    title = "{B}leu: a Method for Automatic Evaluation of Machine Translation",
    author = "Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing",
    booktitle = "Proceedings of the 40th Annual Meeting of the Association for Computational Linguistics",
    year = "2002",
    pages = "311--318",
    doi = "10.3115/1073083.1073135",
}
@inproceedings{post-2018-call,
    title = "A Call for Clarity in Reporting {BLEU} Scores",
    author = "Post, Matt",
    booktitle = "Proceedings of the Third Conference on Machine Translation: Research Papers",
    year = "2018",
    pages = "186--191",
    doi = "10.18653/v1/W18-6319",
}
"""
