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
    document.querySelectorAll("button[aria-label='common.upload']").forEach((button) => (button.ariaLabel = button.title = "Upload other files"));
  };

  const copy = async (button) => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      announce("Copied");
      button.classList.add("done");
      setTimeout(() => button.classList.remove("done"), 1500);
    } catch {
      window.prompt("Copy this:", button.dataset.copy); // without HTTPS there is no clipboard
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
  const changed = (...values) => {
    current = JSON.stringify(values);
    stale();
  };
  const ask = (...values) => {
    asked = current = JSON.stringify(values.slice(0, -1)); // the last one, the system of "Another number?", changes no result
    return values;
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
    keepFocus,
    changed,
    ask,
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
    new MutationObserver(hear).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-announce"] });
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
