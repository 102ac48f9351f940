// Claims are found by words and filtered by their facets. Without this script the page has them all, folded.
// With it what a claim unfolds is text at first, which a slow machine reads at once, and becomes a part of
// the page when it is opened, printed, or when there is nothing else to do.
"use strict";
(() => {
  const form = document.getElementById("search");
  const all = [...document.querySelectorAll("details")];
  const claims = all.filter((d) => d.classList.contains("claim"));
  const texts = new Map(); // lower case, once they are needed
  const chosen = {};
  const names = ["paper", "verdict", "kind", "origin"];
  for (const claim of claims) { // the page says these two already
    claim.dataset.paper = claim.querySelector("div[id]").id.split("/")[0];
    claim.dataset.verdict = claim.classList[2];
  }

  for (const name of names) {
    const values = [...new Set(claims.map((c) => c.dataset[name]))].filter(Boolean);
    if (values.length < 2) continue;
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.name = name;
    select.append(new Option("all", ""), ...values.map((v) => new Option(v, v)));
    label.append(name + " ", select);
    document.getElementById("filters").append(label, " ");
  }

  const unfold = (claim) => {
    const folded = claim.querySelector("noscript");
    if (folded) folded.outerHTML = folded.textContent;
  };
  const signs = { lt: "<", gt: ">", amp: "&", "#34": '"', "#39": "'", "#43": "+" };

  function text(claim) {
    if (!texts.has(claim)) {
      const words = claim.querySelector("noscript") ?
        claim.textContent.replace(/<[^>]*>/g, "").replace(/&(lt|gt|amp|#34|#39|#43);/g, (_, sign) => signs[sign]) : claim.textContent;
      texts.set(claim, words.toLowerCase());
    }
    return texts.get(claim);
  }

  function show() {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const name of names) chosen[name] = form.elements[name]?.value ?? "";
    const idle = words.length === 0 && names.every((name) => !chosen[name]);
    let found = 0;
    for (const claim of claims) {
      const fits = names.every((name) => !chosen[name] || claim.dataset[name] === chosen[name]) &&
        words.every((word) => text(claim).includes(word));
      claim.hidden = !fits;
      found += fits;
    }
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
  // A link to a claim that is filtered away shows it.
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
  const idle = window.requestIdleCallback ?? ((f) => setTimeout(() => f({ timeRemaining: () => 8 }), 50));
  let next = 0; // so that a browser's own search finds what is folded
  const unfoldOn = (deadline) => {
    while (next < all.length && deadline.timeRemaining() > 4) unfold(all[next++]);
    if (next < all.length) idle(unfoldOn);
  };
  addEventListener("load", () => setTimeout(() => idle(unfoldOn), 1000));
  addEventListener("beforeprint", () => { all.forEach(unfold); opened = all.filter((c) => !c.open && !c.hidden); opened.forEach((c) => { c.open = true; }); });
  addEventListener("afterprint", () => opened.forEach((c) => { c.open = false; }));
  form.hidden = false;
  reveal();
})();
