"""The tokenizer of captions: a table of truth, each kind of token, and time that grows with the text."""

import re
import time
from itertools import pairwise

import pytest
from bleu.bleu_core.rules import captions
from bleu.bleu_core.rules.captions import TOKEN_CLASSES, tokenize_ptb

# The middle column: tokens printed by PTBTokenizer 3.4.1, without the punctuation that pycocoevalcap removes.
TRUTH = [
    ("A man riding a wave on top of a surfboard.", "a man riding a wave on top of a surfboard"),
    ("Two dogs can't cross the street", "two dogs ca n't cross the street"),
    ("It's a dog's life, isn't it?", "it 's a dog 's life is n't it"),
    ("the dogs' tails wag", "the dogs tails wag"),
    ("They're sure we'd've won", "they 're sure we 'd 've won"),
    ("You'll see they won't and don't", "you 'll see they wo n't and do n't"),
    ("CAN'T STOP, WON'T STOP", "ca n't stop wo n't stop"),
    ("don’t touch the cat’s toy", "do n't touch the cat 's toy"),
    ("cannot gonna wanna gotta gimme lemme", "can not gon na wan na got ta gim me lem me"),
    ("'tis the season and 'twas night", "'t is the season and 't was night"),
    ("rock 'n' roll with 'em", "rock 'n' roll with 'em"),
    ("y'all ain't at o'clock", "y' all ai n't at o'clock"),
    ("O'Neill and D'Angelo met l'amour", "o'neill and d'angelo met l'amour"),
    ("ol' man in Xi'an with ma'am", "ol' man in xi'an with ma'am"),
    ("the '90s, mid-'80s and '98", "the '90s mid '80s and '98"),
    ('she said "hello there" twice', "she said hello there twice"),
    ("'single' and ``old'' quotes", "single and old quotes"),
    ("“curly” and ‘single’ quotes", "curly and single quotes"),
    ("5 o'clock at No. 5, no. 7, No. way", "5 o'clock at no. 5 no. 7 no way"),
    ("3.5 or 1,000 or 1,000,000.50 people", "3.5 or 1,000 or 1,000,000.50 people"),
    ("$5, £6, €7.50, 8¢ and ¥9", "$ 5 # 6 $ 7.50 8 cents and ¥ 9"),
    ("50% off at 10:30 or 10:30am or 5 p.m.", "50 % off at 10:30 or 10:30 am or 5 p.m."),
    ("1/2 cup, 1 1/2 cups, ½ cup, 2½ cups, ¾", "1/2 cup 1 1/2 cups 1/2 cup 2 1/2 cups 3/4"),
    ("12/31/1999 and 2012-12-25 and 3/4", "12/31/1999 and 2012-12-25 and 3/4"),
    ("call (555) 123-4567 or 555-1234", "call -lrb-555-rrb- 123-4567 or 555-1234"),
    ("-5 degrees, +5 and 5-6 players", "-5 degrees +5 and 5-6 players"),
    ("the 1990's, the 1980s, 1990-2000", "the 1990 's the 1980s 1990-2000"),
    ("21st 3rd 5km 10lbs. 3D 2x4", "21st 3rd 5km 10lbs 3d 2x4"),
    ("a two-year-old, a 3-year-old and a 0.5-inch nail", "a two-year-old a 3-year-old and a 0.5-inch nail"),
    ("6'2\" tall and 5°C", "6 2 tall and 5 ° c"),
    ("Mr. Smith and Mrs. Jones, Dr. No", "mr. smith and mrs. jones dr. no"),
    ("St. Louis, Mo. vs. Fla. in Sept. etc.", "st. louis mo. vs. fla. in sept. etc."),
    ("the U.S. flag, a U.K. one and D.C.", "the u.s. flag a u.k. one and d.c."),
    ("a U.S.-based J.F.K. impersonator", "a u.s.-based j.f.k. impersonator"),
    ("Samuel L. Jackson has plan B. The dog runs", "samuel l. jackson has plan b the dog runs"),
    ("vitamin C. is good", "vitamin c. is good"),
    ("at 5 a.m. and i.e. e.g. Ph.D. holders", "at 5 a.m. and i.e. e.g. ph.d. holders"),
    ("Inc., Corp. and Co. of the N.B.A.", "inc. corp. and co. of the n.b.a."),
    ("approx. 5 tbsp. of sugar", "approx 5 tbsp of sugar"),
    ("Miss. and miss. and Mass. mass.", "miss. and miss and mass. mass"),
    ("AT&T, R&D, B&B and Ben&Jerry", "at&t r&d b&b and ben & jerry"),
    ("US$5 and A$6 from C++ and C#", "us$ 5 and a$ 6 from c++ and c#"),
    ("a dog (running) in [the] {park}", "a dog -lrb- running -rrb- in -lsb- the -rsb- -lcb- park -rcb-"),
    ("<b>bold</b> and <unk> <start of x>", "<b> bold </b> and <unk> <start of x>"),
    ("a < b > c", "a < b > c"),
    ("half-empty state-of-the-art x-ray", "half-empty state-of-the-art x-ray"),
    ("dog--cat and dog---cat and ----- cat", "dog cat and dog cat and ----- cat"),
    ("dog — cat, dog—cat, 5–6", "dog cat dog cat 5 6"),
    ("-dash dash- - --", "dash dash"),
    ("and/or he/she w/ w/o 24/7", "and/or he/she w / w/o 24/7"),
    ("wow! wow!! what?! what?? hm... .... ..", "wow wow !! what ?! what ?? hm"),
    ("end.Start of sentence.Next", "end.start of sentence.next"),
    ("dog.cat!dog?cat", "dog.cat!dog?cat"),
    ("http://www.foo.com/bar?x=1, https://foo.org.", "http://www.foo.com/bar?x=1 https://foo.org"),
    ("www.foo.com and foo.com/bar flickr.com/photos", "www.foo.com and foo.com/bar flickr.com/photos"),
    ("me@foo.com, @jane_2 and #snow #tag1", "me@foo.com, @jane_2 and #snow #tag 1"),
    (":) :-) :( ;) :D =) :P 8)", ":-rrb- :--rrb- :-lrb- ;-rrb- :d =-rrb- :p 8 -rrb-"),
    (":'( >:( ^_^ o_O <3 :/", ":'-lrb- >:-lrb- ^_^ o_o < 3 /"),
    ("😀 dog 🐶cat ☺ ♥ ★ →", "dog cat ☺ ♥ ★ →"),
    ("café naïve Zürich Łódź piñata", "café naïve zürich łódź piñata"),
    ("日本 Москва हिन्दी ελ", "日本 москва हिन्दी ελ"),
    ("&amp; A&amp;B &lt;3 &quot;hi&quot; it&apos;s &mdash; &#39;", "& a&b < 3 hi it 's &#39;"),
    ("http://a.b/c&amp; #tag www.a.com/b?x=1&AMP;y a.org/b&amp;c", "http://a.b/c&amp; #tag www.a.com/b?x=1&amp;y a.org/b&amp;c"),
    ("me@foo.org&amp; m&amp;e@foo.org &lt;me@foo.org&gt;", "me@foo.org&amp; m&amp;e@foo.org &lt;me@foo.org&gt;"),
    ("a.com&amp; @jane&amp; #tag&amp; AT&amp;T&amp; A&AMP;B.", "a.com & @jane & #tag & at&t & a&b"),
    ("#tag&eacute; a.com&eacute; www.a.com&Uuml; U.S.&Uuml; AT&Uuml; &Uuml;a.com", "#tag&eacute; a.com&eacute; www.a.com&uuml; u.s.&uuml; at&uuml; &uuml;a.com"),
    ("a_b _a snake_case a__b __", "a_b _ a snake_case a __ b __"),
    ("** * ## # @@ @ == ++ ~~ %%", "** * ## # @@ @ = = + + ~ ~ % %"),
    ("© ™ • ° § 5² H₂O x³", "© ™ • ° § 5 ² h ₂ o x ³"),
    ("a, b; c: d! e? f.", "a b c d e f."),
    ("dog, cat ,dog", "dog cat dog"),
    ("dog., cat.; bird.:", "dog. cat. bird."),
    ("a.b a.b.c a. b. c.", "a.b a.b.c a. b. c."),
    ("10,000th 5.5km 5:30pm 4p.m.", "10,000 th 5.5 km 5:30 pm 4p m."),
    ("+1 555 123 4567", "+1 555 123 4567"),
    ("123-45-6789", "123-45-6789"),
    ("1-800-555-1234", "1-800-555-1234"),
    ("Hawai'i and Qur'an", "hawai'i and qur an"),
    ("goin' fishin' somethin' Dunkin'", "goin fishin somethin' dunkin'"),
    ("int'l gov't nat'l", "int l gov t nat'l"),
    ("it´s can`t", "it ´ s ca n`t"),
    ("e.g., i.e., etc.;", "e.g. i.e. etc."),
    ("Jan. 5, jan. 5 and may. 5", "jan. 5 jan. 5 and may 5"),
    ("Nov. 11, Dec. 25, Sat. Sun.", "nov. 11 dec. 25 sat sun"),
    ("pp. 5-6, Fig. 2, figs. 3, fig. x", "pp. 5-6 fig. 2 figs. 3 fig x"),
    ("Q&A: M&M's, PB&J", "q&a m&m 's pb&j"),
    ("'s 'm 'd 'll 're 've n't", "'s 'm 'd 'll 're 've n't"),
    ("\"I'm\", 'I've', (he'd)", "i 'm i 've -lrb- he 'd -rrb-"),
    ("CD's, DVDs, 4x4's, 80's", "cd 's dvds 4x4 's 80 's"),
    ("no.5 No.5 #5 #5a", "no. 5 no. 5 # 5 # 5a"),
    ("a.m.-p.m. Mon.-Fri.", "a.m.-p.m. mon.-fri"),
    ("“Hello,” she said.", "hello she said"),
    ("dog,cat dog;cat dog:cat", "dog cat dog cat dog cat"),
    ("dog\"cat dog'cat dog(cat)", "dog cat dog cat dog -lrb- cat -rrb-"),
    ("5,a a,5 a:5 5:a", "5 a a ,5 a :5 5 a"),
    ("dog…cat dog...cat", "dog cat dog cat"),
    ("$1.5m £3m 1.5bn", "$ 1.5 m # 3m 1.5 bn"),
    ("10% 10%-20% 5-%", "10 % 10 % -20 % 5 %"),
    ("½-inch 3½-inch 1/4-inch", "1/2 inch 3 1/2 inch 1/4-inch"),
    ("a 12 100 1000 b", "a 12 100 1000 b"),
    ("x 5'10 y", "x 5 '10 y"),
    ("$ & % * + = ~ ^ | \\ / @", "$ & % * + = ~ ^ | \\ / @"),
    ("The T.V. is on. The end.", "the t.v. is on the end"),
    ('A sign that says "St. Mark\'s Sq."', "a sign that says st. mark 's sq."),
    ("Two men (one in red) play Wii.", "two men -lrb- one in red -rrb- play wii"),
    ("a\xadb soft-hyphen", "ab soft-hyphen"),
    ("2.5.6 1,2,3 1.000,50", "2.5.6 1,2,3 1.000,50"),
    ("one,two, three", "one two three"),
    # letters, marks and digits of other scripts
    ("l'état, d’énergie, n’apprécie", "l'état d’énergie n’apprécie"),
    ("c'est qu'une, j'ai, maître d' hôtel", "c'est qu'une j' ai maître d' hôtel"),
    ("aujourd'hui, s'il, la main-d'œuvre", "aujourd hui s il la main-d'œuvre"),
    ("O'Brienová, O‘Mahoneys", "o'brienová o‘mahoneys"),
    ("ƙa'idar, na'Passenger, dell'anno", "ƙa'idar na'passenger dell anno"),
    ("İstanbul'da, Ankara’da, п'ять", "i̇stanbul da ankara 'd a п ять"),
    ("#eldhofið #формулы #日本1 @twitter还", "#eldhofið #формулы #日本 1 @twitter 还"),
    ("आधा-यायावर 7वे 15वीं", "आधा यायावर 7व े 15व ीं"),
    ("चलते हैं। ভালো আছি।", "चलते हैं । ভালো আছি ।"),
    ("クリス・ジョンが、「カニエ」。", "クリス ・ ジョンが 、 カニエ 。"),
    ("また、rt.comで x）：@twitter还", "また、rt.com で x）：@twitter还"),
    ("אחת־שתים ב-1948 צה\"ל", "אחת ־ שתים ב-1948 צה ל"),
    ("هل هذا؟ ٣٫٤ و ١٢٣٬٤٥٦", "هل هذا ؟ ٣٫٤ و ١٢٣٬٤٥٦"),
    ("می\u200cروم क्\u200dष", "می روم क् ष"),
    ("１２/０３/２０２０ १/२ -٥", "１２/０３/２０２０ १/२ -٥"),
    ("«so» „so“ “‘so’” »so«", "so „ so ``` so '\'' so"),
    ("e.g. Nº 5, т.е. Б. é.", "e.g. nº 5 т.е б é"),
    ("10.02.-11.02. 16.-19 21.-25.5 u-70km/h", "10.02.-11 .02 16.-19 21.-25 .5 u-70km / h"),
    ("caf&eacute; na&iuml;ve", "caf&eacute; na&iuml;ve"),
    # rare in English
    ("don'ts don'tcha 2/3rds approx.-max", "do n'ts do n'tcha 2/3rds approx.-max"),
    ("a \"'80s hit\" 'TIL (^^)", "a '80s hit 'til -lrb-^^-rrb-"),
    ("www.a.org/mars; a ''' b", "www.a.org/mars; a b"),
    ("the'China o'o actors,37-year-old", "the'china o'o actors,37-year-old"),
    ("5G-4K/8K-AI S&P-500 HTML+CSS 1.jpg", "5g-4k / 8k-ai s&p-500 html+css 1.jpg"),
    ("Ms. B. Ms. A, plan B. THE dog, sens. Pty.", "ms. b ms. a plan b the dog sens. pty."),
    ("<!-- a --> <é> <?xml?>", "<!-- a --> < é > <?xml?>"),
    # captions that were tokenized before, with the Penn Treebank's escapes
    ("two dogs -LRB- one brown -RRB- run", "two dogs -lrb- one brown -rrb- run"),
    ("-lsb- a -Rsb- -LcB- b -RCB-", "-lsb- a -rsb- -lcb- b -rcb-"),
    ("-LRB-a-RRB- -LRB--RRB- -LRB-'s -lrb-5", "-lrb- a-rrb -lrb- -rrb- -lrb- 's -lrb- 5"),
    ("a-LRB-b --LRB- -LAB- -LRB LRB-", "a-lrb-b lrb lab lrb lrb"),
    ("-LRB--5 -LRB-.5 -LRB-can't", "-lrb- -5 -lrb- .5 -lrb- ca n't"),
    ("1\\/2 cup and\\/or 5\\/6\\/2012 \\*\\*", "1\\/2 cup and\\/or 5\\/6\\/2012 \\*\\*"),
    ("call 555-123-4567-RRB- :’)", "call 555-123-4567-rrb -rrb-"),
    # a single character, or a hyphen and one, after an abbreviation that may end a sentence
    ("Inc.-5 Inc.-55 Inc.a Inc.ab", "inc. -5 inc.-55 inc. a inc.ab"),
    ("etc.a_b etc.a-b etc.a/b etc.a.b", "etc. a_b etc.a-b etc. a/b etc.a.b"),
    ("Ph.D.he'll Ph.D.a Ph.D.-a Ph.D.-level", "ph.d.he 'll ph.d. a ph.d. a ph.d.-level"),
    ("Dr.a St.-5 Jr.n't Jr.a's Co.é", "dr.a st.-5 jr. n't jr.a 's co. é"),
    ("Miss.a miss.a mISS. MiSS. PTE. pTe. MTG. mtG.", "miss. a miss.a miss miss. pte pte. mtg mtg."),
    ("U.S.5a-b U.S.-aé ab.-U.S. ex-U.S.-x.,", "u.s.5a-b u.s.-a é ab.-u.s. ex-u.s.-x."),
    ("B...5 a....5 St..,5 plan B. <b>x", "b. .5 a. 5 st. ,5 plan b. <b> x"),
    # contractions of words that are split, and of words with an apostrophe
    ("cannot've cannot'd cannot cannot.", "cannot 've cannot 'd can not can not"),
    ("gonna've gonna'em GONNA/x lemme.-n", "gonna 've gonna'em gonna/x lemme.-n"),
    ("donn't nn't nat'll li'll ol'me ol'x", "donn t nn t nat 'll li 'll ol me ol' x"),
    ("'N' d've-n T'll5 she`D go's", "'n' d've-n t 'll 5 she`d go 's"),
]  # fmt: skip


