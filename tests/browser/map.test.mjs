// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page of `lh-run graph`, as a reader uses it.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { lhRun, openFile, python, root, screenshot, startBrowser } from "./browser.mjs";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

const shipped = readdirSync(path.join(root, "manifests"))
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => path.join(root, "manifests", name));

function draw(file, manifests) {
  lhRun("graph", ...manifests, "-o", file);
  return { file, map: JSON.parse(lhRun("graph", ...manifests, "--format", "json")) };
}

/** Manifests of 3, 12 and 150 bubbles. */
function space(size) {
  if (size === 150) {
    python("tests/support/make-pipeline-space.py", "space-150");
    return readdirSync("space-150").filter((name) => name.endsWith(".yaml"))
      .map((name) => path.join("space-150", name));
  }
  const inner = Array.from({ length: size - 2 }, (_, i) => "step-" + (i + 1));
  const chain = ["import", ...inner, "run"];
  const skips = size > 5 ? chain.filter((_, i) => i < 3 || i > size - 4) : chain;
  const lines = ["lighthouse: 1", `name: space-${size}`, "summary: A generated chain.",
    `targets: [${path.join(root, "targets/host.yaml")}]`, "bubbles:",
    '  import: {ingress: onnx, model: "${case.model}"}',
    ...inner.map((name, i) => `  ${name}: {passes: canonicalize` +
      (i === 1 ? ", when: {vector_bits: {min: 128}}}" : "}")),
    "  run: {execute: main}", "edges:", "  - " + chain.join(" -> ")];
  if (size > 5)
    lines.push(`  - ${skips[2]} -> ${skips[3]}`, "pipelines:",
      `  all: {path: [${chain.join(", ")}]}`, `  some: {path: [${skips.join(", ")}]}`);
  lines.push("cases:", "  one:", "    generate: {model: model.onnx, seed: 1}");
  mkdirSync("spaces", { recursive: true });
  writeFileSync(`spaces/${size}.yaml`, lines.join("\n") + "\n");
  return [`spaces/${size}.yaml`];
}

/** Visible: how opaque an element is, all around it counted. */
const opacity = (locator) => locator.evaluate((element) => {
  let value = 1;
  for (let one = element; one; one = one.parentElement) value *= Number(getComputedStyle(one).opacity);
  return value;
});

test("a page that complains is heard", async () => {
  const pages = {
    log: "console.error('x')", throw: "throw new Error('x')", ask: "alert(1)",
    load: "fetch('other.json').catch(() => 0)",
  };
  for (const [name, script] of Object.entries(pages)) {
    writeFileSync(`bad-${name}.html`, `<!DOCTYPE html><script>${script}</script>`);
    const page = await openFile(browser, `bad-${name}.html`);
    await page.waitForTimeout(100);
    assert.notDeepEqual(page.complaints, [], name);
    await page.close();
  }
});

test("every bubble, lane and fact is on the page", async () => {
  const { file, map } = draw("shipped.html", shipped);
  const page = await openFile(browser, file);
  const stations = page.locator(".view-map .station");
  assert.equal(await stations.count(), map.bubbles.length);
  const texts = await stations.allTextContents();
  for (const [i, bubble] of map.bubbles.entries()) assert.ok(texts[i].includes(bubble.name));
  for (const [i, edge] of map.edges.entries())
    for (const lane of edge.lanes)
      assert.equal(await page.locator(`.view-map .stretch.lane-${lane}[data-from="${edge.from}"]` +
        `[data-to="${edge.to}"]`).count(), 1, `edge ${i}`);
  assert.equal(await page.locator(".picks input[type=radio]").count(), map.lanes.length + 1);
  assert.deepEqual(page.complaints, []);
  await screenshot(page, "shipped-light", { fullPage: true });
});

test("a picked lane stands out, without a script too", async () => {
  const { file, map } = draw("shipped.html", shipped);
  for (const javaScriptEnabled of [true, false]) {
    const page = await openFile(browser, file, { javaScriptEnabled });
    await page.check("#pick-1");
    const off = map.bubbles.findIndex((bubble) => !bubble.lanes.includes(1));
    const on = map.bubbles.findIndex((bubble) => bubble.lanes.includes(1));
    assert.ok(await opacity(page.locator(`#map-node-${off}`)) < 0.5);
    assert.equal(await opacity(page.locator(`#map-node-${on}`)), 1);
    assert.equal(await page.locator(".tools").isVisible(), javaScriptEnabled);
    await page.check("#pick-all");
    assert.equal(await opacity(page.locator(`#map-node-${off}`)), 1);
    assert.deepEqual(page.complaints, []);
    await page.close();
  }
});

test("composite bubbles open", async () => {
  const { file, map } = draw("shipped.html", shipped);
  const page = await openFile(browser, file);
  const inner = map.bubbles.reduce((sum, bubble) => sum + Math.max(1, bubble.inner.length), 0);
  assert.ok(inner > map.bubbles.length);
  assert.ok(!await page.locator(".view-full").isVisible());
  await page.check("#open-all");
  assert.ok(!await page.locator(".view-map").isVisible());
  assert.equal(await page.locator(".view-full .station").count(), inner);
  assert.ok(await page.locator(".view-full .group").first().isVisible());
  assert.deepEqual(page.complaints, []);
  await screenshot(page, "shipped-open", { fullPage: true });
});

