// The demo in the browser: copies sentences, announces results, highlights n-grams, and marks results as outdated.
(() => {
  const status = document.createElement("p");
  status.className = "bleu-unseen";
  status.setAttribute("role", "status");

  const announce = (text) => {
    if (status.textContent !== text) status.textContent = text;
  };

  // A result says in data-announce what a screen reader should say; not with every letter typed.
  let timer;
  const hear = () => {
    direct();
    fold();
    write();
    clearTimeout(timer);
    timer = setTimeout(() => {
      const spoken = [...document.querySelectorAll("[data-announce]")].filter((element) => element.offsetParent);
      announce(spoken.map((element) => element.dataset.announce).join(". "));
    }, 800);
  };

  // What Gradio's fields lack: the direction of the text that is in them, and a name that says what is dropped where.
  const direct = () => {
    document.querySelectorAll("textarea[dir=ltr]").forEach((field) => (field.dir = "auto"));
    document.querySelectorAll("button.upload-container[aria-label]").forEach((button) => button.removeAttribute("aria-label"));
    for (const role of ["systems", "references"]) {
      const files = document.querySelectorAll(`#${role}-file td.filename`);
      document.querySelectorAll(`#${role}-note [data-file]`).forEach((note, i) => files[i]?.setAttribute("data-note", note.textContent));
    }
    document.querySelectorAll("button[aria-label='common.upload']").forEach((button) => {
      button.ariaLabel = button.title = "Upload other files";
      button.querySelector("button").inert = true; // a button in a button
    });
  };

  // The texts and options of Sentence, and the tab, are in the address: it can be shared, and a reload loses nothing.
  const longest = 8000; // characters; longer ones are cut by programs that links are sent with
  const opened = location.hash || sessionStorage.getItem("bleu") || "";
  let link; // unknown until what was in the address is shown
  let isShown = false;
  const arrive = () => [Object.fromEntries(new URLSearchParams(opened.slice(1)))];
  const arrived = () => {
    isShown = true;
    write();
  };
  const keep = (names, examples, values) => {
    const words = (list) => list.map((value) => String(value ?? ""));
    const now = words(values);
    const [standard] = Object.values(examples).map(words);
    const example = Object.keys(examples).find((name) => words(examples[name]).join("\0") === now.join("\0"));
    link = new URLSearchParams();
    if (example) link.set("example", example);
    else names.forEach((name, i) => i && (i < 3 ? !now[i] : now[i] === standard[i]) || link.set(name, now[i]));
    if (now.join("\0") === standard.join("\0")) link.delete("example"); // the page opens with it
    write();
  };
  const write = () => {
    if (!isShown || !link) return;
    const tab = document.querySelector("[role=tab][aria-selected=true]")?.textContent.trim().toLowerCase();
    const all = new URLSearchParams(link);
    if (tab && tab !== "sentence") all.set("tab", tab);
    const hash = `${all}` && `#${all}`;
    const isLong = hash.length > longest;
    document.querySelector("#sentence-row")?.classList.toggle("long", isLong);
    isLong ? sessionStorage.setItem("bleu", hash) : sessionStorage.removeItem("bleu");
    const address = location.pathname + location.search + (isLong ? "" : hash);
    if (address !== location.pathname + location.search + location.hash) history.replaceState(history.state, "", address);
  };
  addEventListener("hashchange", () => /[#&](candidate|example|tab)=/.test(location.hash) && location.reload());

  // What a visitor opens or closes stays so while the text changes. A telephone has room for one reference.
  const folds = {};
  const fold = () =>
    document.querySelectorAll("[data-fold]").forEach((part) => {
      const { fold: name } = part.dataset;
      part.open = folds[name] ?? (name !== "steps" && (name === "reference 1" || !narrow.matches));
    });
  const narrow = matchMedia("(max-width: 48rem)");

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

  // Lights the n-gram that a token is part of, in the candidate and wherever a reference has it.
  const light = (token) => {
    const section = token.closest("section");
    const lines = [...section.querySelectorAll(".bleu-tokens p")].map((line) => [...line.querySelectorAll(".token")]);
    const words = lines.map((line) => line.map((mark) => mark.firstChild.data));
    const here = lines.findIndex((line) => line.includes(token));
    const at = lines[here].indexOf(token);
    const elsewhere = lines.map((_, i) => i).filter((i) => (here === 0 ? i > 0 : i === 0));
    const places = (ngram, i) =>
      words[i].map((_, start) => start).filter((start) => ngram.every((word, k) => words[i][start + k] === word));
    for (let size = Number(token.querySelector("sub")?.textContent || 0); size > 0; size--) {
      for (let start = Math.max(0, at - size + 1); start <= at && start + size <= words[here].length; start++) {
        const ngram = words[here].slice(start, start + size);
        const found = elsewhere.flatMap((i) => places(ngram, i).map((place) => lines[i].slice(place, place + size)));
        if (!found.length) continue;
        [lines[here].slice(start, start + size), ...found].flat().forEach((mark) => mark.classList.add("lit"));
        return;
      }
    }
  };
  const unlight = () => document.querySelectorAll(".token.lit").forEach((mark) => mark.classList.remove("lit"));

  const show = (event) => {
    unlight();
    const token = event.target.closest?.("section .token");
    if (token) light(token);
  };

  // What was scored is old where the inputs aren't as they were when it was asked for: all are compared by their values.
  let current;
  let asked;
  let scored;
  let place; // from which a segment was opened
  const stale = () => {
    const isOld = scored !== undefined && current !== scored;
    document.querySelectorAll(".bleu-results, #corpus-message").forEach((part) => part.classList.toggle("old", isOld));
  };
  // Files are equal by their paths, and an empty value of Gradio may be null, "" or [].
  const freeze = (values) => JSON.stringify(values, (key, value) => value?.path ?? (value === null || value?.length === 0 ? "" : value));
  const changed = (...values) => {
    current = freeze(values);
    stale();
  };
  const ask = (...values) => {
    asked = current = freeze(values.slice(0, -2)); // the last ones, baseline and system asked about, are results too
    return values;
  };
  // Opening the tab scores what is there, unless there is a result.
  const open = (state, ...values) => {
    if (!document.querySelector("#corpus-summary .bleu-signature")) ask(...values);
    return [state, ...values];
  };
  // An answer that begins below the screen, as on a telephone, is brought into it.
  const answer = () => {
    scored = asked;
    stale();
    document.querySelector("#corpus-message p, #corpus-summary .bleu-quote, #corpus-summary .bleu-score")?.scrollIntoView({ block: "nearest" });
  };
  const visit = (selector) => {
    const target = document.querySelector(selector);
    target?.scrollIntoView({ block: "center" });
    target?.focus();
  };
  const comeBack = () => {
    place?.scrollIntoView?.({ block: "center" });
    place?.focus?.();
  };
  // A button that goes with what it has changed must not take the focus along.
  const keepFocus = (selector) => {
    const goes = document.activeElement === document.body || document.activeElement.closest("[data-action=apply]");
    if (goes) document.querySelector(selector)?.focus({ preventScroll: true });
  };
  window.bleuPage = {
    arrive,
    arrived,
    keep,
    keepFocus,
    changed,
    ask,
    open,
    answer,
    visit,
    comeBack,
    leave: () => (document.querySelector("#opened h3") ? visit("#back") : comeBack()),
  };
  const remember = (event) => {
    const target = event.target.closest("[data-action]");
    if (target?.dataset.action === "open") place = target;
  };

  const start = () => {
    document.body.append(status);
    new MutationObserver(hear).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-announce", "aria-selected"] });
  };
  if (document.body) start();
  else document.addEventListener("DOMContentLoaded", start);
  document.addEventListener("mouseover", show);
  // Before Gradio hears of the click.
  const choose = (event) => {
    const button = event.target.closest(".bleu-examples button");
    if (button) window.bleuPage.example = button.textContent.trim();
  };
  document.addEventListener("click", choose, true);
  document.addEventListener("click", (event) => {
    remember(event);
    const folded = event.target.closest("summary")?.parentElement;
    if (folded) setTimeout(() => (folds[folded.dataset.fold] = folded.open));
    const other = !event.target.matches("input") && event.target.closest("[title='Upload other files']");
    if (other) other.querySelector("input").click();
    const more = event.target.closest("[data-more]");
    if (more) {
      const box = more.previousElementSibling;
      box.classList.remove("few");
      box.querySelectorAll("tbody tr")[10].querySelector("button").focus();
      more.remove();
    }
    const button = event.target.closest("[data-copy]");
    if (button) copy(button);
  });
  // Gradio tells of input where a key was pressed, and not of what was pasted, deleted or dictated. Told once more when
  // typing has ended: a key that falls into the moment in which a call ends may be missed.
  let rest;
  const tell = (field) => field.dispatchEvent(new KeyboardEvent("keypress", { bubbles: true }));
  document.addEventListener("input", (event) => {
    if (!event.target.matches("textarea")) return;
    tell(event.target);
    clearTimeout(rest);
    rest = setTimeout(() => tell(event.target), 700);
  });
})();
