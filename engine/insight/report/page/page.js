// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens, filters, sorts and pages what is in the document. All state is in the
// URL's fragment, so that a view can be sent to others and Back works.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const find = (selector, from = document) => from.querySelector(selector);
  const findAll = (selector, from = document) =>
    [...from.querySelectorAll(selector)];
  const make = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    for (const [name, value] of Object.entries(attributes))
      element.setAttribute(name, value);
    return element;
  };

  // ---- State ---------------------------------------------------------------
  const defaults = { page: "1" };
  const readState = () => {
    const text = location.hash.slice(1);
    if (/^(result|bubble|station|stop)-\d+$/.test(text)) return { ...defaults, open: text };
    return { ...defaults, ...Object.fromEntries(new URLSearchParams(text)) };
  };
  let state = readState();
  // Else the browser would scroll to what is about to move.
  if (/^#(result|bubble|station|stop)-\d+$/.test(location.hash))
    history.replaceState(null, "", location.pathname + location.search +
      `#open=${state.open}`);
  const hashOf = (wanted) => {
    const parts = new URLSearchParams();
    for (const [key, value] of Object.entries(wanted))
      if (value && defaults[key] !== value) parts.set(key, value);
    return "#" + parts;
  };
  const change = (wanted, { replace = false } = {}) => {
    state = { ...state, ...wanted };
    const place = location.pathname + location.search + hashOf(state);
    history[replace ? "replaceState" : "pushState"](null, "", place);
    show();
  };

  // ---- Packed pieces ---------------------------------------------------------
  const unpacked = new Map();
  const unpack = (id) => {
    if (unpacked.has(id)) return unpacked.get(id);
    const source = document.getElementById(id);
    const bytes = Uint8Array.from(atob(source.textContent), (c) =>
      c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(
      new DecompressionStream("deflate"));
    const text = new Response(stream).text();
    unpacked.set(id, text);
    return text;
  };
  const packs = findAll('script[id^="pack-"]').map((script) => {
    const [, first, last] = script.id.split("-");
    return { id: script.id, first: +first, last: +last };
  });
  // The element with this id, out of a pack if need be. What is in a pack was
  // escaped when it was written.
  const element = async (id) => {
    const here = document.getElementById(id);
    if (here) return here;
    const [, kind, number] = /^(\w+)-(\d+)$/.exec(id) || [];
    const pack = kind === "result" &&
      packs.find(({ first, last }) => first <= +number && +number <= last);
    if (!pack) return null;
    const shelf = find("#details");
    const holder = make("template");
    holder.innerHTML = await unpack(pack.id);
    for (const article of [...holder.content.children])
      if (!document.getElementById(article.id)) shelf.append(article);
    return document.getElementById(id);
  };

  // ---- Results: filters, order, pages ---------------------------------------
  const pageSize = 100;
  const table = find("#table");
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  const columnNames = headings.map((heading) => heading.textContent);
  const column = (name) => columnNames.indexOf(name);
  const rows = [...body.rows].map((row) => {
    const texts = [...row.cells].map((cell) => cell.textContent.trim());
    texts[0] = texts[0].replace(/^\S+\s+/, "");
    return { row, texts, number: +row.id.slice(4),
             all: texts.join(" ").toLowerCase() };
  });
  const squares = new Map(findAll(".squares a").map((square) =>
    [+square.getAttribute("href").slice(8), square]));
  const selects = findAll("#filters select");
  const key = (select) => ({ Verdict: "status" })[select.dataset.column] ||
    select.dataset.column.toLowerCase();
  const dashed = (text) => text.replaceAll(" ", "-");
  const valueOf = (select, entry) => {
    const text = entry.texts[column(select.dataset.column)];
    return select.dataset.column === "Verdict" ? dashed(text) : text;
  };
  const mostChoices = 400;
  for (const select of selects) {
    const counts = new Map();
    for (const entry of rows) {
      const value = valueOf(select, entry);
      counts.set(value, (counts.get(value) || 0) + 1);
    }
    const values = [...counts.keys()].filter((value) => value).sort();
    for (const value of values.slice(0, mostChoices))
      select.append(make("option", `${value} (${counts.get(value)})`,
                         { value }));
    select.closest("label").hidden = counts.size < 2;
    select.addEventListener("change", () =>
      change({ [key(select)]: select.value, page: "1" }));
  }
  columnNames.forEach((name, i) => {
    if (rows.every(({ texts }) => !texts[i]))
      for (const cell of findAll(
        `:is(td, th):nth-child(${i + 1})`, table))
        cell.classList.add("hidden-column");
  });
  headings.forEach((heading, i) => {
    const button = make("button", heading.textContent, { type: "button" });
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      const descending = state.sort === columnNames[i];
      const next = descending ? `-${columnNames[i]}` : columnNames[i];
      change({ sort: state.sort === `-${columnNames[i]}` ? "" : next,
               page: "1" });
    });
  });
  const sortKey = (entry, i) => {
    const given = entry.row.cells[i].dataset.v;
    return given === undefined ? entry.texts[i] : +given;
  };
  const compare = (a, b) => {
    if (a === b) return 0;
    if (a === "" || b === "") return a === "" ? 1 : -1;
    return typeof a === "number" && typeof b === "number"
      ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
  };
  let through = null; // results whose path passes the chosen bubble
  const matching = () => {
    const wanted = (state.text || "").toLowerCase().split(/\s+/);
    let found = rows.filter((entry) =>
      wanted.every((word) => entry.all.includes(word)) &&
      selects.every((select) => !state[key(select)] ||
        valueOf(select, entry) === state[key(select)]) &&
      (!through || through.has(entry.number)));
    if (state.sort) {
      const down = state.sort.startsWith("-");
      const i = column(down ? state.sort.slice(1) : state.sort);
      if (i >= 0)
        found = found.map((entry) => [sortKey(entry, i), entry])
          .sort(([a], [b]) => down && a !== "" && b !== ""
            ? compare(b, a) : compare(a, b))
          .map(([, entry]) => entry);
    }
    return found;
  };
  let shown = [];
  const showPages = (pages) => {
    const nav = find("#pages");
    nav.hidden = pages < 2;
    const current = +state.page;
    const numbers = [...Array(pages).keys()].map((i) => i + 1).filter((i) =>
      i === 1 || i === pages || Math.abs(i - current) < 4);
    nav.replaceChildren(...numbers.map((i) => {
      const button = make("button", i, { type: "button" });
      if (i === current) button.setAttribute("aria-current", "page");
      button.addEventListener("click", () => {
        change({ page: String(i) });
        find("#results").scrollIntoView();
      });
      return button;
    }));
  };
  const showResults = () => {
    shown = matching();
    const pages = Math.max(1, Math.ceil(shown.length / pageSize));
    if (!(+state.page >= 1 && +state.page <= pages)) state.page = "1";
    const begin = (+state.page - 1) * pageSize;
    body.replaceChildren(...shown.slice(begin, begin + pageSize)
      .map(({ row }) => row));
    find("#found").textContent = shown.length === rows.length
      ? `${rows.length} results`
      : `${shown.length} of ${rows.length} results`;
    const visible = new Set(shown.map(({ number }) => number));
    for (const [number, square] of squares)
      square.classList.toggle("dim", !visible.has(number));
    headings.forEach((heading, i) => {
      heading.removeAttribute("aria-sort");
      if (state.sort === columnNames[i])
        heading.setAttribute("aria-sort", "ascending");
      if (state.sort === `-${columnNames[i]}`)
        heading.setAttribute("aria-sort", "descending");
    });
    for (const select of selects) select.value = state[key(select)] || "";
    const search = find("#filter-text");
    if (document.activeElement !== search) search.value = state.text || "";
    showPages(pages);
  };
  const filters = find("#filters");
  filters.hidden = false;
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("reset", (event) => {
    event.preventDefault();
    find("#filter-text").value = "";
    change({ status: "", case: "", pipeline: "", target: "", text: "",
             through: "", page: "1" });
  });
  find("#filter-text").addEventListener("input", (event) =>
    change({ text: event.target.value, page: "1" }, { replace: true }));
  find("#filters .through button").addEventListener("click", () =>
    change({ through: "", page: "1" }));

  // A bubble's results are in its drawer's list.
  const showThrough = () => {
    const article = state.through &&
      document.getElementById(`bubble-${state.through}`);
    through = article ? new Set((article.dataset.results || "").split(" ")
      .flatMap((part) => {
        if (!part) return [];
      const [first, last = first] = part.split("-").map(Number);
        return Array.from({ length: last - first + 1 }, (_, i) => first + i);
      })) : null;
    const label = find("#filters .through");
    label.hidden = !article;
    if (article) find("output", label).textContent = find("h3", article)
      .textContent;
  };

  // ---- IR --------------------------------------------------------------------
  const tokens = new RegExp([
    /(\/\/[^\n]*)/, /("(?:[^"\\\n]|\\.)*")/, /([%^#!][\w$.:#-]*)/, /(@[\w$.-]+)/,
    /\b((?:tensor|memref|vector)(?=<)|[fiu]\d+\b|bf16\b|index\b)/,
    /\b([a-z_]\w*\.[\w.]+)/,
  ].map((part) => part.source).join("|"), "g");
  const classes = ["t-comment", "t-string", "t-value", "t-name", "t-type",
                   "t-op"];
  const colour = (text) => {
    const pieces = document.createDocumentFragment();
    let last = 0;
    for (const match of text.matchAll(tokens)) {
      const kind = match.slice(1).findIndex((group) => group !== undefined);
      pieces.append(text.slice(last, match.index),
                    make("span", match[0], { class: classes[kind] }));
      last = match.index + match[0].length;
    }
    pieces.append(text.slice(last));
    return pieces;
  };
  const mostColoured = 300000; // characters
  const colourIn = (code) => {
    for (const node of [...code.childNodes].flatMap((child) =>
      child.nodeType === 3 ? [child] : [...child.childNodes]))
      if (node.nodeType === 3 && !node.parentNode.matches(".gap"))
        node.replaceWith(colour(node.textContent));
  };
  const prepareModule = (figure) => {
    if (figure.dataset.ready) return;
    figure.dataset.ready = "1";
    const diff = find("pre.diff", figure);
    if (diff && diff.textContent.length < mostColoured)
      colourIn(find("code", diff));
    const sides = ["before", "after"].filter((side) => figure.dataset[side]);
    if (!sides.length) return;
    const parts = [...figure.children].filter((child) =>
      child.tagName !== "FIGCAPTION");
    const panel = make("div");
    panel.append(...parts);
    const whole = make("pre", undefined, { tabindex: "0" });
    whole.hidden = true;
    const tabs = make("div", undefined, { class: "tabs", role: "tablist" });
    const choose = async (name) => {
      for (const tab of tabs.children)
        tab.setAttribute("aria-selected", String(tab.dataset.side === name));
      panel.hidden = name !== "diff";
      whole.hidden = name === "diff";
      if (name === "diff") return;
      const text = await unpack(figure.dataset[name]);
      const code = make("code");
      code.append(text.length < mostColoured ? colour(text) : text);
      whole.replaceChildren(code);
    };
    const names = diff ? ["diff", ...sides] : sides;
    for (const name of names) {
      const tab = make("button", { diff: "Difference", before: "Before",
        after: "After" }[name], { type: "button", role: "tab" });
      tab.dataset.side = name;
      tab.addEventListener("click", () => choose(name));
      tabs.append(tab);
    }
    tabs.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.stopPropagation();
      const list = [...tabs.children];
      const next = list[(list.indexOf(document.activeElement) + step +
        list.length) % list.length];
      next.focus();
      next.click();
    });
    find("figcaption", figure).after(tabs, panel, whole);
    choose(diff ? "diff" : sides.at(-1));
    if (!diff) panel.hidden = false;
  };

  // ---- The drawer --------------------------------------------------------------
  const drawer = find("#drawer");
  let inDrawer = null; // the article, and where it belongs
  let opener = null;
  const putBack = () => {
    if (!inDrawer) return;
    inDrawer.home.replaceWith(inDrawer.article);
    inDrawer = null;
  };
  const close = () => change({ open: "" });
  const step = (by) => {
    const [, kind, number] = /^(\w+)-(\d+)$/.exec(state.open) || [];
    if (kind === "result") {
      const at = shown.findIndex((entry) => entry.number === +number);
      const next = shown[at + by];
      if (next) change({ open: `result-${next.number}` }, { replace: true });
    } else if (kind === "bubble") {
      const next = `bubble-${+number + by}`;
      if (document.getElementById(next))
        change({ open: next }, { replace: true });
    }
  };
  const showDrawer = async () => {
    const id = state.open || "";
    const article = id ? await element(id) : null;
    if (id !== (state.open || "")) return; // changed meanwhile
    for (const row of findAll("tr.current", body))
      row.classList.remove("current");
    if (!article) {
      putBack();
      drawer.hidden = true;
      if (opener && opener.isConnected) opener.focus();
      opener = null;
      return;
    }
    const row = document.getElementById(id.replace("result", "row"));
    if (row) row.classList.add("current");
    if (inDrawer && inDrawer.article === article) return;
    if (!opener) opener = document.activeElement;
    putBack();
    const home = document.createComment(id);
    article.replaceWith(home);
    inDrawer = { article, home };
    const bar = make("div", undefined, { class: "bar" });
    for (const [text, label, act] of [["←", "Previous", () => step(-1)],
      ["→", "Next", () => step(1)], ["Close", "Close", close]]) {
      const button = make("button", text, { type: "button",
                                            "aria-label": label });
      button.addEventListener("click", act);
      bar.append(button);
    }
    drawer.replaceChildren(bar, article);
    for (const figure of findAll("figure.module", article))
      prepareModule(figure);
    for (const block of findAll(".copy", article)) addCopy(block);
    for (const code of findAll("code.mlir", article))
      if (!code.firstElementChild) code.replaceChildren(colour(code.textContent));
    drawer.hidden = false;
    drawer.scrollTop = 0;
    drawer.focus({ preventScroll: true });
  };
  const addCopy = (block) => {
    if (find("button", block)) return;
    const button = make("button", "Copy", { type: "button" });
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(find("code", block).textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(find("code", block));
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  };

  // ---- Everything ------------------------------------------------------------
  const show = () => {
    showThrough();
    showResults();
    showDrawer();
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const target = link.getAttribute("href").slice(1);
    if (/^(result|bubble|station|stop)-\d+$/.test(target)) {
      event.preventDefault();
      if (!drawer.contains(link)) opener = link;
      change({ open: target });
    } else if (/^(status|through)=/.test(target)) {
      event.preventDefault();
      const [name, value] = target.split("=");
      change({ status: "", through: "", [name]: value, page: "1", open: "" });
      find("#results").scrollIntoView();
    } else if (document.getElementById(target)) {
      event.preventDefault();
      document.getElementById(target).scrollIntoView();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "Escape" && state.open) close();
    else if (event.key === "Escape" && typing) event.target.blur();
    else if (typing) return;
    else if (event.key === "/") {
      event.preventDefault();
      find("#filter-text").focus();
    } else if (event.key === "ArrowRight" || event.key === "j") step(1);
    else if (event.key === "ArrowLeft" || event.key === "k") step(-1);
  });
  window.addEventListener("popstate", () => { state = readState(); show(); });
  // For paper, every row; then the page again.
  window.addEventListener("beforeprint", () => {
    putBack();
    body.replaceChildren(...shown.map(({ row }) => row));
  });
  window.addEventListener("afterprint", show);

  const theme = find("#theme");
  theme.hidden = false;
  find(".keys").hidden = false;
  const remembered = (() => {
    try { return localStorage.getItem("lh-theme"); } catch { return null; }
  })();
  if (remembered === "light" || remembered === "dark")
    root.style.colorScheme = remembered;
  theme.addEventListener("click", () => {
    const isDark = root.style.colorScheme
      ? root.style.colorScheme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.style.colorScheme = isDark ? "light" : "dark";
    try { localStorage.setItem("lh-theme", root.style.colorScheme); } catch {}
  });
  const sections = find("#sections");
  for (const [id, name] of [["profiles", "Where the time goes"],
                            ["bench", "Measurements"], ["failures", "Failures"],
                            ["map", "Map"]])
    if (document.getElementById(id))
      sections.prepend(make("a", name, { href: `#${id}` }));
  for (const scroll of findAll(".scroll")) scroll.tabIndex = 0;
  show();
  root.dataset.ready = "1";
})();
