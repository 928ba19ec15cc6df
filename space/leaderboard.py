"""Several systems: the verdict, the leaderboard as a table and as a picture, and the statistics."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from . import html
from .metric import core
from .scored import Scored

if TYPE_CHECKING:
    from bleu_metric.bleu_core import QuotableReport, RankedSystem

Scores = Mapping[str, Any]  # of a system in a result

_MOST_IN_FULL = 10  # systems whose rows are high, in blocks of first place and behind
_SHOWN_NAME = 32  # characters of a name in a row; its title has all of them
_MARK = "★"  # of the first place
_MARKED = "★ No other system is better, by the test of all pairs."
_MAX_TICKS = 7
_NO_LABEL = "no label"
_LEAST_IN_GROUP = 30  # lines, for a mean of groups
_WIDEST_GROWTH = 2  # a system that makes the axis more than twice as long is off the scale


class Standing(NamedTuple):
    """A system in the leaderboard.

    score: from 0 to 100, as are the ends of the interval.
    interval: None without a confidence interval.
    rank: a range such as "1–4"; empty without a ranking.
    is_first: True if no other system is better, by the test of all pairs.
    runs: the scores of several training runs, whose mean is the score.
    delta: the difference to the baseline in points; None for the baseline itself.
    p: its p-value; of a ranking, from the test of all pairs.
    precisions: those of all orders in percent; empty for several runs.
    """

    name: str
    score: float
    interval: tuple[float, float] | None
    rank: str
    is_first: bool
    runs: tuple[float, ...] = ()
    delta: float | None = None
    p: float | None = None
    precisions: str = ""

    def find_ends(self) -> tuple[float, float]:
        """Return where the drawing of this system begins and ends."""
        points = [self.score, *self.runs, *(self.interval or ())]
        return min(points), max(points)


class Leaderboard(NamedTuple):
    """The ranked systems, the best first, and the text around them.

    headline: a sentence of one line.
    lead: the size of the lead and of the test set, below the headline.
    first_place: what stands before the systems that no other is better than.
    """

    headline: str
    lead: str
    standings: Sequence[Standing]
    prefix: str = ""  # the common beginning of all names, which their rows lack
    baseline: str = ""
    first_place: str = ""

    @property
    def is_long(self) -> bool:
        """True for more systems than fit on a screen in rows of the usual height."""
        return len(self.standings) > _MOST_IN_FULL

    @property
    def has_marks(self) -> bool:
        """True if each row says that it is first: the first are many, or not in one block."""
        are_first = [standing.is_first for standing in self.standings]
        is_block = are_first == sorted(are_first, reverse=True)
        return bool(self.standings[0].rank) and (self.is_long or not is_block)

    def list_places(self) -> list[str]:
        """Return what stands before each row: a mark, or the place if it isn't that above."""
        if not self.standings[0].rank:
            return [""] * len(self.standings)
        if self.has_marks:
            return [_MARK if standing.is_first else "" for standing in self.standings]
        places = [self.first_place if each.is_first else "behind" for each in self.standings]
        return [place if place != above else "" for place, above in zip(places, ["", *places])]


def render_systems(
    scored: Scored,
    comparison: QuotableReport,
    ranking: QuotableReport | None,
    names: Sequence[str],
    board: Leaderboard,
    *,
    identical: Mapping[str, str],
    caution: str = "",
) -> tuple[str, str]:
    """Return several systems as HTML: the leaderboard, and the statistics, which are folded.

    Args:
        scored: the scored submission.
        comparison: the result of `compare`.
        ranking: the result of `rank` for three systems or more.
        names: those of the systems, the highest score first.
        board: their leaderboard.
        identical: for each system with the texts of an earlier one, the name of the earlier one.
        caution: why the scores are in doubt, which goes with what is copied and saved.
    """
    copies = render_copies(ranking or comparison, "", scored.remark, caution)
    notes = []
    if ranking:
        comparisons = len(ranking["pairs"])
        notes.append(f"p above is corrected for {comparisons} comparisons (Holm).")
    rival = comparison["systems"][find_rival(names, board.baseline)]
    detectable = rival.get("detectable_delta")
    if detectable and not identical:
        notes.append(
            f"With this test set, true differences below about {100 * detectable:.1f}"
            " often go unnoticed."
        )
    told = html.message(" ".join(notes), "note") if notes else ""
    ranked = ranking.to_html() if ranking else ""
    tables = f"{ranked}{comparison.to_html()}".replace('class="bleu-verdict"', "").replace(
        "<th></th>", "<td></td>"
    )
    # A box that scrolls has the focus, for those without a mouse.
    tables = tables.replace(
        'class="bleu-table"', 'class="bleu-table" tabindex="0" role="group" aria-label="Table"'
    )
    return f"{render_board(board)}{copies}", f"{tables}{told}"