@pytest.mark.parametrize(("caption", "tokens"), TRUTH)
def test_tokens_of_the_program(caption, tokens):
    assert tokenize_ptb(caption) == tokens.split()


@pytest.mark.parametrize("kind", TOKEN_CLASSES, ids=lambda kind: kind.name)
def test_each_kind_has_an_example(kind):
    """The tokens of the example, and the kind fits one of them."""
    assert tokenize_ptb(kind.example) == kind.tokens.split(" ")
    assert re.search(kind.pattern, kind.example.translate(captions._CLASS_OF))


@pytest.mark.parametrize(
    "kind", [kind for kind in TOKEN_CLASSES if kind.is_address], ids=lambda kind: kind.name
)
def test_an_address_takes_the_pattern_with_addresses(kind):
    """Each is found without other text, and where it ends the text."""
    (address,) = [token for token in kind.tokens.split() if "." in token][:1]
    assert tokenize_ptb(address) == [address]


def test_classes_of_characters_are_disjoint():
    """A character beyond ASCII stands in one class at most, and each class has its own character."""
    ranges = captions.CLASS_RANGES
    assert ranges[0][0] == 128
    assert all(last < following for (_, last, _), (following, _, _) in pairwise(ranges))
    assert len(set(captions.CHARACTER_CLASSES)) == len(captions.CHARACTER_CLASSES)