test("a bubble's drawer opens by mouse and by keyboard", async () => {
  const { file, map } = draw("shipped.html", shipped);
  const page = await openFile(browser, file);
  const drawer = page.locator(".drawer");
  for (const [i, bubble] of map.bubbles.entries()) {
    await page.locator(`#map-node-${i} a`).click();
    assert.ok(await drawer.isVisible());
    const text = await drawer.innerText();
    assert.ok(text.includes(bubble.name), bubble.name);
    for (const detail of bubble.details)
      assert.ok(text.replace(/\s+/g, " ").includes(detail.replace(/\s+/g, " ")), detail);
    await page.keyboard.press("Escape");
    assert.ok(!await drawer.isVisible());
  }
  await page.locator("#map-node-2 a").focus();
  await page.keyboard.press("Enter");
  assert.ok(await drawer.isVisible());
  await screenshot(page, "drawer");
  await page.locator(".drawer .close").click();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("href")),
    "#map-bubble-2");
  assert.deepEqual(page.complaints, []);
});

test("without a script a station leads to its facts", async () => {
  const { file } = draw("shipped.html", shipped);
  const page = await openFile(browser, file, { javaScriptEnabled: false });
  await page.locator("#map-node-3 a").click();
  assert.ok(await page.locator("#map-bubble-3").isVisible());
  assert.deepEqual(page.complaints, []);
});

test("the search finds, single pipelines show, and the map zooms", async () => {
  const { file, map } = draw("space.html", space(150));
  const page = await openFile(browser, file);
  await page.keyboard.press("/");
  await page.keyboard.type("tile-3");
  const wanted = map.bubbles.findIndex((bubble) => bubble.name === "tile-3");
  assert.equal(await opacity(page.locator(`#map-node-${wanted}`)), 1);
  assert.ok(await opacity(page.locator("#map-node-0")) < 0.5);
  await page.fill("#search", "");

  await page.locator(".members summary").first().click();
  const button = page.locator(".members button").first();
  await button.click();
  const route = map.lanes[0].pipelines[0].route;
  for (let node = 0; node < map.bubbles.length; ++node) {
    const seen = await opacity(page.locator(`#map-node-${node}`));
    assert.equal(seen === 1, route.includes(node), `node ${node}`);
  }
  const shown = page.locator(".view-map .stretch.in-route");
  assert.equal(await shown.count(), route.length); // its start, and each step
  for (const classes of await shown.evaluateAll((all) => all.map((one) => one.classList.value)))
    assert.ok(classes.split(" ").includes("lane-0"), classes);
  await screenshot(page, "space-150-one-pipeline");
  await button.click();
  assert.equal(await opacity(page.locator("#map-node-0")), 1);

  const width = () => page.locator(".view-map svg").evaluate((svg) => svg.getBoundingClientRect().width);
  const whole = await width();
  await page.locator('[data-zoom="1.25"]').click();
  assert.ok(await width() > 1.2 * whole);
  await page.locator('[data-zoom="fit"]').click();
  const room = await page.locator(".view-map .canvas").evaluate((box) => box.clientWidth);
  assert.ok(await width() <= room + 1);
  assert.deepEqual(page.complaints, []);
  await screenshot(page, "space-150-fit");
});

for (const size of [3, 12, 150])
  test(`${size} bubbles are legible, light and dark`, async () => {
    const { file } = draw(`space-${size}.html`, space(size));
    for (const colorScheme of ["light", "dark"]) {
      const page = await openFile(browser, file, { colorScheme });
      // No label lies on another, and none is cut by the picture's border.
      const boxes = await page.locator(".view-map .station .name").evaluateAll((names) =>
        names.map((name) => {
          const { x, y, right, bottom } = name.getBoundingClientRect();
          return { x, y, right, bottom, text: name.textContent };
        }));
      const picture = await page.locator(".view-map svg").evaluate((svg) => {
        const { x, right } = svg.getBoundingClientRect();
        return { x, right };
      });
      for (const [i, a] of boxes.entries()) {
        assert.ok(a.x >= picture.x && a.right <= picture.right, a.text);
        for (const b of boxes.slice(0, i))
          assert.ok(a.right <= b.x || b.right <= a.x || a.bottom <= b.y + 2 || b.bottom <= a.y + 2,
            `${a.text} and ${b.text}`);
      }
      assert.deepEqual(page.complaints, []);
      await screenshot(page, `space-${size}-${colorScheme}`, { fullPage: size < 100 });
      await page.close();
    }
  });

test("hostile text does nothing", async () => {
  const { file, map } = draw("hostile.html", [path.join(root, "tests/lit/Inputs/hostile.yaml")]);
  const page = await openFile(browser, file);
  assert.ok((await page.locator("nav").innerText()).includes("</script><img"));
  for (let node = 0; node < map.bubbles.length; ++node) {
    await page.locator(`#map-node-${node} a`).hover();
    await page.locator(`#map-node-${node} a`).click();
    assert.ok(await page.locator(".drawer").isVisible());
    await page.keyboard.press("Escape");
  }
  assert.equal(await page.locator("script").count(), 1);
  assert.equal(await page.locator("img").count(), 0);
  assert.deepEqual(page.complaints, []);
});

test("it prints", async () => {
  const { file } = draw("shipped.html", shipped);
  const page = await openFile(browser, file);
  await page.emulateMedia({ media: "print" });
  assert.ok(!await page.locator(".tools").isVisible());
  await page.pdf({ path: "screenshots/shipped.pdf", format: "A4" });
  await screenshot(page, "shipped-print", { fullPage: true });
  assert.deepEqual(page.complaints, []);
});
