// This script searches the claims by words and filters them by their facets. The page is complete without it.
// With scripts, the content of a claim is plain text in a noscript element, which loads fast on a slow machine. It
// becomes part of the page when the claim is opened, when the page is printed, or when the browser is idle.
// The script runs before the claims are loaded, so a reader can type and unfold while the page is loading.
"use strict";
(() => {
  const form = document.getElementById("search");
  const names = ["paper", "verdict", "kind", "origin"];
  const texts = new Map(); // cache of the texts in lower case
  const facet = { // paper and verdict are in the markup
    paper: (claim) => claim.querySelector("div[id]")?.id.split("/")[0],
    verdict: (claim) => claim.classList[2],
    kind: (claim) => claim.dataset.kind,
    origin: (claim) => claim.dataset.origin,
  };
  const coming = () => document.readyState === "loading";
  const every = (selector) => [...document.querySelectorAll(selector)];

  const unfold = (claim) => {
    const folded = claim.querySelector("noscript");
    if (!folded || coming() && !claim.nextSibling) return; // the claim is complete if a node follows it
    folded.outerHTML = folded.textContent;
  };
  const signs = { lt: "<", gt: ">", amp: "&", "#34": '"', "#39": "'", "#43": "+" };

  function text(claim) {
    if (texts.has(claim)) return texts.get(claim);
    const words = claim.querySelector("noscript") ?
      claim.textContent.replace(/<[^>]*>/g, "").replace(/&(lt|gt|amp|#34|#39|#43);/g, (_, sign) => signs[sign]) : claim.textContent;
    if (!coming()) texts.set(claim, words.toLowerCase());
    return words.toLowerCase();
  }

  function show() {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = names.filter((name) => form.elements[name]?.value);
    const idle = words.length === 0 && chosen.length === 0;
    const claims = every("details.claim");
    let found = 0;
    for (const claim of claims) {
      const fits = idle || chosen.every((name) => facet[name](claim) === form.elements[name].value) &&
        words.every((word) => text(claim).includes(word));
      claim.hidden = !fits;
      found += fits;
    }
    for (const section of every("main section")) section.hidden = !idle && !section.querySelector("details.claim:not([hidden])");
    document.body.classList.toggle("searching", !idle);
    form.querySelector("output").value = idle ? "" : found + " of " + claims.length + " claims";
  }

  let waiting = 0;
  const later = () => { clearTimeout(waiting); waiting = setTimeout(show, 120); };
  form.addEventListener("input", later);
  form.addEventListener("submit", (e) => { e.preventDefault(); show(); });
  document.addEventListener("keydown", (e) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (e.key === "/" && !typing && !e.ctrlKey && !e.metaKey && !e.altKey) {
      e.preventDefault();
      form.elements.words.focus();
    } else if (e.key === "Escape" && form.contains(document.activeElement)) {
      form.reset();
      show();
      document.activeElement.blur();
    }
  });
  // A link to a hidden claim shows it.
  const reveal = () => {
    const claim = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("details");
    if (!claim) return;
    if (claim.hidden) { form.reset(); show(); }
    unfold(claim);
    claim.open = true;
    claim.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  let opened = [];
  document.addEventListener("toggle", (e) => { if (e.target.open) unfold(e.target); }, true);
  document.addEventListener("DOMContentLoaded", () => {
    if ([...form.elements].some((field) => field.value)) show(); // search again: more claims were loaded
    every("details[open]").forEach(unfold);
    reveal();
  });
  const idle = window.requestIdleCallback ?? ((f) => setTimeout(() => f({ timeRemaining: () => 8 }), 50));
  let folded = []; // to be unfolded, so that the browser's search finds their content
  const unfoldOn = (deadline) => {
    while (folded.length > 0 && deadline.timeRemaining() > 4) unfold(folded.pop());
    if (folded.length > 0) idle(unfoldOn);
  };
  addEventListener("load", () => setTimeout(() => { folded = every("details").reverse(); idle(unfoldOn); }, 1000));
  addEventListener("beforeprint", () => {
    const all = every("details");
    all.forEach(unfold);
    opened = all.filter((c) => !c.open && !c.hidden);
    opened.forEach((c) => { c.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((c) => { c.open = false; }));
  form.hidden = false;
})();