def test_the_names_of_kinds_differ():
    assert len({kind.name for kind in TOKEN_CLASSES}) == len(TOKEN_CLASSES)


@pytest.mark.parametrize(
    "caption", ["", " ", "\n", ".", "...", "'", "``''", "😀", "\u200b", "- -- ---"]
)
def test_captions_without_tokens(caption):
    assert tokenize_ptb(caption) == []


def test_a_line_feed_is_a_space():
    """pycocoevalcap replaces it before the program sees it."""
    assert tokenize_ptb("a dog\nruns") == ["a", "dog", "runs"]


def test_a_final_letter_keeps_its_period_whatever_comes_next():
    """In the program, the next caption decides; here only a word of the same caption does."""
    assert tokenize_ptb("plan B.") == ["plan", "b."]
    assert tokenize_ptb("plan B. The dog") == ["plan", "b", "the", "dog"]


@pytest.mark.parametrize("lowercase", [False, True])
def test_lowercase_changes_no_token(load, lowercase):
    """A capital tells that a period ends a sentence, so text is not lower-cased before it is split."""
    corpus = {"predictions": ["Plan B. The dog"], "references": ["plan b the dog"]}
    result = load("coco", lowercase=lowercase).compute(**corpus)
    assert result["counts"] == [4, 3, 2, 1]
    assert f"|case:{'lc' if lowercase else 'mixed'}|" in result["signature"]


