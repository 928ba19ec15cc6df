// The demo in the browser: copies sentences, announces results, shows steps and n-grams, and marks results as outdated.
(() => {
  const find = (selector) => document.querySelector(selector);
  const findAll = (selector, within = document) => [...within.querySelectorAll(selector)];
  const status = document.createElement("p");
  status.className = "bleu-unseen";
  status.setAttribute("role", "status");
  const announce = (text) => status.textContent !== text && (status.textContent = text);

  // A result says in data-announce what a screen reader should say; not with every letter typed.
  let timer, late, rest; // timeouts
  const hear = () => {
    complete();
    fold();
    turn();
    write();
    lag();
    clearTimeout(timer);
    timer = setTimeout(() => {
      const spoken = findAll("[data-announce]").filter((element) => element.offsetParent);
      if (spoken.length) announce(spoken.map((element) => element.dataset.announce).join(". "));
    }, 800);
  };

  // What Gradio's fields lack: the direction of the text that is in them, and a name that says what is dropped where.
  const complete = () => {
    findAll("textarea[dir=ltr]").forEach((field) => (field.dir = "auto"));
    findAll("button.upload-container[aria-label]").forEach((button) => button.removeAttribute("aria-label"));
    for (const role of ["systems", "references"]) {
      const files = findAll(`#${role}-file td.filename`);
      findAll(`#${role}-note [data-file]`).forEach((note, i) => files[i]?.setAttribute("data-note", note.textContent));
    }
    findAll("button[aria-label='common.upload']").forEach((button) => {
      button.ariaLabel = button.title = "Upload other files";
      button.querySelector("button").inert = true; // a button in a button
    });
    const name = "Tokens; the arrow keys show the n-gram that each one is part of";
    findAll("#sentence [data-step=''] .bleu-tokens p:not([tabindex])").forEach((line) => Object.assign(line, { tabIndex: 0, role: "group", ariaLabel: name }));
  };

  // Texts and options of Sentence, step and tab are in the address: it can be shared, and a reload loses nothing.
  const longest = 8000; // characters; longer ones are cut by programs that links are sent with
  let storage; // where a frame of another site may have none
  try {
    storage = sessionStorage;
  } catch {}
  const opened = new URLSearchParams((location.hash || storage?.getItem("bleu") || "").slice(1));
  let step = opened.get("step") ?? "";
  let link = new URLSearchParams(opened); // of the texts and options
  ["step", "tab"].forEach((name) => link.delete(name));
  let current, isShown; // the values of the fields; true once those of the address are in them
  const arrive = () => [Object.fromEntries(opened)];
  const arrived = () => {
    isShown = true;
    step ? go(step) : write();
  };
  const words = (list) => list.map((value) => String(value ?? ""));
  const same = (some, others) => words(some).join("\0") === words(others).join("\0");
  const keep = (names, examples, values) => {
    current = words(values);
    const [first, ...others] = Object.keys(examples);
    const standard = words(examples[first]);
    const example = others.find((name) => same(examples[name], current));
    link = new URLSearchParams(example ? { example } : {});
    if (!example && !same(standard, current)) // the page opens with the first example
      names.forEach((name, i) => (i && (i < 3 ? !current[i] : current[i] === standard[i])) || link.set(name, current[i]));
    write();
    lag();
    tellAgain(find("#candidate textarea")); // a request for the values before may end last
  };
  const write = () => {
    if (!isShown) return;
    const tab = find("[role=tab][aria-selected=true]")?.textContent.trim().toLowerCase();
    const all = new URLSearchParams(link);
    if (step) all.set("step", step);
    if (tab && tab !== "sentence") all.set("tab", tab);
    const full = `${all}` && `#${all}`;
    const isLong = full.length > longest;
    find("#sentence-row")?.classList.toggle("long", isLong);
    isLong ? storage?.setItem("bleu", full) : storage?.removeItem("bleu");
    const hash = isLong ? "" : full;
    if (hash === location.hash) return;
    history.replaceState(history.state, "", location.pathname + location.search + hash);
    // On the Hub, the page is in a frame, and the visitor sees the address of the page around it.
    if (parent !== window) parent.postMessage({ hash }, "https://huggingface.co");
  };
  addEventListener("hashchange", () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (["candidate", "example", "tab"].some((name) => asked.has(name))) location.reload();
    else if (asked.has("step")) go(asked.get("step"));
  });

  // Results of Sentence are marked, though not at once, while the fields have other values than those that were scored.
  const lag = () => {
    const scored = find("[data-scored]")?.dataset.scored;
    const isOld = Boolean(scored && current && !same(JSON.parse(scored), current));
    const mark = () => findAll("#sentence-score, #sentence").forEach((part) => part.classList.toggle("old", isOld));
    clearTimeout(late);
    isOld ? (late = setTimeout(mark, 300)) : mark();
  };

  // The overview of Sentence, or one of the steps that explain it.
  const turn = () => {
    const links = findAll("#steps a");
    if (links.length && !links.some((to) => to.dataset.to === step)) step = "";
    links.forEach((to) => (to.dataset.to === step ? to.setAttribute("aria-current", "step") : to.removeAttribute("aria-current")));
    findAll("[data-step]").forEach((part) => (part.hidden = part.dataset.step !== step));
  };
  const go = (to) => {
    step = to;
    turn();
    write();
    const shown = findAll("[data-step]").find((part) => part.offsetParent);
    announce(shown?.querySelector(".sentence")?.textContent ?? "Overview");
    if (shown?.getBoundingClientRect().bottom > innerHeight) find("#steps").scrollIntoView();
  };

  // What a visitor opens or closes stays so while the text changes. A telephone has room for one reference.
  const narrow = matchMedia("(max-width: 48rem)");
  const folds = {};
  const fold = () =>
    findAll("[data-fold]").forEach((part) => {
      const { fold: name } = part.dataset;
      part.open = folds[name] ?? (name === "reference 1" || (!name.startsWith("table") && !narrow.matches));
    });

  const copy = async (button) => {
    const copied = button.dataset.copy || location.href;
    try {
      await navigator.clipboard.writeText(copied);
      announce("Copied");
      button.classList.add("done");
      setTimeout(() => button.classList.remove("done"), 1500);
    } catch {
      window.prompt("Copy this:", copied); // without HTTPS there is no clipboard
    }
  };

  // Lights the n-gram that a token is part of, in the candidate and wherever a reference has it, and returns it.
  const light = (token) => {
    findAll(".token.lit").forEach((mark) => mark.classList.remove("lit"));
    const part = token?.closest("[data-step=''], #opened section");
    const lines = part ? findAll(".bleu-tokens p", part).map((line) => findAll(".token", line)) : [];
    const words = lines.map((line) => line.map((mark) => mark.firstChild.data));
    const here = lines.findIndex((line) => line.includes(token));
    const at = lines[here]?.indexOf(token);
    const elsewhere = lines.map((_, i) => i).filter((i) => (here === 0 ? i > 0 : i === 0));
    const places = (ngram, i) =>
      words[i].map((_, start) => start).filter((start) => ngram.every((word, k) => words[i][start + k] === word));
    for (let size = Number(token?.querySelector("sub")?.textContent || 0); here >= 0 && size > 0; size--) {
      for (let start = Math.max(0, at - size + 1); start <= at && start + size <= words[here].length; start++) {
        const ngram = words[here].slice(start, start + size);
        const found = elsewhere.flatMap((i) => places(ngram, i).map((place) => lines[i].slice(place, place + size)));
        if (!found.length) continue;
        [lines[here].slice(start, start + size), ...found].flat().forEach((mark) => mark.classList.add("lit"));
        return ngram.join(" ");
      }
    }
  };
  const walk = (line, by) => {
    const tokens = findAll(".token", line);
    const last = tokens.findIndex((token) => token.classList.contains("here"));
    const token = tokens[Math.min(Math.max(last + by, 0), tokens.length - 1)];
    tokens.forEach((one) => one.classList.toggle("here", one === token));
    const ngram = light(token);
    if (token) announce(`${token.firstChild.data}: ${ngram ? `part of “${ngram}”` : "no match"}`);
  };

  // A result of Corpus is old while the inputs have other values than those that were scored.
  let now, asked, scored;
  const stale = () => {
    const kinds = { old: (scored ?? now) !== now, asked: now === asked };
    const mark = (part) => Object.entries(kinds).forEach(([kind, is]) => part.classList.toggle(kind, is));
    findAll(".bleu-results, #corpus-message").forEach(mark);
  };
  // Files are equal by their paths, and an empty value of Gradio may be null, "" or [].
  const freeze = (values) => JSON.stringify(values, (key, value) => value?.path ?? (value === null || value?.length === 0 ? "" : value));
  const changed = (...values) => ((now = freeze(values)), stale());
  const ask = (...values) => {
    asked = now = freeze(values.slice(0, -3)); // baseline, system asked about and fix are results too
    stale();
    return values;
  };
  // Opening the tab scores what is there, unless there is a result.
  const open = (state, ...values) => {
    if (!find("#corpus-summary .bleu-score, #corpus-summary .bleu-verdict")) ask(...values);
    return [state, ...values];
  };
  // An answer that begins below the screen, as on a telephone, is brought into it.
  const answer = (...values) => {
    if (find("#corpus-summary [data-back]")) ask(...values, 0, 0, 0);
    scored = asked;
    stale();
    find("#corpus-message p, #corpus-summary .bleu-quote, #corpus-summary .bleu-score")?.scrollIntoView({ block: "nearest" });
  };
  let place, aside = ""; // the button that opened a segment, and the text of a second candidate that was closed
  const visit = (target) => (target?.scrollIntoView({ block: "center" }), target?.focus());
  // A button that goes with what it has changed must not take the focus along.
  const keepFocus = (selector) => {
    const goes = document.activeElement === document.body || document.activeElement.closest("[data-action=apply]");
    if (goes) find(selector)?.focus({ preventScroll: true });
  };
  window.bleuPage = {
    ...{ arrive, arrived, keep, keepFocus, changed, ask, open, answer },
    visit: (selector) => visit(find(selector)),
    comeBack: () => visit(place),
    leave: () => visit(find("#opened h3") ? find("#back") : place),
    putAside: (text) => ((aside = text), ""),
    takeBack: (text) => text || aside,
  };

  const seen = { childList: true, subtree: true, attributes: true, attributeFilter: ["data-announce", "aria-selected"] };
  const start = () => {
    document.body.append(status);
    new MutationObserver(hear).observe(document.body, seen);
  };
  document.body ? start() : document.addEventListener("DOMContentLoaded", start);
  document.addEventListener("mouseover", (event) => light(event.target.closest?.(".token")));
  // The arrow keys go through the tokens of a line that has the focus, otherwise from step to step.
  document.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const { target, ctrlKey, altKey, metaKey } = event;
    if (!by || ctrlKey || altKey || metaKey || target.closest("input, textarea, [role=tab], .bleu-box")) return;
    if (target.matches(".bleu-tokens p")) return event.preventDefault(walk(target, by));
    const links = findAll("#steps a").filter((to) => to.offsetParent && (step || target.closest("#steps")));
    const next = links[links.findIndex((to) => to.dataset.to === step) + by];
    if (!next) return;
    event.preventDefault();
    go(next.dataset.to);
    if (target.closest("#steps")) next.focus();
  });
  document.addEventListener("focusout", (event) => event.target.matches(".bleu-tokens p") && light());
  document.addEventListener("click", (event) => {
    const on = (selector) => event.target.closest(selector);
    place = on("[data-action=open]") ?? place;
    const to = on("#steps a");
    if (to && !event.ctrlKey && !event.metaKey) event.preventDefault(go(to.dataset.to));
    const folded = on("summary")?.parentElement;
    if (folded) setTimeout(() => (folds[folded.dataset.fold] = folded.open));
    if (!event.target.matches("input")) on("[title='Upload other files']")?.querySelector("input").click();
    const more = on("[data-more]");
    if (more) {
      const box = more.previousElementSibling;
      box.classList.remove("few");
      findAll("tbody tr", box)[10].querySelector("button").focus();
      more.remove();
    }
    if (on("[data-copy]")) copy(on("[data-copy]"));
  });
  const choose = (button) => button && (window.bleuPage.example = button.textContent.trim());
  document.addEventListener("click", (event) => choose(event.target.closest(".bleu-examples button")), true); // before Gradio hears of it
  // Gradio tells of input where a key was pressed, and not of what was pasted, deleted or dictated. Told once more when
  // typing has ended: a key that falls into the moment in which a call ends may be missed.
  const tell = (field) => field?.dispatchEvent(new KeyboardEvent("keypress", { bubbles: true }));
  const tellAgain = (field) => (clearTimeout(rest), (rest = setTimeout(() => tell(field), 700)));
  document.addEventListener("input", ({ target }) => {
    if (target.matches("textarea")) tell(target), tellAgain(target);
  });
})();
