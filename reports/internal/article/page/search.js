// Claims are found by words and filtered by their facets. Without this script the page has them all,
// folded, and a browser's own search opens what it finds.
"use strict";
(() => {
  const form = document.getElementById("search");
  const claims = [...document.querySelectorAll("details.claim")];
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

  function text(claim) {
    if (!texts.has(claim)) texts.set(claim, claim.textContent.toLowerCase());
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
    claim.open = true;
    claim.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  let opened = [];
  addEventListener("beforeprint", () => { opened = claims.filter((c) => !c.open && !c.hidden); opened.forEach((c) => { c.open = true; }); });
  addEventListener("afterprint", () => opened.forEach((c) => { c.open = false; }));
  form.hidden = false;
  reveal();
})();
