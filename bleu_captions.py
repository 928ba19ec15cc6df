"""The tokenizer of captions, `ptb`: the tokens that pycocoevalcap scores, without Java.

pycocoevalcap runs Stanford's PTBTokenizer 3.4.1, and then removes punctuation. The kinds of tokens
follow the conventions of the Penn Treebank and were compared with the tokens that the program
prints; its source was not read. `KINDS` has one record per kind. Together they are one regular
expression: at each position, the first kind that fits takes its text. Characters that no kind fits
are left out: spaces, quotation marks, most punctuation, and characters that the program does not
know, such as most emoji.

The time grows with the length of a caption. A kind that fails has looked at few characters, or at
characters that a later kind takes as one token, and no pattern can fit the same text in two ways.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# --- Tables ---------------------------------------------------------------------------------------

# Abbreviations that keep their period.
_ABBREVIATIONS = """
    adj adm adv al ala alex apr ariz assn assoc asst atty aug ave bancorp bhd bldg blvd brig bros
    calif capt cf cmdr co col colo conn corp cos cpl ct dak dec dept dr drs elec ens esq est etc ext
    feb fla fri ft ga gen gov hon inc ind insp intl invt jan jos jr jul jun kan kans ky lt ltd maj
    mar md messrs mfg mich minn mlle mme mo mon mont mr mrs ms msgr mt natl neb nev nov oct okla
    penn ph plc pres prof pvt rd rep rev rt sen sep sept seq sgt spc sq sr st ste supt sys tel tenn
    thu thurs treas tue tues univ va vs vt wed wis wisc wm wyo
"""

# Abbreviations that keep their period if they begin with a capital letter; they are words, too.
_CAPITALIZED_ABBREVIATIONS = "Ark Del Ill La Mass Miss Ore Pa Tex Wash"

# Abbreviations that keep their period before a number.
_ABBREVIATIONS_BEFORE_NUMBERS = "art ca fig figs no nos op pp"

# Words that start a sentence: before them, the period after a single letter is a full stop.
_SENTENCE_STARTERS = """
    A About According After An As At But He Her Here However If In It Last Many More Now Once One Or
    Other Our She Since So Some Such That The Their Then There These They This We What When While
    Yet You