def render_board(board: Leaderboard) -> str:
    """Return the verdict and the table of a leaderboard as HTML."""
    return (
        f'<div data-announce="{html.show(f"{board.headline} {board.lead}")}">'
        f"{html.paragraph(board.headline, 'verdict')}{html.paragraph(board.lead, 'lead')}</div>"
        f"{draw_table(board)}"
    )


def render_copies(result: QuotableReport, subject: str, remark: str, caution: str) -> str:
    """Return the signature of a result, and buttons that copy it, by its own report and tables.

    `subject` stands before the sentence; `remark` and `caution` go with all that is copied.
    """
    sentence = add_caution(f"{subject}{quote(result)}", caution)
    if not subject:
        sentence = add_caution(add_remark(quote(result), remark), caution)
    note = add_caution(add_remark("", remark), caution).strip()
    tables = {"as Markdown": result.to_markdown(), "as LaTeX": result.to_latex()}
    if note:
        tables["as Markdown"] += f"\n\n{core.format_paragraph(note)}"
        tables["as LaTeX"] += f"\n% {core.escape_unseen(note)}"
    buttons = [html.copy_button(text, what) for what, text in tables.items()]
    return (
        f'<p class="bleu-copies">{html.signature(result["signature"])} {html.LINK_BUTTON}'
        f"{html.copy_button(sentence, 'sentence')}{''.join(buttons)}{html.PICTURE_BUTTON}</p>"
    )


def list_systems(
    comparison: QuotableReport,
    ranking: QuotableReport | None,
    names: Sequence[str],
    results: Mapping[str, QuotableReport],
) -> dict[str, dict[str, Any]]:
    """Return what is known of each system: in the order of the ranking, if there is one.

    Two systems, and training runs, have no ranks. Of a ranking, p is that of all pairs.
    """
    systems = {name: {**results.get(name, {}), **comparison["systems"][name]} for name in names}
    if ranking is None:
        return systems
    ranked = {each["system"]: {**systems[each["system"]], **each} for each in ranking["ranking"]}
    for pair in ranking["pairs"]:
        if comparison["baseline"] in pair["systems"]:
            (name,) = {*pair["systems"]} - {comparison["baseline"]}
            ranked[name]["p_value"] = pair.get("p_adjusted")
    return ranked


def build_leaderboard(
    systems: Mapping[str, Scores],
    baseline: str,
    *,
    size: str,
    identical: Mapping[str, str],
    prefix: str = "",
) -> Leaderboard:
    """Return the leaderboard of the systems of `list_systems`, in their order."""
    standings = []
    for name, system in systems.items():
        places = system.get("rank_range", ())
        standing = Standing(
            name=name,
            score=system["score"],
            interval=_read_interval(system),
            rank="–".join(f"{place}" for place in dict.fromkeys(places)),
            is_first=1 in places[:1],
            runs=tuple(run["score"] for run in system.get("runs", {}).values()),
            delta=100 * system["delta"] if "delta" in system else None,
            p=system.get("p_value"),
            precisions="/".join(f"{100 * share:.1f}" for share in system.get("precisions", ())),
        )
        standings.append(standing)
    size = html.join(size, _count_runs(standings))
    # The sentences.
    names = list(systems)
    ranked: Any = [{"system": name, **systems[name]} for name in names if standings[0].rank]
    first_place = ""
    if ranked:
        first_place = name_first_place(ranked)
        headline = state_ranking(ranked, first_place)
        is_shared = sum(standing.is_first for standing in standings) > 1
        lead = f"{_state_lead(standings, identical, may_be_chance=is_shared)} {size}."
    elif len(names) > 2:
        headline = f"{names[0]} has the highest mean of runs."
        is_chance = may_be_chance(systems[names[1]]) and baseline == names[0]
        lead = f"{_state_lead(standings, {}, may_be_chance=is_chance)} {size}."
    else:
        headline = state_verdict(systems, baseline, bool(identical))
        lead = f"{size}."
    return Leaderboard(headline, lead.strip(), standings, prefix, baseline, first_place)


