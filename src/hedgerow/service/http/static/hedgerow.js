// The live preview: what a question would cost and how wrong its answer would be. Everything else
// works without this file.
"use strict";
(() => {
  const form = document.getElementById("ask");
  if (!form) return;
  const preview = document.getElementById("preview");
  const [sql, epsilon, error] = ["sql", "epsilon", "error"].map((id) => document.getElementById(id));
  let timer = null;
  let latest = 0;

  const element = (name, text, children = []) => {
    const made = document.createElement(name);
    if (text !== null) made.textContent = text;
    made.append(...children);
    return made;
  };
  const fact = (name, value) => element("div", null, [element("dt", name), element("dd", value)]);
  const short = (number) => (number === null ? "–" : Number(number).toPrecision(3).replace(/\.?0+$/, ""));

  const show = (found) => {
    const facts = [
      fact("Cost", found.free ? "free: answered before" : `epsilon ${short(found.epsilon)}`),
      ...found.aggregates.slice(0, 4).map((one) =>
        fact(`${one.aggregate}, 95 % error`, one.error_95 === null ? one.note || "–" : `± ${short(one.error_95)}`)),
      fact("Questions like this left", found.covered ? String(found.questions_left) : "none"),
    ];
    const list = element("dl", null, facts);
    list.className = "facts";
    const notes = element("ul", null, found.notes.map((note) => element("li", note)));
    notes.className = "hint";
    preview.replaceChildren(list, ...(found.notes.length ? [notes] : []));
  };
  const complain = (text) => {
    const words = element("pre", text);
    preview.replaceChildren(words);
  };

  const ask = async () => {
    const mine = ++latest;
    if (!sql.value.trim()) return;
    const body = { sql: sql.value };
    if (error.value.trim()) body.error = error.value.trim();
    else if (epsilon.value.trim()) body.epsilon = epsilon.value.trim();
    try {
      const response = await fetch("/preview", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Form-Secret": form.elements.form_secret.value },
        body: JSON.stringify(body),
      });
      const found = await response.json();
      if (mine !== latest) return;
      if (!response.ok) return complain(found.detail);
      show(found);
      if (error.value.trim()) epsilon.value = found.epsilon;
    } catch {
      if (mine === latest) complain("The service cannot be reached. Your question is not lost.");
    }
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 300);
  };
  for (const field of [sql, epsilon, error]) field.addEventListener("input", later);
  sql.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  if (sql.value.trim() && !document.querySelector(".answer")) ask();
})();