"""

# Words that are not split at their apostrophe, in addition to the kinds with rules.
_WITH_APOSTROPHE = "c'mon cap'n e'er li'l nat'l s'mores"

# Words that end, and words that begin, with an apostrophe.
_BEFORE_APOSTROPHE = "dunkin ol somethin"
_AFTER_APOSTROPHE = "cause em til"

_CONTRACTIONS = "'s 'm 'd 'll 're 've n't"

# Tokens that are replaced, in lower case. Punctuation that no kind takes needs no replacement.
_NORMAL_FORMS = {
    "&amp;": "&",
    "&lt;": "<",
    "&gt;": ">",
    "(": "-lrb-",
    ")": "-rrb-",
    "[": "-lsb-",
    "]": "-rsb-",
    "{": "-lcb-",
    "}": "-rcb-",
    "¢": "cents",
    "£": "#",
    "¤": "$",
    "₠": "$",
    "€": "$",
    "¼": "1/4",
    "½": "1/2",
    "¾": "3/4",
    "⅓": "1/3",
    "⅔": "2/3",
}
_NORMAL_FORMS |= {form.replace("'", "’"): form for form in _CONTRACTIONS.split()}

# Replaced within tokens, such as telephone numbers, emoticons and addresses.
_NORMAL_PARTS = (
    ("(", "-lrb-"),
    (")", "-rrb-"),
    ("&amp;", "&"),
    ("&apos;", "'"),
)

# Entities of HTML for spaces, dashes and quotation marks, which are removed.
_REMOVED_ENTITIES = {"&quot;", "&apos;", "&nbsp;", "&ndash;", "&mdash;"}


def _any_of(words: str) -> str:
    """Return a pattern for the words of a table, with straight or curly apostrophes.

    >>> _any_of("ma'am ol")
    "(?:ma['’]am|ol)"
    """
    alternatives = "|".join(words.replace("'", "['’]").split())
    return f"(?:{alternatives})"


# --- Parts of patterns ----------------------------------------------------------------------------

# A letter or digit of the Basic Multilingual Plane. `\w` also fits superscripts, fractions and
# circled numbers, which are symbols here.
_ALNUM = (
    r"[^\W_\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209c\u2150-\u218b\u2460-\u24ff\u2776-\u2793"
    r"\U00010000-\U0010ffff]"
)
_LETTER = r"[^\W\d_]"
# A combining mark or vowel sign.
_MARK = (
    r"(?:(?!\w)[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065e\u0900-\u0dff\u0e31-\u0e4e])"
)
_LETTERS = rf"{_ALNUM}+(?:{_MARK}+{_ALNUM}*)*"
_WORD = rf"{_LETTERS}(?:_{_LETTERS})*"
_ASCII_WORD = r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*"
_SUFFIX = r"(?:['’]|&apos;)(?i:ll|re|ve|[smd])"
_NOT = r"(?i:n(?:['’`]|&apos;)t)(?!\w)"
_HALF = (
    r"(?i:can(?=not)|gon(?=na)|got(?=ta)|wan(?=na)|gim(?=me)|lem(?=me))(?=(?i:not|na|ta|me)(?!\w))"
)
# A period before a comma, colon or semicolon belongs to the word.
_KEPT_PERIOD = r"(?:\.(?=[,;:]))?"
_HYPHENATED = rf"(?:-{_ALNUM}+)*"
_IN_ADDRESS = r"[^\s\"<>|(){}]"
_LAST_OF_ADDRESS = r"[^\s\"<>|(){}.,:;!?'-]"
_LABEL = r"[\w-]{1,63}"


class Kind(NamedTuple):
    """A kind of token.

    name: its name.
    pattern: the regular expression for its text.
    example: a text that contains the kind.
    tokens: the tokens of the example, separated by spaces.
    """

    name: str
    pattern: str
    example: str
    tokens: str


# The kinds, in the order in which they are tried.
KINDS = (
    Kind(
        "plain word",  # a fast path for most words of captions
        rf"(?!{_HALF})[a-z]+(?=[ ]|$)",
        example="a dog runs",
        tokens="a dog runs",
    ),
    Kind(
        "tag",
        r"<[/?]?[A-Za-z][\w.:@-]*(?:[ ]+[A-Za-z][\w.:-]*(?:=(?:\"[^\"<>]*\"|'[^'<>]*'))?)*"
        r"[ ]*[/?]?>",
        example="<b>bold</b>",
        tokens="<b> bold </b>",
    ),
    Kind(
        "URL",
        rf"(?i:https?)://{_IN_ADDRESS}*{_LAST_OF_ADDRESS}",
        example="see http://a.org/b.",
        tokens="see http://a.org/b",
    ),
    Kind(
        "page of a site",
        r"(?:(?:[a-z0-9]{1,63}\.){1,9}(?:com|net|org|edu)"
        rf"|(?i:www)\.{_LABEL}(?:\.{_LABEL}){{1,9}})/{_IN_ADDRESS}+{_LAST_OF_ADDRESS}",
        example="at flickr.com/photos",
        tokens="at flickr.com/photos",
    ),
    Kind(
        "e-mail address",
        r"(?:mailto:)?[A-Za-z0-9][\w.%+&'/-]{0,63}@[^\s\"<>|(){}.]+(?:\.[^\s\"<>|(){}.]+)*",
        example="ask me@foo.org.",
        tokens="ask me@foo.org",
    ),
    Kind("@name", r"@[A-Za-z_]\w*", example="@jane_2 waves", tokens="@jane_2 waves"),
    Kind("#tag", r"#[A-Za-z]+", example="fun #snow!", tokens="fun #snow"),
    Kind(
        "emoticon",
        r"[<>]?[:;=](?:-?[()DPp\[\]|\\@{]|['’][()]|o\))(?!\w)|\^_\^|-_-|~_~|=_=|>_<",
        example="nice :-)",
        tokens="nice :--rrb-",
    ),
    Kind(
        "telephone number",
        r"(?:\(\d{2,3}\)[- ]?|\+\d{1,2}[- ]\d{2,4}[- ]|\+?\d{2,4}[- ](?:\d{2,4}[- ])?)"
        r"\d{3,4}[- ]?\d{3,5}",
        example="call (555) 123-4567",
        tokens="call -lrb-555-rrb- 123-4567",
    ),
    Kind(
        "year without a century",
        r"['’](?:[2-9]0s(?!\w)|\d\d(?=[ ]|$))",
        example="the '90s of '98",
        tokens="the '90s of '98",
    ),
    Kind("first half of a word", _HALF, example="cannot", tokens="can not"),
    Kind("word before n't", rf"[A-Za-z]+?(?={_NOT})", example="don't", tokens="do n't"),
    Kind("n't", _NOT, example="isn’t", tokens="is n't"),
    Kind("'t before is, was", r"'[Tt](?=(?i:is|was)(?!\w))", example="'tis", tokens="'t is"),
    Kind(
        "word after an apostrophe",
        rf"['’]n['’]|['’](?i:{_any_of(_AFTER_APOSTROPHE)})",
        example="rock 'n' roll with 'em",
        tokens="rock 'n' roll with 'em",
    ),
    Kind(
        "suffix",
        rf"(?:{_SUFFIX}|['’]n)(?!\w)",
        example="it's more'n mine",
        tokens="it 's more 'n mine",
    ),
    Kind(
        "HTML entity",
        r"&(?i:amp|lt|gt|quot|apos|nbsp|ndash|mdash);|&#[0-9]+;",
        example="salt &amp; pepper",
        tokens="salt & pepper",
    ),
    Kind(
        "apostrophe between vowels",
        r"[A-Za-z]+[AEIOUaeiou]['’](?!(?i:ll|re|ve|[smd])(?!\w))[AEIOUaeiou][A-Za-z]*",
        example="Xi'an",
        tokens="xi'an",
    ),
    Kind(
        "word with an apostrophe",
        rf"(?i:{_any_of(_WITH_APOSTROPHE)})(?!\w)|(?i:{_any_of(_BEFORE_APOSTROPHE)})['’](?!\w)",
        example="ol' s'mores",
        tokens="ol' s'mores",
    ),
    Kind(
        "name with an apostrophe",
        rf"(?!{_ALNUM}{_SUFFIX}(?!\w))[dlnoA-HK-XZ]['’][A-Za-z]{{2,}}{_HYPHENATED}",
        example="O'Neill at one o'clock",
        tokens="o'neill at one o'clock",
    ),
    Kind(
        "elision",
        r"[DJLYdjly]['’](?=[A-Za-z])(?!(?i:ll|re|ve|[smd])(?!\w))",
        example="y'all",
        tokens="y' all",
    ),
    Kind(
        "capitals with & or $",
        r"[A-Z]+(?:&(?:amp;)?[A-Z]+)+|[A-Z]{1,3}\$",
        example="AT&T for US$5",
        tokens="at&t for us$ 5",
    ),
    Kind("programming language", r"[Cc]\+\+|[CcFf]#", example="C++", tokens="c++"),
    Kind(
        "initials",
        rf"(?:{_ALNUM}{{1,40}}-){{0,3}}(?:[A-Za-z]\.){{2,}}"
        rf"(?:-(?:(?:[A-Za-z]\.){{2,}}|{_ALNUM}+))*(?![A-Za-z])"
        r"|[Pp][Hh]\.[Dd]\.(?:-[A-Za-z]{2,})?",
        example="a U.S. flag",
        tokens="a u.s. flag",
    ),
    Kind(
        "words without a space",
        rf"(?i:www)(?:\.{_LABEL})+"
        rf"|{_LETTER}[^\W_]*(?:[.!?]{_LETTER}[^\W_]*)+{_HYPHENATED}{_KEPT_PERIOD}",
        example="the end.Start",
        tokens="the end.start",
    ),
    Kind(
        "single letter with a period",
        rf"[A-Za-z]\.(?![ ]{_any_of(_SENTENCE_STARTERS)}[ ])",
        example="Samuel L. Jackson has plan B. The dog runs",
        tokens="samuel l. jackson has plan b the dog runs",
    ),
    Kind(
        "abbreviation",
        # All have two to seven letters; without the lookahead, 150 are tried at each position.
        rf"(?=\w{{2,7}}\.)(?:(?i:{_any_of(_ABBREVIATIONS)})"
        rf"|{_any_of(_CAPITALIZED_ABBREVIATIONS)}|{_any_of(_CAPITALIZED_ABBREVIATIONS.upper())}"
        rf"|(?i:{_any_of(_ABBREVIATIONS_BEFORE_NUMBERS)})(?=\.[ ]?\d))\.{_HYPHENATED}",
        example="Mr. Smith has no. 5",
        tokens="mr. smith has no. 5",
    ),
    Kind(
        "date",
        rf"\d{{1,2}}/\d{{1,2}}/\d{{1,4}}(?!\w|-{_LETTER})",
        example="on 12/31/1999",
        tokens="on 12/31/1999",
    ),
    Kind(
        "number with a unit",
        rf"\d+(?:[.,]\d+)+(?:-[^\W_]+)+|\d+/\d+(?:-{_LETTER}\w*)+",
        example="a 0.5-inch nail",
        tokens="a 0.5-inch nail",
    ),
    Kind(
        "fraction",
        r"(?:(?<![\d.,])\d{1,4}[- ])?\d{1,4}[/⁄]\d{1,4}",
        example="1 1/2 cups",
        tokens="1 1/2 cups",
    ),
    Kind(
        "number",
        r"(?:(?<!-)[-+])?(?:\d+(?:[.,:]\d+)+|(?<!\.\.)[.,:]\d+(?:[.,:]\d+)*)|(?<!-)[-+]\d+",
        example="1,000.50 at 10:30 and -5",
        tokens="1,000.50 at 10:30 and -5",
    ),
    Kind(
        "word",
        rf"{_ASCII_WORD}(?:/{_ASCII_WORD}){{1,2}}|{_WORD}(?:[-‐‑]{_WORD})*{_KEPT_PERIOD}",
        example="well-known and/or naïve 3rd",
        tokens="well-known and/or naïve 3rd",
    ),
    Kind(
        "repeated marks",
        r"[!?]{2,}|-{5,}|_+|\*+|#+|@+|[²³¹⁰⁴-⁹₀-₉]+|[‚„‟]+",
        example="wow!! 10²³",
        tokens="wow !! 10 ²³",
    ),
    Kind(
        "symbol",
        r"[]$%&+=~^|\\/<>(){}[\u00a1-\u00a9\u00ac\u00ae-\u00b8\u00bc-\u00bf\u00d7\u00f7\u2016\u2017"
        r"\u2020-\u2023\u2030-\u2038\u203b-\u2044\u2070-\u208e\u20a0\u20a4\u20ac\u2100-\u214f"
        r"\u2153-\u215e\u2190-\u244a\u2460-\u2bff\u3001\u3002\uff01-\uffe6]",
        example="5% (½)",
        tokens="5 % -lrb- 1/2 -rrb-",
    ),
)

# The spaces after a token are taken with it. No kind fits there, and trying all would take as long
# as the tokens.
_TOKEN = re.compile(f"({'|'.join(kind.pattern for kind in KINDS)})[ ]*")

# Java's program starts a new line at each of these, and pycocoevalcap then pairs later captions
# with wrong images. A line feed within a caption is safe: pycocoevalcap replaces it with a space.
LINE_BREAKS = "[\\v\\f\\r\u2028\u2029]"


def tokenize_ptb(segment: str) -> list[str]:
    """Split and lower-case as pycocoevalcap does, without punctuation, for captions.

    In pycocoevalcap, the first word of the next caption can decide whether a final `B.` keeps its
    period. Here a caption's tokens depend on the caption alone.

    >>> tokenize_ptb("Two dogs can't cross St. Mark's Square (empty).")
    ['two', 'dogs', 'ca', "n't", 'cross', 'st.', 'mark', "'s", 'square', '-lrb-', 'empty', '-rrb-']
    """
    text = segment.replace("\n", " ").replace("\u00ad", "")
    tokens = []
    for found in _TOKEN.findall(text):
        token = found.lower()
        if token.isalnum() and token not in _NORMAL_FORMS:  # most tokens
            tokens.append(token)
        elif token not in _REMOVED_ENTITIES:
            # The program joins the parts of a token by no-break spaces. pycocoevalcap's BLEU splits
            # there.
            tokens += _normalize(token).split()
    return tokens


def _normalize(token: str) -> str:
    """Return the form of a token that the program prints.

    >>> _normalize("(555) 123-4567")
    '-lrb-555-rrb- 123-4567'
    """
    if token in _NORMAL_FORMS:
        return _NORMAL_FORMS[token]
    normal = token
    for part, replacement in _NORMAL_PARTS:
        normal = normal.replace(part, replacement)
    return normal
