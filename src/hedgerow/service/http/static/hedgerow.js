// The live preview of a question, the slider between epsilon and error, and the completion of names.
// Every page works without this file.
"use strict";
(() => {
  const form = document.getElementById("ask");
  if (!form) return;
  const [sql, epsilon, error, slider, preview, words, waiting] = [
    "sql", "epsilon", "error", "slider", "preview", "words", "waiting",
  ].map((id) => document.getElementById(id));

  // The live preview

  let timer = null;
  let latest = 0;
  let isErrorTyped = Boolean(error.value);

  const complain = (text) => {
    const box = document.createElement("pre");
    box.textContent = text;
    preview.replaceChildren(box);
  };
  const follow = (panel, byError) => {
    // The field that was not typed in follows the one that was.
    if (byError) epsilon.value = panel.dataset.epsilon;
    else {
      error.value = panel.dataset.error;
      isErrorTyped = false;
    }
    slider.value = Math.log10(Number(panel.dataset.epsilon)) || slider.value;
  };
  const ask = async (byError) => {
    const mine = ++latest;
    if (!sql.value.trim()) return;
    const body = { sql: sql.value };
    if (byError && error.value.trim()) body.error = error.value.trim();
    else if (epsilon.value.trim()) body.epsilon = epsilon.value.trim();
    try {
      const response = await fetch("/preview", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Form-Secret": form.elements.form_secret.value },
        body: JSON.stringify(body),
      });
      if (response.redirected) return location.reload();
      const text = await response.text();
      if (mine !== latest) return;
      if (!response.ok) return complain(JSON.parse(text).detail);
      preview.innerHTML = text; // made by our own template, which escapes
      follow(preview.querySelector(".panel"), byError);
    } catch {
      if (mine === latest) complain("The service cannot be reached. Your question is not lost.");
    }
  };
  const later = (byError) => {
    clearTimeout(timer);
    timer = setTimeout(() => ask(byError), 300);
  };
  sql.addEventListener("input", () => later(false));
  epsilon.addEventListener("input", () => later(false));
  error.addEventListener("input", () => {
    isErrorTyped = true;
    epsilon.value = "";
    later(true);
  });

  // An error that follows is rounded: asked for, it would cost another epsilon than the one shown.
  form.addEventListener("formdata", (event) => {
    if (!isErrorTyped) event.formData.delete("error");
  });

  // The slider: epsilon on a logarithmic scale

  const largest = Number(form.dataset.largest);
  slider.max = Math.log10(largest);
  slider.min = slider.max - 3;
  slider.value = Math.log10(Number(epsilon.value || epsilon.placeholder) || largest / 10);
  slider.addEventListener("input", () => {
    const chosen = Math.min(largest, Number((10 ** Number(slider.value)).toPrecision(2)));
    epsilon.value = String(chosen);
    slider.setAttribute("aria-valuetext", `epsilon ${chosen}`);
    later(false);
  });
  slider.closest("label").hidden = false;

  // The completion of names, in a list below the question

  const known = JSON.parse(sql.dataset.words);
  const columns = [...new Set(Object.values(known.tables).flat())];
  let chosen = -1;
  let start = 0;

  const close = () => {
    words.hidden = true;
    words.replaceChildren();
    sql.removeAttribute("aria-activedescendant");
    chosen = -1;
  };
  const accept = (text) => {
    sql.setRangeText(text, start, sql.selectionStart, "end");
    close();
    sql.focus();
    later(false);
  };
  const listFitting = (before, word) => {
    const begin = word.toLowerCase();
    const table = /([\w"]+)\.$/.exec(before);
    const cased = (list) => (word === begin ? list.map((each) => each.toLowerCase()) : list);
    let from = [...columns, ...Object.keys(known.tables), ...cased(known.functions), ...cased(known.keywords)];
    if (table) from = known.tables[table[1]] ?? columns;
    else if (/\b(from|join)\s+$/i.test(before)) from = Object.keys(known.tables);
    else if (!word) return [];
    const fitting = from.filter((each) => each.toLowerCase().startsWith(begin) && each.toLowerCase() !== begin);
    return [...new Set(fitting)].slice(0, 8);
  };
  const choose = (place) => {
    const options = [...words.children];
    chosen = (place + options.length) % options.length;
    options.forEach((each, i) => each.setAttribute("aria-selected", String(i === chosen)));
    sql.setAttribute("aria-activedescendant", options[chosen].id);
  };
  const suggest = () => {
    const text = sql.value.slice(0, sql.selectionStart);
    const word = /[\w"]*$/.exec(text)[0];
    start = text.length - word.length;
    const fitting = listFitting(text.slice(0, start), word);
    close();
    if (!fitting.length) return;
    words.replaceChildren(...fitting.map((each, i) => {
      const option = document.createElement("span");
      option.id = `word-${i}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.textContent = each;
      option.addEventListener("mousedown", (event) => {
        event.preventDefault();
        accept(each);
      });
      return option;
    }));
    words.hidden = false;
  };
  sql.setAttribute("aria-autocomplete", "list");
  sql.setAttribute("aria-controls", "words");
  sql.addEventListener("input", suggest);
  sql.addEventListener("blur", close);
  sql.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return form.requestSubmit();
    if (words.hidden) return;
    if (event.key === "Escape") close();
    else if (event.key === "Tab" && !event.shiftKey) accept(words.children[Math.max(chosen, 0)].textContent);
    else if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter" && chosen >= 0) accept(words.children[chosen].textContent);
    else return;
    event.preventDefault();
  });

  // Waiting: an answer leaves at a time that is known beforehand

  form.addEventListener("submit", (event) => {
    if (event.submitter?.hasAttribute("formaction")) return;
    const seconds = Number(form.dataset.seconds);
    const began = Date.now();
    const tick = () => {
      const gone = Math.round((Date.now() - began) / 1000);
      waiting.textContent = `Asked ${gone} s ago. A new answer leaves at most ${seconds} s after an engine took the question.`;
    };
    tick();
    setInterval(tick, 1000);
    for (const button of form.querySelectorAll("button")) setTimeout(() => (button.disabled = true));
  });
  addEventListener("pageshow", () => {
    for (const button of form.querySelectorAll("button")) button.disabled = false;
  });

  document.getElementById("answer-title")?.focus({ preventScroll: true });
  if (sql.value.trim() && !preview.querySelector(".panel") && !document.querySelector(".answer, .problem")) ask(false);
})();
