"""What the class, the package and the demo use of these folders.

Only their unit tests import from inside them. The folders, from the bottom to the top: shared,
text, rules, options, rows, significance, results, check, methods, reconcile.
"""

from .check.checks import Checked, check_texts
from .check.pairs import Found
from .methods.buffer import BufferedMetric, is_packed, read
from .methods.compare import Comparison, compare_systems
from .methods.compute import GroupedResult, Result, score, score_statistics
from .methods.diff import Difference, diff_systems
from .methods.explain import Explanation, explain_segment
from .methods.pairwise import SelfBleu, measure_self_bleu, score_pairs
from .methods.rank import Ranking, rank_systems
from .methods.trainer import TrainerMetric
from .options.option_names import (
    Convention,
    CorpusOptions,
    LoadArguments,
    ScoringOptions,
    SystemsOptions,
    TestName,
    TokenizerName,
    explain_call,
    explain_unknown_option,
)
from .options.options import (
    CONVENTIONS,
    DESCRIPTIONS,
    DROP_INS,
    OPTIONS,
    Options,
    choose_options,
    read_drop_in,
    shape_result,
)
from .options.signature import options_of_signature
from .reconcile.answer import Conventions, Reconciliation
from .reconcile.published import Published, read_published
from .reconcile.search import compare_conventions, find_settings
from .results.html import STYLE, Markup, headline, legend, paragraph, show, tokens
from .results.report import (
    CITATION,
    QuotableReport,
    Report,
    ResultType,
    format_latex,
    format_markdown,
    format_paragraph,
    restore_result,
)
from .results.wording import describe_penalty, escape_unseen, list_terms, multiply, write_number
from .rows.compiling import warm_up
from .rows.statistics import count, count_segments
from .rows.tables import add_statistics, tabulate
from .rules.chosen_tokenizer import check_tokenizers
from .rules.counting import REFERENCE_LENGTHS, ReferenceLength
from .rules.smoothing import SMOOTH_METHODS, SmoothMethod
from .rules.tokenizers import TOKENIZERS, Tokenizer
from .shared.messages import NOT_A_TOKENIZER, BleuWarning, count_things, show_value
from .shared.pickling import PICKLABLE, __version__, picklable
from .shared.result_types import (
    AnswerContent,
    ConditionsContent,
    ConventionScores,
    CorpusScores,
    CoveredTokens,
    DifferenceUncertainty,
    FactorStep,
    Finding,
    GroupDifference,
    GroupScores,
    LengthDifference,
    NGramCount,
    NGramDifference,
    OrderDifference,
    OrderMatches,
    Pair,
    RankedSystem,
    ReconciliationContent,
    RunScores,
    Scored,
    Scores,
    SegmentDifference,
    SelfBleuScores,
    Settings,
    SettingScores,
    SignedScores,
    SystemScore,
    SystemScores,
    TestedDifference,
    Token,
    Uncertainty,
    Wins,
)
from .significance.intervals import Test
from .significance.tests import ALL_TESTS, TESTS
from .text.corpus import Corpus
from .text.read import fingerprint_references, read_corpus, read_texts

__all__ = [
    "ALL_TESTS",
    "CITATION",
    "CONVENTIONS",
    "DESCRIPTIONS",
    "DROP_INS",
    "NOT_A_TOKENIZER",
    "OPTIONS",
    "PICKLABLE",
    "REFERENCE_LENGTHS",
    "SMOOTH_METHODS",
    "STYLE",
    "TESTS",
    "TOKENIZERS",
    "AnswerContent",
    "BleuWarning",
    "BufferedMetric",
    "Checked",
    "Comparison",
    "ConditionsContent",
    "Convention",
    "ConventionScores",
    "Conventions",
    "Corpus",
    "CorpusOptions",
    "CorpusScores",
    "CoveredTokens",
    "Difference",
    "DifferenceUncertainty",
    "Explanation",
    "FactorStep",
    "Finding",
    "Found",
    "GroupDifference",
    "GroupScores",
    "GroupedResult",
    "LengthDifference",
    "LoadArguments",
    "Markup",
    "NGramCount",
    "NGramDifference",
    "Options",
    "OrderDifference",
    "OrderMatches",
    "Pair",
    "Published",
    "QuotableReport",
    "RankedSystem",
    "Ranking",
    "Reconciliation",
    "ReconciliationContent",
    "ReferenceLength",
    "Report",
    "Result",
    "ResultType",
    "RunScores",
    "Scored",
    "Scores",
    "ScoringOptions",
    "SegmentDifference",
    "SelfBleu",
    "SelfBleuScores",
    "SettingScores",
    "Settings",
    "SignedScores",
    "SmoothMethod",
    "SystemScore",
    "SystemScores",
    "SystemsOptions",
    "Test",
    "TestName",
    "TestedDifference",
    "Token",
    "Tokenizer",
    "TokenizerName",
    "TrainerMetric",
    "Uncertainty",
    "Wins",
    "__version__",
    "add_statistics",
    "check_texts",
    "check_tokenizers",
    "choose_options",
    "compare_conventions",
    "compare_systems",
    "count",
    "count_segments",
    "count_things",
    "describe_penalty",
    "diff_systems",
    "escape_unseen",
    "explain_call",
    "explain_segment",
    "explain_unknown_option",
    "find_settings",
    "fingerprint_references",
    "format_latex",
    "format_markdown",
    "format_paragraph",
    "headline",
    "is_packed",
    "legend",
    "list_terms",
    "measure_self_bleu",
    "multiply",
    "options_of_signature",
    "paragraph",
    "picklable",
    "rank_systems",
    "read",
    "read_corpus",
    "read_drop_in",
    "read_published",
    "read_texts",
    "restore_result",
    "score",
    "score_pairs",
    "score_statistics",
    "shape_result",
    "show",
    "show_value",
    "tabulate",
    "tokens",
    "warm_up",
    "write_number",
]
