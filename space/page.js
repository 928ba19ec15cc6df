// The demo in the browser: copies sentences, announces results, shows steps and matches, and marks results as outdated.
(() => {
  const find = (selector) => document.querySelector(selector);
  const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];

  // --- Announcements for screen readers -----------------------------------------------------------------------------

  const status = document.createElement("p");
  status.className = "bleu-unseen";
  status.setAttribute("role", "status");
  const announce = (text) => {
    if (status.textContent !== text) status.textContent = text; // each change of the page is announced
  };

  let announcing; // timeout
  const announceResults = () => {
    const spoken = findAll("[data-announce]").filter((element) => element.offsetParent);
    const sentences = spoken.map((element) => element.dataset.announce.replace(/\.$/, ""));
    if (sentences.length) announce(sentences.join(". "));
  };
  // Called after each change of the page. A result has what a screen reader says, though not with every letter typed.
  const hear = () => {
    findAll("main > .column").forEach((page) => page.setAttribute("data-view", currentView()));
    completeFields();
    openFolds();
    showStep();
    writeAddress();
    markSentence();
    showStruck();
    findAll("header [data-to-view=corpus]").forEach((back) => (back.hidden = currentView() === "corpus" || !behind));
    clearTimeout(announcing);
    announcing = setTimeout(announceResults, 800);
  };

  // --- What Gradio's fields lack ------------------------------------------------------------------------------------

  const completeFields = () => {
    // The direction of the text that is in a field.
    findAll("textarea[dir=ltr]").forEach((field) => {
      field.dir = "auto";
    });
    // Names of buttons in the words of the page.
    findAll(".upload-container .wrap:has(span)").forEach((words) => {
      words.closest("button").removeAttribute("aria-label");
      words.textContent = "Choose files";
    });
    findAll("#sentence [data-step=''] .bleu-tokens p:not([tabindex])").forEach(nameTokens);
    // Gradio says "common.complete" after each answer.
    findAll(".sr-only[aria-live=polite]").forEach((region) => region.setAttribute("aria-live", "off"));
    findAll("thead th:not([scope])").forEach((head) => head.setAttribute("scope", "col")); // of Markdown
    // Folds say if they are open.
    findAll("button.label-wrap").forEach((fold) => {
      const isOpen = String(fold.classList.contains("open"));
      if (fold.ariaExpanded !== isOpen) fold.ariaExpanded = isOpen;
    });
  };
  const nameTokens = (line) => {
    line.tabIndex = 0;
    line.role = "group";
    line.title = "Click words of the candidate to strike them out";
    line.ariaLabel = "Tokens; the arrow keys show the words in a row that each one is part of, Enter strikes one of the candidate out";
  };

  // --- Views --------------------------------------------------------------------------------------------------------

  // Sentence, corpus or about: Gradio's tabs, which are out of sight.
  const currentView = () => find("[role=tab][aria-selected=true]")?.dataset.tabId ?? "sentence";
  const showView = (name) => findAll("[role=tab]").find(({ dataset }) => dataset.tabId === name)?.click();

  // --- Requests of Sentence -----------------------------------------------------------------------------------------

  // One request is under way at a time: Gradio may show the answer to an earlier one after that to a later one. Of those
  // that wait, the last one is sent, but nothing that was typed before the fields are filled. The server answers no other.
  const longestWait = 5000; // ms; an answer may be lost on the way
  let last;
  let underWay = {};
  let filling; // the request whose answer will fill the fields
  const drop = (inputs) => [...inputs.slice(0, -1), true];
  const send = async (own, inputs) => {
    last = own;
    await underWay.answer;
    if (own !== last) return drop(inputs);
    own.answer = new Promise((resolve) => (own.end = resolve));
    setTimeout(end, longestWait, own);
    underWay = own;
    return inputs;
  };
  const end = (own) => {
    own.end();
    if (own !== filling) return;
    filling = undefined;
    tellIfOld(find("#candidate textarea"));
  };
  const request = (kind, inputs) => (filling ? drop(inputs) : send({ kind }, inputs));
  const requestToFill = (kind, inputs) => send((filling = { kind }), inputs);
  const answered = (kind) => {
    const isDropped = underWay.kind !== kind;
    if (!isDropped) end(underWay);
  };

  // --- The address --------------------------------------------------------------------------------------------------

  // The address has texts and options of Sentence and a step, or a result, and the view. A reload loses nothing.
  const mostPasted = 80000; // characters that a reload keeps; the server takes 300 kB
  const longest = 8000; // characters; longer ones are cut by programs that links are sent with
  const textFields = 3; // candidate, second candidate and references come before the options

  let storage; // where a frame of another site may have none
  try {
    storage = sessionStorage;
  } catch {}
  const asObject = (text) => Object.fromEntries(new URLSearchParams(text));
  const kept = /[#&](candidate|example)=/.test(location.hash) ? "" : storage?.getItem("bleu") ?? "";
  const opened = new URLSearchParams({ ...asObject(kept), ...asObject(location.hash.slice(1)) });
  let behind = opened.get("tab") === "corpus" ? undefined : storage?.getItem("bleu-result"); // the result, while another view is open
  if (behind && !opened.has("result")) opened.set("result", behind);
  let step = opened.get("step") ?? "";
  let link = new URLSearchParams(opened); // of the texts and options
  ["step", "tab", "result"].forEach((name) => link.delete(name));
  let current; // the values of the fields
  let keepTyped; // called when a text field has changed, with or without Gradio's event of it
  let isShown; // true once the values of the address are in the fields

  // Gradio's event of loading sends what is in the address, and then says that it is in the fields.
  const arrive = (...inputs) => requestToFill("link", [{ ...Object.fromEntries(opened), pasted: storage?.getItem("bleu-pasted") }, ...inputs.slice(1)]);
  const arrived = () => {
    isShown = true;
    answered("link");
    if (opened.get("tab") === "corpus" && !opened.has("result")) find("#score").click();
    else showView(opened.get("tab"));
    if (step) goToStep(step);
    else writeAddress();
  };

  const asTexts = (values) => values.map((value) => String(value ?? ""));
  const areEqual = (values, others) => asTexts(values).join("\0") === asTexts(others).join("\0");

  // Called with the values of all fields when one has changed; `examples` has the values of each example by its name.
  const keep = (names, examples, values) => {
    current = asTexts(values);
    keepTyped = () => {
      const typed = ["candidate", "second", "references"].map((id, i) => find(`#${id} textarea`)?.value ?? current[i]);
      keep(names, examples, [...typed, ...current.slice(textFields)]);
    };
    const [first, ...others] = Object.keys(examples);
    const example = others.find((name) => areEqual(examples[name], current));
    const isFirst = areEqual(examples[first], current); // the page opens with the first example
    if (example) link = new URLSearchParams({ example });
    else if (isFirst) link = new URLSearchParams();
    else link = linkTo(names, asTexts(examples[first]));
    writeAddress();
    markSentence();
  };
  // The candidate is always in a link: it tells that a link has texts. Other fields are left out if empty or as usual.
  const linkTo = (names, usual) => {
    const fields = new URLSearchParams();
    names.forEach((name, i) => {
      const isCandidate = i === 0;
      const isLeftOut = i < textFields ? !current[i] : current[i] === usual[i];
      if (isCandidate || !isLeftOut) fields.set(name, current[i]);
    });
    return fields;
  };

  const writeAddress = () => {
    if (!isShown) return;
    const view = currentView();
    const texts = new URLSearchParams(link);
    if (step) texts.set("step", step);
    const all = new URLSearchParams(view === "corpus" ? "" : texts); // a result is sent without texts
    if (view !== "sentence") all.set("tab", view);
    const result = findAll("[data-result]").find((one) => one.offsetParent)?.dataset.result;
    if (result) all.set("result", result);
    if (view === "corpus" && behind !== (result ?? "")) {
      behind = result ?? "";
      storage?.setItem("bleu-result", behind);
    }
    const query = all.toString();
    const isLong = query.length >= longest;
    find("main > .column")?.classList.toggle("long", isLong);
    // What is not in the address survives a reload at least.
    if (isLong || view === "corpus") storage?.setItem("bleu", isLong ? query : texts);
    else storage?.removeItem("bleu");
    const hash = isLong || !query ? "" : `#${query}`;
    if (hash === location.hash) return;
    history.replaceState(history.state, "", location.pathname + location.search + hash);
    // On the Hub, the page is in a frame, and the visitor sees the address of the page around it.
    if (parent !== window) parent.postMessage({ hash }, "https://huggingface.co");
  };

  addEventListener("hashchange", ({ newURL }) => {
    const [, linked] = newURL.match(/#step=(\w*)$/) ?? [];
    // The page may have written its address again since.
    history.replaceState(history.state, "", newURL);
    if (linked && currentView() === "sentence") goToStep(linked);
    else location.reload();
  });

  // --- Sentence -----------------------------------------------------------------------------------------------------

  // Results are marked, though not at once, while the fields have other values than those that were scored.
  let marking; // timeout
  const readScored = () => JSON.parse(find("[data-scored]")?.dataset.scored ?? "null");
  const markSentence = () => {
    const scored = readScored();
    const isOld = Boolean(scored && current && !areEqual(scored, current));
    const mark = () => {
      findAll("#sentence-score, #sentence").forEach((part) => part.classList.toggle("old", isOld));
    };
    clearTimeout(marking);
    if (isOld) marking = setTimeout(mark, 300);
    else mark();
  };

  // The overview, or one of the steps that explain it.
  const showStep = () => {
    const links = findAll("#steps a");
    if (links.length && !links.some((to) => to.dataset.to === step)) step = "";
    links.forEach((to) => {
      to.ariaCurrent = to.dataset.to === step ? "step" : null;
    });
    findAll("[data-step]").forEach((part) => {
      part.hidden = part.dataset.step !== step;
    });
    drawThreads();
  };
  const goToStep = (to) => {
    step = to;
    showStep();
    writeAddress();
    const shown = findAll("[data-step]").find((part) => part.offsetParent);
    announce(shown?.querySelector(".sentence")?.textContent ?? "Overview");
    if (shown?.getBoundingClientRect().bottom > innerHeight) find("#steps").scrollIntoView();
  };

  // For a class: the steps and the score fill the screen.
  const present = () => {
    if (!step) goToStep(findAll("#steps a")[1].dataset.to);
    if (document.fullscreenElement) document.exitFullscreen();
    else find("#sentence-results").requestFullscreen().then(() => announce("The arrow keys go from step to step, and Escape leaves."));
  };

  // Threads from the words of the candidate that count to their partners in the references.
  const drawThreads = () => {
    findAll(".bleu-threads").filter((box) => box.offsetParent).forEach(drawThreadsIn);
  };
  const drawThreadsIn = (box) => {
    const frame = box.getBoundingClientRect();
    const scale = frame.width / box.offsetWidth || 1; // page.css enlarges what is presented
    const paths = findAll("[data-thread]", box.querySelector("p")).map((word) => {
      const number = word.dataset.thread;
      const partner = findAll(`[data-thread="${number}"]`, box).find((other) => other !== word);
      if (!partner || word.hidden || partner.hidden) return "";
      const [from, to] = [word, partner].map((end) => end.getBoundingClientRect());
      const x = (rectangle) => (rectangle.left + rectangle.width / 2 - frame.left) / scale;
      const [top, bottom] = [(from.bottom - frame.top) / scale, (to.top - frame.top) / scale];
      const middle = (top + bottom) / 2;
      return `M${x(from)},${top}C${x(from)},${middle} ${x(to)},${middle} ${x(to)},${bottom}`;
    });
    const drawn = paths.join("");
    const old = box.querySelector(":scope > svg path");
    if (old?.getAttribute("d") === drawn) return; // a new element would be a change of the page, without end
    old?.closest("svg").remove();
    if (drawn) box.insertAdjacentHTML("beforeend", `<svg aria-hidden="true"><path d="${drawn}"/></svg>`);
  };

  // What a visitor opens or closes stays so while the text changes. At first references are open, one on a telephone.
  const isOpenByName = {};
  const openFolds = () => {
    findAll("[data-fold]").forEach((part) => {
      const name = part.dataset.fold;
      part.open = isOpenByName[name] ?? isOpenAtFirst(name);
    });
  };
  const isOpenAtFirst = (name) => name === "reference 1" || (name.startsWith("reference") && !matchMedia("(max-width: 48rem)").matches);

  // The text of a second candidate that was closed.
  let aside = "";
  const putAside = (text) => {
    aside = text;
    return "";
  };
  const takeBack = (text) => text || aside;

  // --- Tokens -------------------------------------------------------------------------------------------------------

  const readToken = (token) => token.textContent;
  const readLine = (line) => {
    const tokens = findAll(".token:not(s)", line);
    return { tokens, words: tokens.map(readToken) };
  };

  // Lights the words in a row that a token is part of, in the candidate and wherever a reference has them, and returns them.
  const light = (token) => {
    findAll(".token.lit").forEach((mark) => mark.classList.remove("lit"));
    const part = token?.closest("[data-step=''] section");
    if (!part) return undefined;
    // 1. The line of the token. The first line is that of the candidate, the others are those of references.
    const lines = findAll(".bleu-tokens p", part).map(readLine);
    const line = lines.find(({ tokens }) => tokens.includes(token));
    if (!line) return undefined;
    const [candidate, ...references] = lines;
    const others = line === candidate ? references : [candidate];
    // 2. The longest of the stretches that the token is in.
    const at = line.tokens.indexOf(token);
    const stretches = line.tokens.map(({ dataset }, start) => [start, start + Number(dataset.length ?? 0)]);
    const around = stretches.filter(([start, end]) => start <= at && at < end);
    if (!around.length) return undefined;
    const [start, end] = around.reduce((one, other) => (other[1] - other[0] > one[1] - one[0] ? other : one));
    const words = line.words.slice(start, end);
    const matches = others.flatMap((other) => findWords(words, other));
    [...line.tokens.slice(start, end), ...matches].forEach((mark) => mark.classList.add("lit"));
    return words.join(" ");
  };
  // Returns the tokens of all places where a line has words in a row.
  const findWords = (wanted, { tokens, words }) => {
    const isAt = (start) => wanted.every((word, k) => words[start + k] === word);
    const starts = [...words.keys()].filter(isAt);
    return starts.flatMap((start) => tokens.slice(start, start + wanted.length));
  };

  // Moves the mark to the next or previous one of some elements, and returns it.
  const moveMark = (all, by) => {
    const last = all.findIndex((one) => one.classList.contains("here"));
    const next = all[Math.min(Math.max(last + by, 0), all.length - 1)];
    all.forEach((one) => one.classList.toggle("here", one === next));
    return next;
  };
  // Goes to the next or previous token of a line, and says the words in a row that it is part of.
  const walk = (line, by) => {
    const token = moveMark(findAll(".token", line), by);
    const words = light(token);
    if (!token) return;
    const meaning = words ? `part of “${words}”` : "no match";
    announce(`${readToken(token)}: ${meaning}`);
  };

  // --- Words that are struck out in the picture -----------------------------------------------------------------------

  // A click strikes a word of a candidate out, another one brings it back, and the text in the field follows.
  const strikes = new Map(); // by field: text and words at first, places struck out, text in the field since
  const candidateLines = () => {
    const fields = findAll("#candidate textarea, #second textarea").filter((field) => field.value.trim());
    const parts = findAll("#sentence [data-step=''] section");
    const pairs = parts.map((part, i) => [part.querySelector(".bleu-tokens p"), fields[i]]);
    return pairs.filter(([line, field]) => line && field);
  };
  const showStruck = () => {
    candidateLines().forEach(([line, field]) => {
      const kept = strikes.get(field);
      if (!kept || line.querySelector("s") || kept.now !== field.value) return;
      if (findAll(".token", line).length !== kept.words.length - kept.places.size) return; // the answer is on its way
      [...kept.places].sort((one, other) => one - other).forEach((place) => {
        const struck = document.createElement("s");
        struck.className = "token";
        struck.append(kept.words[place]);
        let next = findAll(".token", line)[place];
        while (next && next.parentElement !== line && !next.previousElementSibling) next = next.parentElement; // a box begins behind it
        if (next) next.before(struck, " ");
        else line.append(" ", struck);
      });
      if (kept.focused) line.focus({ preventScroll: true });
      findAll(".token", line)[kept.here]?.classList.add("here");
      kept.focused = kept.here = undefined;
    });
  };
  const strike = (word) => {
    const [line, field] = candidateLines().find(([one]) => one.contains(word)) ?? [];
    if (!field) return;
    let kept = strikes.get(field);
    if (kept?.now !== field.value) kept = { text: field.value, words: findAll(".token", line).map(readToken), places: new Set() };
    strikes.set(field, kept);
    const place = findAll(".token", line).indexOf(word);
    if (!kept.places.delete(place)) kept.places.add(place);
    // The words' places in the text, in which they follow each other.
    let end = 0;
    const parts = kept.words.map((token) => {
      const start = kept.text.toLowerCase().indexOf(token.toLowerCase(), end);
      const part = kept.text.slice(end, start + token.length);
      end = start < 0 ? NaN : start + token.length;
      return part;
    });
    if (Number.isNaN(end)) return; // a tokenizer that changes characters
    kept.now = parts.filter((_, i) => !kept.places.has(i)).join("") + kept.text.slice(end);
    if (kept.places.has(0)) kept.now = kept.now.trimStart();
    kept.focused = document.activeElement === line;
    kept.here = word.classList.contains("here") ? place : undefined;
    field.value = kept.now;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    announce(`“${readToken(word)}” ${kept.places.has(place) ? "struck out" : "is back"}`);
  };

  // --- The dot of the fifth step --------------------------------------------------------------------------------------

  const set = (element, values) => Object.entries(values).forEach(([name, value]) => element.setAttribute(name, value));
  // Moves the dot of the brevity penalty to another length of the candidate, and tells the factor there.
  const moveDot = (dot, wanted) => {
    const figure = dot.closest("figure");
    const reference = Number(figure.dataset.reference);
    const length = Math.min(Math.max(wanted, 0), Number(dot.getAttribute("aria-valuemax")));
    const factor = length >= reference ? 1 : length && Math.exp(1 - reference / length);
    const x = (100 * length) / Math.max(reference, 1);
    const y = 100 - 100 * factor;
    const written = Number(factor.toFixed(4));
    const tokens = length === 1 ? "1 token" : `${length} tokens`;
    const [label, under] = [".penalty", ".length"].map((part) => figure.querySelector(part));
    set(dot, { cx: x, cy: y, "aria-valuenow": length, "aria-valuetext": `brevity penalty ${written} for ${tokens}` });
    set(figure.querySelector(".dropped"), { d: `M${x},${y}V100` });
    set(label, { x: x > 120 ? x - 4 : x + 4, y: Math.min(y + 11, 96), "text-anchor": x > 120 ? "end" : "start" });
    set(under, { x: Math.max(x, 8) });
    label.textContent = written;
    under.textContent = length;
    const score = (100 * figure.dataset.mean * factor).toFixed(2);
    figure.querySelector(".trial").textContent = `With ${tokens}, the factor is ${written}, and the score ${score} with the same precisions.`;
  };
  // Anywhere in the picture: the dot alone is small for a finger.
  const drag = (event) => {
    const picture = event.target.closest?.(".bleu-curve svg");
    if (!picture || !event.buttons) return;
    picture.setPointerCapture(event.pointerId);
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    moveDot(picture.querySelector("circle"), Math.round((place.x / 100) * Number(picture.closest("figure").dataset.reference)));
    event.preventDefault();
  };

  // --- Corpus -------------------------------------------------------------------------------------------------------

  // A result is old while the inputs have other values than those that were scored.
  let now; // the values of the inputs, as text
  let asked; // those that the server was last asked to score
  let scored; // those of the result
  const resultFields = 3; // baseline, system asked about and fix: they are sent with the inputs, but are results too

  const markCorpus = () => {
    const isOld = (scored ?? now) !== now;
    const isAsked = asked === now;
    findAll(".bleu-results, #corpus-message, #corpus-inputs").forEach((part) => {
      part.classList.toggle("old", isOld);
      part.classList.toggle("asked", isAsked);
    });
  };
  // Files are equal by their paths, and an empty value of Gradio may be null, "" or [].
  const simplify = (key, value) => {
    if (value?.path != null) return value.path;
    const isEmpty = value === null || value?.length === 0;
    return isEmpty ? "" : value;
  };
  const freeze = (values) => JSON.stringify(values, simplify);

  // Returns the words on the button: without files the example is scored, as `is_example` has it.
  const changed = (...inputs) => {
    now = freeze(inputs);
    markCorpus();
    const [origin, files, , ...others] = inputs;
    const pasted = origin === "Files" ? "" : JSON.stringify(others.slice(0, 3));
    storage?.setItem("bleu-pasted", pasted.length > mostPasted ? "" : pasted);
    return origin === "Files" && !files?.length ? "Try an example" : "Score";
  };
  const ask = (...values) => {
    showView("corpus");
    now = freeze(values.slice(0, -resultFields));
    asked = now;
    markCorpus();
    return values;
  };
  // An answer below the screen is brought into it. The focus goes there from what is folded now.
  const answer = () => {
    scored = asked;
    markCorpus();
    find("#corpus")?.classList.remove("emptied");
    foldFiles(Boolean(find("#files-line .bleu-files")) && !find("#corpus-message p"));
    const beginning = find("#corpus-message p, #corpus-summary :is(.bleu-verdict, .bleu-score, .bleu-undecided)");
    beginning?.scrollIntoView({ block: "nearest" });
    if (!document.activeElement.offsetParent) focusOn(beginning);
  };

  // Adds to what was chosen about files what has changed in their lines since the server was last asked.
  const choices = [];
  const readFiles = (files, chosen) => {
    showView("corpus");
    find("#corpus")?.classList.add("emptied"); // the result is of other files
    const all = JSON.parse(JSON.stringify(chosen ?? {}));
    for (const { path, field, key, value } of choices.splice(0)) {
      const kind = field === "role" ? "roles" : "readings";
      all[kind] ??= {};
      const isSingle = ["labels", "documents"].includes(value); // one column has groups, and one has documents
      const others = isSingle ? Object.values(all[kind]) : [];
      others.forEach((own) => Object.keys(own).filter((name) => own[name] === value).forEach((name) => { own[name] = ""; }));
      all[kind][path] = { ...all[kind][path], [field === "role" ? key : field]: value };
    }
    return [files, all];
  };
  // Gradio has a button per file if there are several.
  const removeFile = (number) => {
    const buttons = findAll("#files .file-preview button[aria-label]");
    (buttons[number] ?? find("#files button[aria-label=Clear], #files button[title=Clear]"))?.click();
  };

  // Once files are scored, a line stands for their fields.
  const foldFiles = (isFolded) => find("#corpus-inputs")?.classList.toggle("folded", isFolded);
  const unfoldFiles = () => {
    showView("corpus");
    foldFiles(false);
    find("#files :is(button, input)")?.focus();
  };
  // A visitor's own choice of an option counts, and not those of fixes.
  const own = (decided) => Object.fromEntries(Object.entries(decided ?? {}).filter(([, [, options]]) => !Object.keys(options).length));

  // Goes to the next or previous dot of the chart of two systems, and says its segment and scores.
  const walkDots = (chart, by) => {
    const dot = moveMark(findAll("circle", chart), by);
    announce(dot?.querySelector("title").textContent ?? "");
  };

  // --- Focus --------------------------------------------------------------------------------------------------------

  let place; // the button that opened a segment
  const visit = (target) => {
    if (!target) return;
    const { top, bottom } = target.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) target.scrollIntoView({ block: "center" });
    target.focus({ preventScroll: true });
  };
  const focusOn = (text) => {
    if (text) text.tabIndex = -1;
    visit(text);
  };
  const leave = () => visit(find("#opened h2") ? find("#back") : place);
  // A button that goes with what it has changed must not take the focus along.
  const keepFocus = (...selectors) => {
    const focused = document.activeElement;
    const goes = focused === document.body || focused.closest("[data-action=apply], [data-action=choose]");
    const next = selectors.map(find).find((one) => one?.offsetParent);
    if (goes) next?.focus({ preventScroll: true });
  };

  // --- What Gradio's events call ------------------------------------------------------------------------------------

  window.bleuPage = {
    request,
    requestToFill,
    answered,
    arrive,
    arrived,
    keep,
    keepFocus,
    changed,
    readFiles,
    own,
    ask,
    answer,
    visit: (selector) => visit(find(selector)),
    comeBack: () => visit(place),
    leave,
    putAside,
    takeBack,
  };

  // --- Events of the browser ----------------------------------------------------------------------------------------

  const seen = { childList: true, subtree: true, attributes: true, attributeFilter: ["data-announce", "aria-selected"] };
  const start = () => {
    document.body.append(status);
    new MutationObserver(hear).observe(document.body, seen);
  };
  if (document.body) start();
  else document.addEventListener("DOMContentLoaded", start);

  document.addEventListener("mouseover", (event) => light(event.target.closest?.(".token")));
  for (const moved of ["pointerdown", "pointermove"]) document.addEventListener(moved, drag);
  addEventListener("resize", showStep);
  // Files may be dropped anywhere.
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    const input = find("#files input[type=file]");
    if (event.defaultPrevented || !input || !event.dataTransfer.files.length) return;
    event.preventDefault();
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  document.addEventListener("focusout", ({ target }) => target.matches(".bleu-tokens p") && light());

  // The arrow keys go through the tokens of a line that has the focus, otherwise from step to step.
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const isShortcut = event.ctrlKey || event.altKey || event.metaKey;
    const isTyping = target.closest("input, textarea, select, [contenteditable]");
    const isPresent = event.key.toLowerCase() === "p" && !isShortcut && !isTyping;
    if (document.fullscreenElement && !isShortcut && !isTyping) findAll(".bleu-examples button")[event.key - 1]?.click();
    if (isPresent && find("#steps")?.offsetParent) present();
    if (event.key === "Enter" && target.matches(".bleu-scatter svg")) target.querySelector(".here")?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    const here = target.matches(".bleu-tokens p") && target.querySelector(".here");
    if (here && ["Enter", "Delete"].includes(event.key)) strike(here);
    if (!by || isShortcut || target.closest("input, textarea, [role=tab], .bleu-box")) return;
    const walks = {
      ".bleu-curve circle": () => moveDot(target, Number(target.getAttribute("aria-valuenow")) + by),
      ".bleu-tokens p": () => walk(target, by),
      ".bleu-scatter svg": () => walkDots(target, by),
    };
    const walked = Object.keys(walks).find((selector) => target.matches(selector));
    if (walked) {
      walks[walked]();
      event.preventDefault();
      return;
    }
    const isInSteps = target.closest("#steps");
    if (!step && !isInSteps) return;
    const links = findAll("#steps a").filter((to) => to.offsetParent);
    const next = links[links.findIndex((to) => to.dataset.to === step) + by];
    if (!next) return;
    event.preventDefault();
    goToStep(next.dataset.to);
    if (isInSteps) next.focus();
  });

  document.addEventListener("click", (event) => {
    const { target } = event;
    const opener = target.closest("[data-action=open]");
    place = opener?.ownerSVGElement ?? opener ?? place; // a dot of the chart takes no focus itself
    if (target.matches(".bleu-skip")) {
      const result = findAll("#sentence-score, #corpus-summary, .bleu-linked").find((part) => part.offsetParent);
      focusOn(result);
      event.preventDefault();
    }
    const stepLink = target.closest("#steps a");
    if (stepLink && !event.ctrlKey && !event.metaKey) {
      goToStep(stepLink.dataset.to);
      event.preventDefault();
    }
    const folded = target.closest("summary")?.parentElement;
    if (folded) {
      // The browser would do it after this, and a change of the page in between would set it back.
      folded.open = !folded.open;
      isOpenByName[folded.dataset.fold] = folded.open;
      event.preventDefault();
    }
    for (const [selector, act] of Object.entries(clicks)) {
      const clicked = target.closest(selector);
      if (clicked) act(clicked);
    }
  });
  const copy = async (button) => {
    const copied = button.dataset.copy || location.href;
    try {
      await navigator.clipboard.writeText(copied);
      confirmDone(button, "Copied");
    } catch {
      window.prompt("Copy this:", copied); // without HTTPS there is no clipboard
    }
  };

  // Saves what is around a button as a picture: each element with the style that it has on the page.
  const painted = ["background-color", "border-collapse", "border-top", "box-sizing", "color", "display", "fill", "font-family", "font-size",
    "font-weight", "height", "line-height", "margin", "padding", "stroke", "stroke-width", "text-align", "vertical-align", "width"];
  const savePicture = async (button) => {
    const shown = button.closest(".bleu-page");
    const copy = shown.cloneNode(true);
    const [parts, copies] = [shown, copy].map((one) => [one, ...findAll("*", one)]);
    copies.forEach((part, i) => {
      const style = getComputedStyle(parts[i]);
      part.style.cssText = painted.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";");
    });
    findAll("button, .bleu-unseen", copy).forEach((part) => part.remove());
    const { offsetWidth: width, offsetHeight: height } = shown;
    const drawn = new XMLSerializer().serializeToString(copy);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><foreignObject width="100%" height="100%">${drawn}</foreignObject></svg>`;
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
    const context = canvas.getContext("2d");
    context.fillStyle = getComputedStyle(document.body).backgroundColor;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    Object.assign(document.createElement("a"), { href: canvas.toDataURL(), download: button.dataset.picture }).click();
    confirmDone(button, "Saved");
  };
  const confirmDone = (button, words) => {
    announce(words);
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 1500);
  };

  // What a click on an element, or on what is in it, does.
  const clicks = {
    "[data-to-view]": ({ dataset }) => showView(dataset.toView),
    "[data-unfold]": unfoldFiles,
    "[data-again]": () => find("#score").click(),
    "[data-add]": () => find("#files input[type=file]").click(),
    "[data-remove]": ({ dataset }) => removeFile(Number(dataset.remove)),
    "button.label-wrap": () => setTimeout(completeFields), // after Gradio has opened or closed it
    ".bleu-tokens .token": strike,
    "[data-picture]": savePicture,
    "[data-copy]": copy,
    "[data-stage]": present,
  };

  // Gradio doesn't tell of what was pasted, deleted or dictated. Told once more when typing has ended.
  let telling; // timeout
  const tell = (field) => field?.dispatchEvent(new KeyboardEvent("keypress", { bubbles: true }));
  const tellIfOld = (field) => {
    const scored = readScored();
    const isAsOpened = !current;
    if (!isAsOpened && !(scored && areEqual(scored, current))) tell(field);
  };
  const keepChoice = ({ target }) => target.matches("select[data-path]") && choices.push({ ...target.dataset, value: target.value });
  document.addEventListener("change", keepChoice, true);
  document.addEventListener("input", ({ target }) => {
    if (!target.matches("textarea")) return;
    keepTyped?.(); // Gradio tells of no change while it has lost the connection, and then loads the page again
    tell(target);
    clearTimeout(telling);
    telling = setTimeout(() => tellIfOld(target), 700);
  });
})();