ABBREVIATIONS = [
    word
    for name in (
        "_ABBREVIATIONS",
        "_FINAL_ABBREVIATIONS",
        "_CAPITALIZED_ABBREVIATIONS",
        "_ABBREVIATIONS_BEFORE_NUMBERS",
    )
    for word in getattr(captions, name).split()
]


@pytest.mark.parametrize("word", ABBREVIATIONS)
def test_each_abbreviation_of_the_tables_keeps_its_period(word):
    """The pattern looks for two to seven letters and a period before it tries the words."""
    assert tokenize_ptb(f"the {word}. 5") == ["the", f"{word.lower()}.", "5"]


LINE_BREAKS = ["\r", "\v", "\f", "\r\n", "\u2028", "\u2029"]


@pytest.mark.parametrize("line_break", LINE_BREAKS)
def test_line_breaks_that_captions_cannot_have(load, line_break):
    """Java's program starts a line there, so that all later captions would belong to other images."""
    bleu = load("coco")
    code = f"U\\+{ord(line_break[0]):04X}"
    good = ["a dog", "a cat sits there"]
    bad = ["a dog", f"a{line_break}cat sits there"]
    with pytest.raises(ValueError, match=rf"predictions\[1\]: contains {code}"):
        bleu.compute(predictions=bad, references=good)
    with pytest.raises(ValueError, match=rf"references\[1\]: contains {code}"):
        bleu.compute(predictions=good, references=bad)
    assert bleu.compute(predictions=good, references=good)["counts"] == [6, 4, 2, 1]


