"""BLEU as an installed package: `from bleu_metric import BleuMetric`.

`bleu_metric.py` is the file that `evaluate.load` reads, too. evaluate's copy of it is another
package, so its class is another class, with the same methods. `bleu_core` is a folder here, and one
file beside evaluate's copy.
"""

from importlib.util import find_spec
from pathlib import Path

# After `pip install --editable` both are not beside this file but in the clone, whose folder is on
# the path.
_in_clone = find_spec("bleu_core")
if _in_clone is not None and _in_clone.origin is not None:
    __path__.append(str(Path(_in_clone.origin).parent.parent))

from .bleu_core import (  # noqa: E402
    AnswerContent,
    BleuWarning,
    Checked,
    Comparison,
    ConditionsContent,
    Conventions,
    ConventionScores,
    CorpusScores,
    CoveredTokens,
    Difference,
    DifferenceUncertainty,
    Explanation,
    FactorStep,
    Finding,
    GroupDifference,
    GroupedResult,
    GroupScores,
    LengthDifference,
    NGramCount,
    NGramDifference,
    OrderDifference,
    OrderMatches,
    Pair,
    RankedSystem,
    Ranking,
    Reconciliation,
    ReconciliationContent,
    Result,
    RunScores,
    Scored,
    Scores,
    SegmentDifference,
    SelfBleu,
    SelfBleuScores,
    Settings,
    SettingScores,
    SignedScores,
    SystemScore,
    SystemScores,
    TestedDifference,
    TokenizerName,
    TrainerMetric,
    Uncertainty,
    Wins,
    __version__,
)
from .bleu_metric import BleuMetric  # noqa: E402

__all__ = [
    "AnswerContent",
    "BleuMetric",
    "BleuWarning",
    "Checked",
    "Comparison",
    "ConditionsContent",
    "ConventionScores",
    "Conventions",
    "CorpusScores",
    "CoveredTokens",
    "Difference",
    "DifferenceUncertainty",
    "Explanation",
    "FactorStep",
    "Finding",
    "GroupDifference",
    "GroupScores",
    "GroupedResult",
    "LengthDifference",
    "NGramCount",
    "NGramDifference",
    "OrderDifference",
    "OrderMatches",
    "Pair",
    "RankedSystem",
    "Ranking",
    "Reconciliation",
    "ReconciliationContent",
    "Result",
    "RunScores",
    "Scored",
    "Scores",
    "SegmentDifference",
    "SelfBleu",
    "SelfBleuScores",
    "SettingScores",
    "Settings",
    "SignedScores",
    "SystemScore",
    "SystemScores",
    "TestedDifference",
    "TokenizerName",
    "TrainerMetric",
    "Uncertainty",
    "Wins",
    "__version__",
]
