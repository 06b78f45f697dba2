// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"use strict";
// Everything on the page can be read without this; it adds the drawer, the
// search, zooming, and single pipelines of a lane that stands for several.
(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  const maps = all("svg.lh-map.whole");
  all("[data-script]").forEach((element) => { element.hidden = false; });

  const drawer = one(".drawer");
  let opener = null;
  function closeDrawer() {
    if (!drawer || drawer.hidden) return;
    drawer.hidden = true;
    if (opener) opener.focus();
  }
  function openDrawer(link) {
    const facts = document.getElementById(link.getAttribute("href").slice(1));
    if (!drawer || !facts) return false;
    opener = link;
    const body = drawer.querySelector(".body");
    const copy = facts.cloneNode(true);
    copy.removeAttribute("id");
    const heading = document.createElement("h2");
    heading.textContent = facts.dataset.name || "";
    body.replaceChildren(heading, copy);
    drawer.hidden = false;
    drawer.querySelector(".close").focus();
    return true;
  }
  maps.forEach((map) => map.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link && openDrawer(link)) event.preventDefault();
  }));
  if (drawer) drawer.querySelector(".close").addEventListener("click", closeDrawer);

  // A single pipeline: the stations of its route, and its lane between them.
  function showRoute(map, route, lane) {
    const ends = ["start", ...route];
    const steps = new Set(route.map((node, i) => ends[i] + ">" + node));
    const stops = new Set(route);
    all(".station", map).forEach((station) =>
      station.classList.toggle("in-route", stops.has(station.dataset.node)));
    all(".stretch", map).forEach((stretch) =>
      stretch.classList.toggle("in-route", stretch.classList.contains("lane-" + lane) &&
        steps.has(stretch.dataset.from + ">" + stretch.dataset.to)));
    map.classList.toggle("picking", route.length > 0);
  }
  const members = all(".members button");
  members.forEach((button) => button.addEventListener("click", () => {
    const pressed = button.getAttribute("aria-pressed") !== "true";
    members.forEach((other) =>
      other.setAttribute("aria-pressed", String(pressed && other === button)));
    maps.forEach((map) => {
      const text = button.getAttribute("data-route-" + map.dataset.view) || "";
      showRoute(map, pressed && text ? text.split(" ") : [],
        button.getAttribute("data-lane-" + map.dataset.view));
    });
  }));

  const search = one("#search");
  if (search) search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    maps.forEach((map) => {
      map.classList.toggle("searching", wanted !== "");
      all(".station", map).forEach((station) => station.classList.toggle("found",
        wanted !== "" && station.textContent.toLowerCase().includes(wanted)));
    });
    const first = maps.flatMap((map) => all(".station.found", map))
      .find((station) => station.getClientRects().length > 0);
    if (first) first.scrollIntoView({ block: "nearest", inline: "nearest" });
  });

  let scale = 1;
  function zoom(factor) {
    scale = factor === 0 ? 1 : Math.min(4, Math.max(0.2, scale * factor));
    maps.forEach((map) => {
      const box = map.viewBox.baseVal;
      map.setAttribute("width", String(box.width * scale));
      map.setAttribute("height", String(box.height * scale));
    });
  }
  all("[data-zoom]").forEach((button) =>
    button.addEventListener("click", () => {
      if (button.dataset.zoom !== "fit") return zoom(Number(button.dataset.zoom));
      const shown = maps.find((map) => map.getClientRects().length > 0);
      if (!shown) return undefined;
      zoom(0);
      return zoom(Math.min(1, shown.parentElement.clientWidth / shown.viewBox.baseVal.width));
    }));

  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches && event.target.matches("input[type=search], textarea");
    if (event.key === "Escape") closeDrawer();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && search) { event.preventDefault(); search.focus(); }
    if (event.key === "+") zoom(1.25);
    if (event.key === "-") zoom(0.8);
    if (event.key === "0") zoom(0);
  });
})();