@pytest.mark.parametrize(
    ("text", "is_caption"),
    [("a dog runs", True), ("a dog\runs", False), ("a" * 100, True), ("a" * 101, False)],
)
def test_conventions_have_coco_for_captions_only(bleu, text, is_caption):
    """Its tokenizer takes long on other texts, of which no tool made such a score."""
    assert ("coco" in bleu.reconcile([text], ["a dog runs"])) == is_caption


RUNS = ["a", "A", "1", ".", "'", '"', "-", "a.", "a-", "a'", "1.", "1/", "<a ", "<a b=\"", "a b ", "can", "n't", "a@", "http://", "a.com/", "&amp;", "((", "_a", "é", "\u0301a", "ि", "A.", "B. The ", "!?", ":)", "1-", "1,", "AT&", "a ", "[a", "\u2019", "l'", "l'é", "é-", "कि", "कि-", "日、", "、", "#", "#é", "1,a", "1.a", "a,b-", "a.a", "<!a", "<a b='", "www.", "www.a.", "é.", "&eacute;", "a-d'", "“", "o'o", "a+", "A+", "a/b", "1/1", "(^", "a,", "x@a.", "、a.", "Inc.", "Inc.a", "Inc.-a.", "-LRB-", "a-b.c,", "U.S.-", "...", ". ", "1\\/", "5-", "1-2 "]  # fmt: skip


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("ending", ["", "!", "\u20ac"])
def test_time_grows_with_the_length(run, ending):
    """Eight times the text takes at most 24 times as long, where quadratic time would take 64 times.

    The process's own time doesn't count other processes; only if a run was too slow, others follow.
    """

    def measure(length):
        text = (run * length)[:length] + ending
        start = time.process_time()
        tokenize_ptb(text)
        return time.process_time() - start

    def is_fast():
        short = measure(2_000)
        return measure(16_000) <= 24 * short + 0.01

    assert any(is_fast() for _ in range(5))


# Captions with punctuation and contractions, which other tokenizers split in other ways.
SCORED = (
    ["A man isn't riding a horse, he's walking!", "Two dogs (brown) run on the beach.", "A kid's bike."] * 3,
    [
        ["A man isn't on a horse; he's walking", "The man walks beside a horse."],
        ["Two brown dogs run on a beach."],
        ["the bike of a kid", "A kid's red bike - parked."],
    ] * 3,
)  # fmt: skip


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_reconcile_names_the_convention_of_a_caption_score(load, order):
    """Each of pycocoevalcap's four scores, which the search tries as a whole convention."""
    predictions, references = SCORED
    scores = load("coco").compute(predictions=predictions, references=references)["bleu_by_order"]
    answer = load().reconcile(predictions, references, f"{scores[order - 1]:.6f}")
    signatures = [match["signature"] for match in answer["matches"]]
    assert any("tok:ptb" in signature and "smooth:coco" in signature for signature in signatures)
    best = answer["matches"][0]
    assert best["options"]["tokenize"] == "ptb"
    assert best["options"].get("max_order", 4) == order
