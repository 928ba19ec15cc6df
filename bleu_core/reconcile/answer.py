"""What `reconcile` returns, and how it looks.

`search.py` makes the keys; the sentences, the table and the picture are made here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ..results.plots import Axes, FormulaStep, plot_steps
from ..results.report import Report
from ..results.wording import fit_terminal, passing, write_difference
from ..shared.messages import count_things
from ..shared.result_types import FactorStep, SettingScores
from .calls import OTHER_FACTORS
from .published import describe_conditions, read_published

SAID_USUAL = 4  # usual settings that the first sentence lists
SHOWN_MATCHES = 10  # in a table
SAID_SETTINGS = 3  # rows of a table, from the top, whose tools the text names

MOST_REFERENCES = 8  # that are tried alone, because each takes a search of its own

CHANCE_OF_LEVEL = (0.5, 0.5, 0.5, 0.25, 0.25)  # by level: up to it, a match is plausible
SMALL_CHANCE = 0.05


class Reconciliation(Report):
    """The result of `reconcile`: a dict that displays as a table."""

    _absent: ClassVar = {
        "conditions": passing("what a tool printed, with the values beside the score,"),
        "untried_references": "all references were tried alone",
        "untried_packages": "all tokenizers were tried, or a match was found without them",
    }

    def _title(self) -> str:
        return " ".join(self._list_sentences())

    def _list_sentences(self) -> list[str]:
        """Return what to do, and how many settings give the number, also by chance."""
        settings = count_things(self["settings"], "setting")
        number = self._number()
        if self["verified"]:
            chance = _write_chance(self["matches"][0]["chance"])
            return [
                f"Verified: these texts give {number} under this signature; the chance of such a"
                f" match by accident is {chance}."
            ]
        advice = self._advise()
        if self["rows"]:
            start, stop = self["rows"]
            part = f"[{start}:{stop}]"
            advice = f"The line fits predictions{part} and references{part} only: {advice}"
        if self["verified"] is False:
            advice = (
                f"Not verified: these texts do not give {number} under this signature. {advice}"
            )
        if "conditions" in self:
            number += " with these values"
        matches = self._matches()
        if not matches:
            return [advice, f"None of {settings} gives {number}."]
        count = len(matches)
        counted = f"{count} of {settings} round{'s' * (count == 1)} to {number}"
        chance = _write_chance(self["chance"])
        if self["chance"] <= CHANCE_OF_LEVEL[0]:
            return [
                advice,
                f"{counted}; by chance, some setting matches {chance} of nearby numbers.",
            ]
        decimals = count_things(self["decimals"], "decimal") if self["decimals"] else "no decimals"
        return [
            advice,
            f"{counted}. A match proves little here: {chance} of the numbers with {decimals} within"
            " 2 points match some setting.",
        ]

    def _number(self) -> str:
        # Read again, because a copy of this dict has only the keys.
        return read_published(self["reported"]).written

    def _advise(self) -> str:
        """Return the sentence that says what usual settings give, and what to do."""
        number = self._number()
        first = next(iter(self._matches()), None)
        # 1. A usual setting gives it.
        if first is not None and first["kind"] == "usual":
            source = f", from {first['says']}" if first["says"] else ""
            steps = self._describe(first)
            if not first["plausible"]:
                return f"{number} fits {steps}{source}, which may be chance: {self._ask()}."
            if not list_changes(first["steps"]):
                return f"{number} is the score under {steps}{source}: quote the signature."
            return f"{number} is the score with {steps}{source}: pass that to reproduce it."
        # 2. One does, but not the other values of the line.
        if self["differences"]:
            theirs = describe_conditions(self["conditions"], [*self["differences"]])
            setting = min(self["usual"], key=lambda each: abs(each["delta"]))
            return (
                f"{number} is the score with {self._describe(setting)}, but the line has {theirs},"
                f" and these texts have {describe_conditions(self['differences'])}."
            )
        # 3. None does: list them.
        said = [
            f"{setting['score']:.2f} ({self._describe(setting)})"
            for setting in self["usual"][:SAID_USUAL]
        ]
        effective = sorted(self["other_fixes"], key=lambda each: -abs(each["delta_score"] or 0))
        for finding in effective[:1]:
            score = f"{finding['score']:.2f}"
            if score != f"{self['usual'][0]['score']:.2f}":
                said.append(f"{score} (without {finding['kind']!r} of `check`)")
        usual = f"Usual settings give {', '.join(said)}, not {number}"
        # 4. A fix, a known call, or else a rare setting.
        if self["fixes"]:
            return f"{usual}, but a fix of `check` does: {self['fixes'][0]['fix']}."
        if first is None:
            return (
                f"{usual}: compare the number, order and references of the texts first, then"
                f" {self._ask()}."
            )
        if not first["plausible"]:
            return f"{usual}. The settings below that do may match by chance: {self._ask()}."
        if first["kind"] == "call":
            verb = "is" if first["chance"] <= SMALL_CHANCE else "may be"
            return f"{usual}, which {verb} from {first['says']}."
        by_chance = ", probably by chance" if first["chance"] > SMALL_CHANCE else ""
        return f"{usual}; {describe_steps(first['steps'])} gives it{by_chance}: {self._ask()}."

    def _describe(self, setting: SettingScores) -> str:
        unchanged = "your options" if self["verified"] is None else "the signature's options"
        return describe_steps(setting["steps"]) or unchanged

    def _ask(self) -> str:
        """Return what to ask the authors for: what would decide between settings."""
        wanted = ["more decimals"]
        if self["verified"] is None:
            wanted.append("the signature")
        if "precisions" not in self.get("conditions", {}):
            wanted.append("the precisions")
        *others, last = wanted
        return f"ask for {', '.join(others)} or {last}" if others else f"ask for {last}"

    def _note(self) -> str:
        notes = [read_published(self["reported"]).describe()]
        notes += [
            f"{finding['says']} Without that, the score is {finding['score']:.4f}:"
            f" {finding['fix']}."
            for finding in self["fixes"]
        ]
        notes += [
            f"Row {row} is the score of {setting['says']}."
            for row, setting in enumerate(self._shown()[:SAID_SETTINGS], 1)
            if setting["says"]
        ]
        hidden = len(self._shown()) - SHOWN_MATCHES
        if hidden > 0:
            notes.append(f"The result has {hidden:,} more matches.")
        if "untried_references" in self:
            notes.append(
                f"Tried: all references together, and each of the first {MOST_REFERENCES} alone."
                f" Not tried: the other {self['untried_references']} alone."
            )
        if "untried_packages" in self:
            notes.append(
                "Moses' tokenizers, of tokenized BLEU, were not tried. To try them: pip install"
                f" {' '.join(self['untried_packages'])}."
            )
        if self["verified"] is not None:
            notes.append(
                "sacreBLEU's signatures contain neither the order of n-grams nor the text of the"
                " references."
            )
        return " ".join(note for note in notes if note)

    def _matches(self) -> list[SettingScores]:
        return self["matches"] or self["other_matches"]

    def _shown(self) -> list[SettingScores]:
        return self._matches() or self["nearest"]

    def _rows(self) -> list[list[str]]:
        rows = [["settings", "BLEU", "off by", "how likely"]]
        for setting in self._shown()[:SHOWN_MATCHES]:
            settings = self._describe(setting)
            if not list_changes(setting["steps"]):
                settings += ", unchanged"
            how_likely = "by chance"
            if setting["plausible"]:
                how_likely = "likely" if setting["chance"] <= SMALL_CHANCE else "perhaps"
            rows.append(
                [
                    settings,
                    f"{setting['score']:.4f}",
                    write_difference(100 * setting["delta"], 4),
                    how_likely,
                ]
            )
        return rows if self._matches() else [row[:-1] for row in rows]

    def __str__(self) -> str:
        sentences = "\n".join(map(fit_terminal, self._list_sentences()))
        return sentences + super().__str__().removeprefix(fit_terminal(self._title()))

    def _records(self) -> list[dict[str, object]]:
        return [
            {
                "settings": self._describe(setting),
                "bleu": setting["bleu"],
                "score": setting["score"],
                "delta": setting["delta"],
                "signature": setting["signature"],
            }
            for setting in self._shown()
        ]

    def plot(self, ax: Axes | None = None, setting: int = 0) -> Axes:
        """Plot the effect of each factor from this object's options to a setting; return the Axes.

        Args:
            ax: the Axes to draw into; None for a new figure.
            setting: the index in `matches`; in `other_matches` or `nearest` if there are no
                matches.
        """
        end = self._shown()[setting]
        start = "your options" if self["verified"] is None else "the signature"
        return plot_steps(start, list_changes(end["steps"]), "this setting", end["score"], ax=ax)


class Conventions(Report):
    """The scores of each convention: a dict by name, which displays as a table."""

    _wide_columns = ("due to",)
    _absent: ClassVar = {"coco": "it is for captions, which are short texts on one line"}

    def _title(self) -> str:
        return "The same text under each convention"

    def _rows(self) -> list[list[str]]:
        rows = [
            [
                name,
                f"{scores['score']:.2f}",
                write_difference(100 * scores["delta"]),
                describe_steps(scores["steps"], with_differences=True) or "no change",
            ]
            for name, scores in self.items()
        ]
        return [["convention", "BLEU", "difference", "due to"], *rows]

    def _records(self) -> list[dict[str, object]]:
        return [
            {
                "convention": name,
                "bleu": scores["bleu"],
                "score": scores["score"],
                "delta": scores["delta"],
                "signature": scores["signature"],
            }
            for name, scores in self.items()
        ]

    def plot(self, ax: Axes | None = None, convention: str | None = None) -> Axes:
        """Plot the effect of each factor, from the default to a convention, and return the Axes.

        Args:
            ax: the Axes to draw into; None for a new figure.
            convention: its name; None for the convention whose score differs most.
        """
        end = convention or max(self, key=lambda name: abs(self[name]["delta"]))
        scores = self[end]
        return plot_steps("default", list_changes(scores["steps"]), end, scores["score"], ax=ax)


def _write_chance(chance: float) -> str:
    """Write a chance in percent.

    >>> _write_chance(0.375), _write_chance(0.0025), _write_chance(0.00001)
    ('38%', '0.2%', 'less than 0.1%')
    """
    if chance < 0.001:
        return "less than 0.1%"
    return f"{chance:.0%}" if chance >= 0.01 else f"{chance:.1%}"


def describe_steps(steps: Sequence[FactorStep], with_differences: bool = False) -> str:
    """Write the steps that change the score on one line; an empty one if none does.

    >>> describe_steps([{"factor": "max_order", "value": 2, "delta": 0.125}], with_differences=True)
    'max_order=2 (+12.50)'
    """
    return ", ".join(
        f"{label} ({write_difference(difference)})" if with_differences else label
        for label, difference in list_changes(steps)
    )


def list_changes(steps: Sequence[FactorStep]) -> list[FormulaStep]:
    """List the steps that change the score, with their differences in points.

    Changes that are not options are always listed.

    >>> list_changes([{"factor": "max_order", "value": 2, "delta": 0.125}])
    [FormulaStep(label='max_order=2', difference=12.5)]
    """
    changes = []
    for step in steps:
        difference = 100 * step["delta"]
        if step["factor"] in OTHER_FACTORS:
            changes.append(
                FormulaStep(OTHER_FACTORS[step["factor"]].says.format(step["value"]), difference)
            )
        elif difference != 0:
            changes.append(FormulaStep(f"{step['factor']}={step['value']!r}", difference))
    return changes