# --- Sentences ------------------------------------------------------------------------------------


def state_verdict(systems: Mapping[str, Scores], baseline: str, are_identical: bool) -> str:
    """Return the result of a comparison of two systems, the best one first, in a sentence.

    >>> systems = {"B": {"score": 21.5, "delta": 0.015, "p_value": 0.004}, "A": {"score": 20.0}}
    >>> state_verdict(systems, "A", False)
    'B scores higher than A, by 1.50 BLEU.'
    """
    best, worse = systems
    rival = systems[find_rival([best, worse], baseline)]
    if are_identical or not round(rival["delta"], 9):
        return f"{best} and {worse} {'are identical' if are_identical else 'have the same score'}."
    points = f"{100 * abs(rival['delta']):.2f} BLEU"
    if may_be_chance(rival):
        return f"{best} scores {points} higher than {worse}, which may be chance."
    return f"{best} scores higher than {worse}, by {points}."


def name_first_place(ranking: Sequence[RankedSystem]) -> str:
    """Return what is certain of the systems that no other is better than.

    They share first place if each of them is better than all others.

    >>> ranking = [{"rank_range": [1, 2]}, {"rank_range": [1, 2]}, {"rank_range": [3, 3]}]
    >>> name_first_place(ranking)
    'first place'
    >>> name_first_place([{"rank_range": [1, 2]}, {"rank_range": [1, 3]}, {"rank_range": [2, 3]}])
    'may be first'
    """
    lowest = [entry["rank_range"][1] for entry in ranking if entry["rank_range"][0] == 1]
    return "first place" if max(lowest) == len(lowest) else "may be first"


def state_ranking(ranking: Sequence[RankedSystem], first_place: str = "first place") -> str:
    """Return in a line which systems are first: those that no other is better than.

    >>> ranking = [{"system": name, "rank_range": [1, 3]} for name in "ABC"]
    >>> state_ranking(ranking)
    'All three systems share first place.'
    >>> ranking[2] = {"system": "C", "rank_range": [2, 3]}
    >>> state_ranking(ranking), state_ranking(ranking, "may be first")
    ('A and B share first place.', 'A and B may be first.')
    >>> last = [{"system": name, "rank_range": [2, 3]} for name in "BC"]
    >>> state_ranking([{"system": "A", "rank_range": [1, 1]}, *last])
    'A scores highest.'
    """
    verb = "share first place" if first_place == "first place" else first_place
    first = [entry for entry in ranking if entry["rank_range"][0] == 1]
    if len(first) == 1:
        return f"{first[0]['system']} scores highest."
    if len(first) == 2:
        return f"{first[0]['system']} and {first[1]['system']} {verb}."
    count = html.write_count(len(first))
    subject = f"{count.capitalize()} of {html.write_count(len(ranking))}"
    if len(first) == len(ranking):
        subject = f"All {count}"
    return f"{subject} systems {verb}."


def _count_runs(standings: Sequence[Standing]) -> str:
    """Return how many training runs the scores are means of; empty if of one each.

    >>> _count_runs([Standing("A", 2.0, None, "", True, (1.0, 3.0))])
    'means of 2 runs'
    """
    counts = {max(len(standing.runs), 1) for standing in standings}
    return "" if counts == {1} else f"means of {html.count_range(counts, 'run')}"


def _state_lead(
    standings: Sequence[Standing], identical: Mapping[str, str], *, may_be_chance: bool
) -> str:
    """Return by how much the best system leads, and which are identical."""
    best, second = standings[:2]
    points = f"{best.score - second.score:.2f} BLEU"
    sentences = []
    if not round(best.score - second.score, 7) and second.name not in identical:
        sentences.append(f"{best.name} and {second.name} have the same score.")
    elif identical.get(second.name) != best.name and may_be_chance:
        sentences.append(f"{best.name} leads by {points}, which may be chance.")
    elif identical.get(second.name) != best.name:
        sentences.append(f"{second.name} is next, {points} behind.")
    for standing in standings:
        if standing.name in identical:
            sentences.append(f"{standing.name} is identical to {identical[standing.name]}.")
    return " ".join(sentences)


def quote(result: QuotableReport) -> str:
    """Return the sentence of a result's report, which ends with its signature."""
    sentence, _, _ = result.report().partition("\n")
    return sentence


