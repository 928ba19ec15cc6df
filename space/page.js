// The demo in the browser: copies sentences, announces results, shows steps and n-grams, and marks results as outdated.
(() => {
  const find = (selector) => document.querySelector(selector);
  const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];

  // --- Announcements for screen readers -----------------------------------------------------------------------------

  const status = document.createElement("p");
  status.className = "bleu-unseen";
  status.setAttribute("role", "status");
  const announce = (text) => {
    // The same text again would be a change of the page, after which results are announced again, without end.
    if (status.textContent !== text) status.textContent = text;
  };

  let announcing; // timeout
  const announceResults = () => {
    const spoken = findAll("[data-announce]").filter((element) => element.offsetParent);
    if (spoken.length) announce(spoken.map((element) => element.dataset.announce).join(". "));
  };
  // Called after each change of the page. A result says in data-announce what a screen reader should say; not with
  // every letter typed.
  const hear = () => {
    completeFields();
    openFolds();
    showStep();
    writeAddress();
    markSentence();
    clearTimeout(announcing);
    announcing = setTimeout(announceResults, 800);
  };

  // --- What Gradio's fields lack ------------------------------------------------------------------------------------

  const completeFields = () => {
    // The direction of the text that is in a field.
    findAll("textarea[dir=ltr]").forEach((field) => {
      field.dir = "auto";
    });
    // A name that says what is dropped where: without this label, it is the text in the button.
    findAll("button.upload-container[aria-label]").forEach((button) => button.removeAttribute("aria-label"));
    describeFiles("systems");
    describeFiles("references");
    findAll("button[aria-label='common.upload']").forEach(nameUploadButton);
    findAll("#sentence [data-step=''] .bleu-tokens p:not([tabindex])").forEach(nameTokens);
  };
  // Puts the descriptions that the server has sent beside the field below the names of the files in it.
  const describeFiles = (role) => {
    const files = findAll(`#${role}-file td.filename`);
    findAll(`#${role}-note [data-file]`).forEach((note, i) => {
      files[i]?.setAttribute("data-note", note.textContent);
    });
  };
  const nameUploadButton = (button) => {
    button.title = "Upload other files";
    button.ariaLabel = button.title;
    button.querySelector("button").inert = true; // a button in a button
  };
  const nameTokens = (line) => {
    line.tabIndex = 0;
    line.role = "group";
    line.ariaLabel = "Tokens; the arrow keys show the n-gram that each one is part of";
  };

  // --- The address --------------------------------------------------------------------------------------------------

  // Texts and options of Sentence, step and tab are in the address: it can be shared, and a reload loses nothing.
  const longest = 8000; // characters; longer ones are cut by programs that links are sent with
  const textFields = 3; // candidate, second candidate and references come before the options

  let storage; // where a frame of another site may have none
  try {
    storage = sessionStorage;
  } catch {}
  const address = location.hash || storage?.getItem("bleu") || "";
  const opened = new URLSearchParams(address.slice(1));
  let step = opened.get("step") ?? "";
  let link = new URLSearchParams(opened); // of the texts and options
  link.delete("step");
  link.delete("tab");
  let current; // the values of the fields
  let isShown; // true once the values of the address are in the fields

  // Gradio's event of loading sends what is in the address, and then says that it is in the fields.
  const arrive = () => [Object.fromEntries(opened)];
  const arrived = () => {
    isShown = true;
    if (step) goToStep(step);
    else writeAddress();
  };

  const asTexts = (values) => values.map((value) => String(value ?? ""));
  const areEqual = (values, others) => asTexts(values).join("\0") === asTexts(others).join("\0");

  // Called with the values of all fields when one has changed; `examples` has the values of each example by its name.
  const keep = (names, examples, values) => {
    current = asTexts(values);
    const [first, ...others] = Object.keys(examples);
    const example = others.find((name) => areEqual(examples[name], current));
    const isFirst = areEqual(examples[first], current); // the page opens with the first example
    if (example) link = new URLSearchParams({ example });
    else if (isFirst) link = new URLSearchParams();
    else link = linkTo(names, asTexts(examples[first]));
    writeAddress();
    markSentence();
    tellAgain(find("#candidate textarea")); // a request for the values before may end last
  };
  // The candidate is always in a link: it tells that a link has texts. Other fields are left out where they are empty,
  // or options as usual.
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
    const full = fullAddress();
    const isLong = full.length > longest;
    find("#sentence-row")?.classList.toggle("long", isLong);
    // What is too long for the address survives a reload at least.
    if (isLong) storage?.setItem("bleu", full);
    else storage?.removeItem("bleu");
    const hash = isLong ? "" : full;
    if (hash === location.hash) return;
    history.replaceState(history.state, "", location.pathname + location.search + hash);
    // On the Hub, the page is in a frame, and the visitor sees the address of the page around it.
    if (parent !== window) parent.postMessage({ hash }, "https://huggingface.co");
  };
  const fullAddress = () => {
    const tab = find("[role=tab][aria-selected=true]")?.textContent.trim().toLowerCase();
    const all = new URLSearchParams(link);
    if (step) all.set("step", step);
    if (tab && tab !== "sentence") all.set("tab", tab);
    const query = all.toString();
    return query ? `#${query}` : "";
  };

  addEventListener("hashchange", () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    const needsServer = ["candidate", "example", "tab"].some((name) => asked.has(name));
    if (needsServer) location.reload();
    else if (asked.has("step")) goToStep(asked.get("step"));
  });

  // --- Sentence -----------------------------------------------------------------------------------------------------

  // Results are marked, though not at once, while the fields have other values than those that were scored.
  let marking; // timeout
  const markSentence = () => {
    const scored = find("[data-scored]")?.dataset.scored;
    const isOld = Boolean(scored && current && !areEqual(JSON.parse(scored), current));
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
    const isKnown = links.some((to) => to.dataset.to === step);
    if (links.length && !isKnown) step = "";
    links.forEach((to) => {
      if (to.dataset.to === step) to.setAttribute("aria-current", "step");
      else to.removeAttribute("aria-current");
    });
    findAll("[data-step]").forEach((part) => {
      part.hidden = part.dataset.step !== step;
    });
  };
  const goToStep = (to) => {
    step = to;
    showStep();
    writeAddress();
    const shown = findAll("[data-step]").find((part) => part.offsetParent);
    announce(shown?.querySelector(".sentence")?.textContent ?? "Overview");
    if (shown?.getBoundingClientRect().bottom > innerHeight) find("#steps").scrollIntoView();
  };

  // What a visitor opens or closes stays so while the text changes. A telephone has room for one reference.
  const narrow = matchMedia("(max-width: 48rem)");
  const isOpenByName = {};
  const openFolds = () => {
    findAll("[data-fold]").forEach((part) => {
      const name = part.dataset.fold;
      part.open = isOpenByName[name] ?? isOpenAtFirst(name);
    });
  };
  const isOpenAtFirst = (name) => {
    if (name === "reference 1") return true;
    const isTable = name.startsWith("table");
    return !isTable && !narrow.matches;
  };
  const keepFold = (part) => {
    isOpenByName[part.dataset.fold] = part.open;
  };

  // The text of a second candidate that was closed.
  let aside = "";
  const putAside = (text) => {
    aside = text;
    return "";
  };
  const takeBack = (text) => text || aside;

  // --- Tokens -------------------------------------------------------------------------------------------------------

  const readToken = (token) => token.firstChild.data; // its order is behind it, in <sub>
  const readLine = (line) => {
    const tokens = findAll(".token", line);
    return { tokens, words: tokens.map(readToken) };
  };

  // Lights the n-gram that a token is part of, in the candidate and wherever a reference has it, and returns it.
  const light = (token) => {
    findAll(".token.lit").forEach((mark) => mark.classList.remove("lit"));
    const part = token?.closest("[data-step=''], #opened section");
    if (!part) return undefined;
    // 1. The line of the token. The first line is that of the candidate, the others are those of references.
    const lines = findAll(".bleu-tokens p", part).map(readLine);
    const line = lines.find(({ tokens }) => tokens.includes(token));
    if (!line) return undefined;
    const [candidate, ...references] = lines;
    const others = line === candidate ? references : [candidate];
    // 2. The longest n-gram first, of those that begin at or before the token and end at or behind it.
    const at = line.tokens.indexOf(token);
    const order = Number(token.querySelector("sub")?.textContent || 0);
    for (let size = order; size > 0; size--) {
      const lastStart = Math.min(at, line.tokens.length - size);
      for (let start = Math.max(0, at - size + 1); start <= lastStart; start++) {
        const ngram = line.words.slice(start, start + size);
        const matches = others.flatMap((other) => findNgram(ngram, other));
        if (matches.length) {
          const own = line.tokens.slice(start, start + size);
          [...own, ...matches].forEach((mark) => mark.classList.add("lit"));
          return ngram.join(" ");
        }
      }
    }
    return undefined;
  };
  // Returns the tokens of all places where an n-gram, as words, is in a line.
  const findNgram = (ngram, { tokens, words }) => {
    const isAt = (start) => ngram.every((word, k) => words[start + k] === word);
    const starts = [...words.keys()].filter(isAt);
    return starts.flatMap((start) => tokens.slice(start, start + ngram.length));
  };

  // Goes to the next or previous token of a line, and says the n-gram that it is part of.
  const walk = (line, by) => {
    const tokens = findAll(".token", line);
    const last = tokens.findIndex((token) => token.classList.contains("here"));
    const next = Math.min(Math.max(last + by, 0), tokens.length - 1);
    const token = tokens[next];
    tokens.forEach((other) => other.classList.toggle("here", other === token));
    const ngram = light(token);
    if (!token) return;
    const meaning = ngram ? `part of “${ngram}”` : "no match";
    announce(`${readToken(token)}: ${meaning}`);
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
    findAll(".bleu-results, #corpus-message").forEach((part) => {
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

  const changed = (...inputs) => {
    now = freeze(inputs);
    markCorpus();
  };
  const askFor = (inputs) => {
    now = freeze(inputs);
    asked = now;
    markCorpus();
  };
  const ask = (...values) => {
    askFor(values.slice(0, -resultFields));
    return values;
  };
  // Opening the tab scores what is there, unless there is a result.
  const open = (state, ...values) => {
    const hasResult = find("#corpus-summary .bleu-score, #corpus-summary .bleu-verdict");
    if (!hasResult) ask(...values);
    return [state, ...values];
  };
  // An answer that begins below the screen, as on a telephone, is brought into it.
  const answer = (...inputs) => {
    // The server has set inputs back: they are those that were scored.
    if (find("#corpus-summary [data-back]")) askFor(inputs);
    scored = asked;
    markCorpus();
    const beginning = find("#corpus-message p, #corpus-summary .bleu-verdict, #corpus-summary .bleu-score");
    beginning?.scrollIntoView({ block: "nearest" });
  };

  // --- Focus --------------------------------------------------------------------------------------------------------

  let place; // the button that opened a segment
  const visit = (target) => {
    target?.scrollIntoView({ block: "center" });
    target?.focus();
  };
  const comeBack = () => visit(place);
  const leave = () => {
    const isOpen = find("#opened h3");
    visit(isOpen ? find("#back") : place);
  };
  // A button that goes with what it has changed must not take the focus along.
  const keepFocus = (selector) => {
    const focused = document.activeElement;
    const goes = focused === document.body || focused.closest("[data-action=apply]");
    if (goes) find(selector)?.focus({ preventScroll: true });
  };

  // --- What Gradio's events call ------------------------------------------------------------------------------------

  window.bleuPage = {
    arrive,
    arrived,
    keep,
    keepFocus,
    changed,
    ask,
    open,
    answer,
    visit: (selector) => visit(find(selector)),
    comeBack,
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
  document.addEventListener("focusout", (event) => {
    if (event.target.matches(".bleu-tokens p")) light();
  });

  // The arrow keys go through the tokens of a line that has the focus, otherwise from step to step.
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const isShortcut = event.ctrlKey || event.altKey || event.metaKey;
    if (!by || isShortcut) return;
    const usesArrows = target.closest("input, textarea, [role=tab], .bleu-box");
    if (usesArrows) return;
    if (target.matches(".bleu-tokens p")) {
      walk(target, by);
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
    place = target.closest("[data-action=open]") ?? place;
    const stepLink = target.closest("#steps a");
    const opensTab = event.ctrlKey || event.metaKey;
    if (stepLink && !opensTab) {
      goToStep(stepLink.dataset.to);
      event.preventDefault();
    }
    const folded = target.closest("summary")?.parentElement;
    if (folded) setTimeout(() => keepFold(folded)); // the browser opens or closes it after this
    // The inner button is inert: the outer one opens the choice of files.
    const upload = target.closest("[title='Upload other files']");
    if (upload && !target.matches("input")) upload.querySelector("input").click();
    const more = target.closest("[data-more]");
    if (more) showMore(more);
    const saveButton = target.closest("[data-save]");
    if (saveButton) save(saveButton);
    const copyButton = target.closest("[data-copy]");
    if (copyButton) copy(copyButton);
  });
  // Shows the hidden rows of the table before a button, and moves the focus to the first of them.
  const showMore = (button) => {
    const box = button.previousElementSibling;
    const shownRows = 10;
    box.classList.remove("few");
    findAll("tbody tr", box)[shownRows].querySelector("button").focus();
    button.remove();
  };
  const copy = async (button) => {
    const copied = button.dataset.copy || location.href;
    try {
      await navigator.clipboard.writeText(copied);
      confirmDone(button, "Copied");
    } catch {
      window.prompt("Copy this:", copied); // without HTTPS there is no clipboard
    }
  };

  // Saves the picture that a button has as a file.
  const save = (button) => {
    const file = new Blob([button.dataset.save], { type: "image/svg+xml" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = button.dataset.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // the browser has read it by then
    confirmDone(button, "Saved");
  };
  const confirmDone = (button, words) => {
    announce(words);
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 1500);
  };

  // The name of the example whose button was pressed, before Gradio hears of it.
  const chooseExample = (event) => {
    const button = event.target.closest(".bleu-examples button");
    if (button) window.bleuPage.example = button.textContent.trim();
  };
  document.addEventListener("click", chooseExample, true);

  // Gradio tells of input where a key was pressed, and not of what was pasted, deleted or dictated. Told once more when
  // typing has ended: a key that falls into the moment in which a call ends may be missed.
  let telling; // timeout
  const tell = (field) => field?.dispatchEvent(new KeyboardEvent("keypress", { bubbles: true }));
  const tellAgain = (field) => {
    clearTimeout(telling);
    telling = setTimeout(() => tell(field), 700);
  };
  document.addEventListener("input", ({ target }) => {
    if (!target.matches("textarea")) return;
    tell(target);
    tellAgain(target);
  });
})();
