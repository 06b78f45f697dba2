// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page of `lh-run report --space`, made of real runs.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { lhRun, openFile, root, screenshot, startBrowser } from "./browser.mjs";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

const inputs = path.join(root, "tests/lit/Inputs");
const text = readFileSync(path.join(inputs, "matmul.yaml"), "utf8")
  // What is put in: it makes of each sum a difference.
  .replace("  lower:", '  wrong: {command: [sed, "s/arith.addf/arith.subf/"]}\n  lower:')
  .replace("-> lower -> run", "-> lower -> run\n  - loops -> wrong -> bufferize");

/** Runs the manifest, the pipelines in `broken` with the wrong bubble. */
function night(folder, number, broken) {
  mkdirSync(folder, { recursive: true });
  copyFileSync(path.join(inputs, "matmul.mlir"), path.join(folder, "matmul.mlir"));
  let own = text;
  for (const name of broken)
    own = own.replace(new RegExp(`(  ${name}: .*loops), bufferize`), "$1, wrong, bufferize");
  if (!broken.length)
    own = own.replace(/  wrong: .*\n/, "").replace("\n  - loops -> wrong -> bufferize", "");
  const manifest = path.join(folder, "matmul.yaml"), record = path.join(folder, `${number}.json`);
  writeFileSync(manifest, own);
  try {
    lhRun("run", manifest, "--allow-exec", "--no-failures", "--keep-going", "--json", record);
    assert.deepEqual(broken, []);
  } catch (error) {
    assert.ok(broken.length, String(error));
  }
  // Nights, not seconds, lie between them.
  const saved = JSON.parse(readFileSync(record, "utf8"));
  saved.started_at = `2026-11-0${number}T01:00:00Z`;
  saved.versions["lh-run"] = `0.${number}`;
  writeFileSync(record, JSON.stringify(saved));
  return record;
}

test("of five nights, the regression that was put in comes first", async () => {
  const records = [1, 2, 3, 4, 5].map((number) => night("five", number, number === 5 ? ["fused"] : []));
  lhRun("report", "--space", ...records, "-o", "five/space.html");
  for (const colorScheme of ["light", "dark"])
    for (const width of [1400, 390]) {
      const page = await openFile(browser, "five/space.html", { colorScheme, viewport: { width, height: 1000 } });
      const first = page.locator("#changes tbody tr").first();
      assert.match(await first.innerText(), /broke[\s\S]*(one|two).*fused host[\s\S]*matmul/);
      assert.match(await first.innerText(), /lh-run 0\.4 → 0\.5; bubble 'wrong' is new/);
      assert.equal(await first.locator(".track i").count(), 5);
      assert.equal(await first.locator(".track i.failed").count(), 1);
      const box = await first.boundingBox();
      assert.ok(box.y < 1000, `it is in sight, at ${box.y}`);
      // The map: what ends wrong, and what nothing has run.
      assert.ok(await page.locator("#map .failed").count() > 0);
      assert.match(await page.locator("#space").innerText(), /✗/);
      const overhang = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overhang <= 0, `nothing sticks out: ${overhang}`);
      assert.deepEqual(page.complaints, []);
      await screenshot(page, `space-${colorScheme}-${width}`, { fullPage: true });
      await page.context().close();
    }
});

test("pipelines that oppose each other are joined on the map", async () => {
  const records = [1, 2, 3].map((number) => night("opposed", number, [number === 2 ? "plain" : "fused"]));
  lhRun("report", "--space", ...records, "-o", "opposed/space.html");
  const page = await openFile(browser, "opposed/space.html");
  assert.equal(await page.locator("#opposed tr").count(), 1);
  assert.match(await page.locator("#opposed").innerText(), /plain host[\s\S]*fused host[\s\S]*in each of 3 runs just one of them passed/);
  const line = page.locator("#map .view-station path.opposed, #map .view-stop path.opposed").first();
  assert.ok(await line.count() === 1);
  const box = await line.boundingBox();
  assert.ok(box && box.width + box.height > 10, "the line can be seen");
  assert.deepEqual(page.complaints, []);
  await screenshot(page, "space-opposed", { fullPage: true });
  await page.context().close();
});

test("a space in which nothing has changed says so", async () => {
  const records = [1, 2].map((number) => night("calm", number, []));
  lhRun("report", "--space", ...records, "-o", "calm/space.html");
  const page = await openFile(browser, "calm/space.html");
  assert.match(await page.locator("#changes").innerText(), /Nothing: every result is as in the run before/);
  assert.equal(await page.locator("#opposed").count(), 0);
  await page.context().close();
});