def add_remark(text: str, remark: str) -> str:
    """Add to a copied text what was changed before scoring, if something was."""
    return f"{text} Before scoring: {remark}." if remark else text


def add_caution(text: str, caution: str) -> str:
    """Add to a copied text why its score is in doubt, if it is."""
    return f"{text} Caution: {caution}" if caution else text


# --- The axis -------------------------------------------------------------------------------------


class Axis(NamedTuple):
    """The axis that all intervals share, in points of BLEU."""

    low: float
    high: float
    ticks: list[float]

    def place(self, value: float) -> float:
        """Return where a value is: 0 at the start of the axis, 1 at its end.

        >>> Axis(30.0, 40.0, [30.0, 35.0, 40.0]).place(32.5)
        0.25
        """
        return (value - self.low) / (self.high - self.low)

    def has(self, standing: Standing) -> bool:
        """Return whether a system is on the scale."""
        return standing.score >= self.low


def find_axis(standings: Sequence[Standing]) -> Axis:
    """Return an axis for the leading group; a system far behind it is off the scale.

    From the best score down, systems are added as long as the axis stays short. At least half of
    the systems, and two, are on it.

    >>> scores = (33.4, 33.1, 32.4, 31.5, 8.0)
    >>> intervals = [(score - 1, score + 1) for score in scores]
    >>> axis = find_axis([Standing("A", *ends, "", True) for ends in zip(scores, intervals)])
    >>> axis.ticks
    [31.0, 32.0, 33.0, 34.0]
    >>> axis.has(Standing("E", 8.0, None, "", False))
    False
    """
    by_score = sorted(standings, key=lambda standing: -standing.score)
    least = max(2, (len(by_score) + 1) // 2)
    low, high = by_score[0].find_ends()
    for count, standing in enumerate(by_score):
        start, end = standing.find_ends()
        lowest, highest = min(low, start), max(high, end)
        if count >= least and highest - lowest > _WIDEST_GROWTH * max(high - low, 1):
            break
        low, high = lowest, highest
    # Equal scores without intervals need an axis as well.
    margin = max(0.04 * (high - low), 0.1)
    low -= margin
    high += margin
    step = _find_step(high - low)
    first = math.ceil(low / step)
    last = math.floor(high / step)
    ticks = [round(step * number, 2) for number in range(first, last + 1)]
    return Axis(low, high, ticks)


def _find_step(width: float) -> float:
    """Return the distance of ticks: 1, 2 or 5 times a power of ten.

    >>> [_find_step(width) for width in (0.2, 6.0, 9.0, 80.0)]
    [0.05, 1.0, 2.0, 20.0]
    """
    power = 10.0 ** math.floor(math.log10(width / _MAX_TICKS))
    return next(
        factor * power for factor in (1, 2, 5, 10) if width / (factor * power) <= _MAX_TICKS
    )


# --- Tables ---------------------------------------------------------------------------------------


def draw_table(board: Leaderboard) -> str:
    """Return the leaderboard as a table of HTML, in which one axis has all intervals."""
    axis = find_axis(board.standings)
    best = board.standings[0]
    ticks = "".join(
        f'<text x="{100 * axis.place(tick):.2f}%" y="12" text-anchor="middle">{tick:g}</text>'
        for tick in axis.ticks
    )
    drawn_axis = html.Markup(f'<svg height="16" aria-hidden="true">{ticks}</svg>')
    title = f"{board.prefix}…" if board.prefix else "system"
    # 1. The columns: class and head; screen readers don't hear a head that is drawn.
    columns = [
        ("tier", html.Markup('<span class="bleu-unseen">place</span>')),
        ("all-names", title),
        ("number", "BLEU"),
        ("drawn", drawn_axis),
        ("number interval", "interval"),
        ("number lead", f"to {board.baseline}"),
        ("number p", "p"),
        ("number rank", "rank"),
        ("ranks", html.Markup("<!-- bars -->")),
        ("number precisions", "precisions 1 to 4"),
    ]
    # 2. The cells of each row. Columns without any are left out.
    rows = []
    for standing, place in zip(board.standings, board.list_places()):
        has_bar = board.is_long and standing.rank
        rows.append(
            [
                _FIRST_MARK if place == _MARK else html.show(place),
                html.show(html.shorten(standing.name, _SHOWN_NAME)),
                f"<b>{standing.score:.1f}</b>",
                _draw_row(standing, best, axis),
                write_interval(standing.interval, 1) if standing.interval else "",
                "–" if standing.delta is None else html.write_signed(standing.delta, 1),
                html.show(write_short_p(standing.p)),
                html.show(standing.rank),
                _draw_ranks(standing, len(board.standings)) if has_bar else "",
                standing.precisions,
            ]
        )
    kept = [at for at in range(len(columns)) if any(row[at] for row in rows)]
    head = [
        f'<td class="{kind}">{name}</td>'
        if kind in ("drawn", "ranks")
        else f'<th scope="col" class="{kind}">{html.show(name)}</th>'
        for kind, name in (columns[at] for at in kept)
    ]
    lines = []
    for standing, row in zip(board.standings, rows):
        cells = [f'<td class="{columns[at][0]}">{row[at]}</td>' for at in kept]
        full_name = html.show(board.prefix + standing.name)
        name = f'<th scope="row" class="name" dir="auto" title="{full_name}">{row[1]}</th>'
        cells[kept.index(1)] = name
        kind = ' class="first"' if standing.is_first else ""
        lines.append(f"<tr{kind}>{''.join(cells)}</tr>")
    scores = {standing.name: standing.score for standing in board.standings}
    notes = [
        _MARKED if board.has_marks else "",
        "Bars at the right: the places that a system may have." if board.is_long else "",
        explain_rounding(scores.values(), scores.get(board.baseline, best.score), digits=1),
    ]
    note = html.paragraph(" ".join(filter(None, notes)), "note") if any(notes) else ""
    kind_of_table = " long" if board.is_long else ""
    return (
        f'<div class="bleu-box" tabindex="0" role="group" aria-label="Leaderboard">'
        f'<table class="bleu-board{kind_of_table}"><thead><tr>{"".join(head)}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>{note}"
    )


_FIRST_MARK = (
    f'<span aria-hidden="true">{_MARK}</span><span class="bleu-unseen">no other is better</span>'
)


def _draw_ranks(standing: Standing, count: int) -> str:
    """Return the range of ranks of a system as a bar, from the first place at the left."""
    low, _, high = standing.rank.partition("–")
    start = 100 * (int(low) - 1) / count
    width = 100 * (int(high or low) - int(low) + 1) / count
    return (
        f'<svg height="12" aria-hidden="true"><rect class="rank" x="{start:.1f}%"'
        f' width="{width:.1f}%" y="3" height="6"/></svg>'
    )


def _draw_row(standing: Standing, best: Standing, axis: Axis) -> str:
    """Return the interval of a system on the axis, over a band that is the interval of the best."""
    words = f"{standing.score:.1f}"
    if standing.interval:
        words += f", interval {write_interval(standing.interval, 1)}"
    if standing.runs:
        words += f", runs {', '.join(f'{run:.1f}' for run in standing.runs)}"
    drawn = ""
    if best.interval:
        start, end = (100 * axis.place(end) for end in best.interval)
        drawn = f'<rect class="band" x="{start:.2f}%" width="{end - start:.2f}%" height="100%"/>'
    if not axis.has(standing):
        drawn += f'<path class="off" d="M11,5L3,11L11,17"/><text x="16" y="15">{words[:4]}</text>'
    else:
        if standing.interval:
            start, end = (100 * max(axis.place(end), 0) for end in standing.interval)
            drawn += f'<line x1="{start:.2f}%" x2="{end:.2f}%" y1="11" y2="11"/>'
        for run in standing.runs:
            drawn += f'<circle class="run" cx="{100 * axis.place(run):.2f}%" cy="11" r="3"/>'
        drawn += f'<circle cx="{100 * axis.place(standing.score):.2f}%" cy="11" r="5"/>'
    return f'<svg height="22" role="img" aria-label="{words}">{drawn}</svg>'


def explain_rounding(scores: Iterable[float], best: float, digits: int) -> str:
    """Return a sentence if a difference is not that of the rounded scores beside it.

    >>> explain_rounding([33.1149, 33.1351], best=33.1149, digits=2)
    'Differences are rounded after subtraction.'
    """
    shown_best = Decimal(f"{best:.{digits}f}")
    for score in scores:
        subtracted = Decimal(f"{score:.{digits}f}") - shown_best
        if subtracted != Decimal(f"{score - best:.{digits}f}"):
            return "Differences are rounded after subtraction."
    return ""


def write_interval(ends: tuple[float, float], digits: int = 2) -> str:
    """Write an interval in words.

    >>> write_interval((31.0, 33.456))
    '31.00 to 33.46'
    """
    low, high = ends
    return f"{low:.{digits}f} to {high:.{digits}f}"


def write_short_p(p: float | None) -> str:
    """Write a p-value as a table prints it, but with the digits that a verdict depends on.

    >>> [write_short_p(p) for p in (1.0, 0.31249, 0.0476, 0.0152, 0.0021, 0.00001, None)]
    ['1.00', '0.31', '0.048', '0.015', '0.002', '<0.001', '']
    """
    if p is None:
        return ""
    if p < 0.001:
        return "<0.001"
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def write_range(scores: Scores, digits: int = 2) -> str:
    """Return the interval of a score in BLEU; empty without one."""
    ends = _read_interval(scores)
    return write_interval(ends, digits) if ends else ""


def _read_interval(scores: Scores) -> tuple[float, float] | None:
    """Return the ends of the interval of a score, from 0 to 100; None without one."""
    if "confidence_interval" not in scores:
        return None
    low, high = scores["confidence_interval"]
    return 100 * low, 100 * high


def may_be_chance(system: Scores) -> bool:
    """Return True if a difference of a system may be chance, by the test.

    >>> may_be_chance({"delta": 0.01, "p_value": 0.01}), may_be_chance({"delta": 0.01})
    (False, True)
    """
    p_value = system.get("p_value")
    return p_value is None or p_value >= 0.05  # one segment has no p-value


def find_rival(names: Sequence[str], baseline: str) -> str:
    """Return the best system but for the baseline; names are in the order of scores."""
    return next(name for name in names if name != baseline)


def find_identical(systems: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return, for each system that has the texts of an earlier one, the name of the earlier one.

    >>> find_identical({"A": ["a"], "B": ["b"], "C": ["a"]})
    {'C': 'A'}
    """
    identical = {}
    first_of: dict[tuple[str, ...], str] = {}
    for name, texts in systems.items():
        first = first_of.setdefault(tuple(texts), name)
        if first != name:
            identical[name] = first
    return identical


# --- Groups ---------------------------------------------------------------------------------------


def render_groups(results: Mapping[str, QuotableReport], labels: Sequence[str] | None) -> str:
    """Return a table of the score of each system per group, after all segments and the mean.

    Systems are in the order of their scores, and the best of each group is bold. The text is empty
    without groups. A single system has intervals, too. In a mean of groups, each line of a small
    group would count for many.
    """
    if not labels:
        return ""
    sizes = Counter(label or _NO_LABEL for label in labels)
    names = sorted(results, key=lambda name: -results[name]["score"])
    is_single = len(names) == 1
    head = ["group", "lines", *(["BLEU", "interval"] if is_single else names)]
    has_mean = min(sizes.values()) >= _LEAST_IN_GROUP
    by_system = [_list_groups(results[name], has_mean=has_mean) for name in names]
    rows = []
    for groups in zip(*by_system):
        label, of_first = groups[0]
        scores = [f"{of_system['score']:.2f}" for _, of_system in groups]
        best = max(scores, key=float)
        bold = [html.bold(score) if score == best else score for score in scores]
        interval = [write_range(of_first)] if is_single else []
        lines = f"{sizes[label]:,}" if label in sizes else ""
        rows.append([label, lines, *(scores if is_single else bold), *interval])
    cells = [head, *([re.sub("<.*?>", "", cell) for cell in row] for row in rows)]
    signature = core.format_paragraph(results[names[0]]["signature"])
    copies = html.copy_button(f"{core.format_markdown(cells)}\n\n{signature}", "as Markdown")
    copies += html.copy_button(core.format_latex(cells), "as LaTeX")
    folded = f'{html.rows(head, rows)}<p class="bleu-copies">{copies}</p>'
    return html.fold("Score per group", folded)


def _list_groups(result: QuotableReport, *, has_mean: bool) -> list[tuple[str, Scores]]:
    """Return all segments, the mean of the groups, and each group, with their scores."""
    groups = [(label or _NO_LABEL, scores) for label, scores in result["groups"].items()]
    mean = {name.removeprefix("macro_"): result[name] for name in result if "macro_" in name}
    means = [("mean of the groups", mean)] if has_mean else []
    return [("all", result), *means, *groups]
