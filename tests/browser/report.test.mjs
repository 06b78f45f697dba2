// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page of `lh-run report`, as a reader uses it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { lhRun, openFile, root, screenshot, startBrowser } from "./browser.mjs";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

const manifest = (name) => path.join(root, "manifests", name);

/** Runs a manifest whose results may be wrong; returns its record. */
function record(name, ...words) {
  const file = `${name}/report.json`;
  try {
    lhRun("run", ...words, "--keep-going", "--json", file, "--snapshots", `${name}/ir`);
  } catch (failed) {
    assert.equal(failed.status, 1, failed.stderr);
  }
  return JSON.parse(readFileSync(file, "utf8"));
}

let digitsRecord; // made once
const digits = () => digitsRecord ??= record(
  "digits", manifest("onnx-to-cpu.yaml"), "--pipeline", "optimized", "--pipeline", "plain");

/** The page of records in these files. */
function report(name, ...records) {
  lhRun("report", ...records, "-o", `${name}.html`);
  return `${name}.html`;
}

const ready = (page) => page.waitForSelector("html[data-ready]");
const texts = (locator) => locator.evaluateAll((all) => all.map((one) => one.textContent.trim()));
const drawer = (page) => page.locator("#drawer .drawer");

/** The label of a station of the map. */
const stationNamed = (page, name, view = "station") =>
  page.locator(`.view-${view} .station .name`, { hasText: new RegExp(`^${name}`) }).first();

/** What a row of the table must say of a result. */
function wordsOf({ key, status, reason, outputs }) {
  return [status, key.case, key.data_set, key.target, key.sweep, key.pipeline, reason,
          ...outputs.map(({ criterion }) => criterion)].filter((word) => word);
}

/** Goes through all pages of the table: the text of each row, by number. */
async function allRows(page) {
  const rows = new Map();
  for (let number = 1; ; ++number) {
    for (const [id, text] of await page.locator("#table tbody tr").evaluateAll((all) =>
      all.map((row) => [row.id, row.textContent])))
      rows.set(Number(id.slice(4)), text);
    const next = page.locator("#pages button", { hasText: new RegExp(`^${number + 1}$`) });
    if (await next.count() === 0) return rows;
    await next.click();
    // The page follows its address, a moment later.
    await page.locator("#pages button[aria-current]",
      { hasText: new RegExp(`^${number + 1}$`) }).waitFor();
  }
}

async function checkAllResults(page, results) {
  const rows = await allRows(page);
  assert.equal(rows.size, results.length);
  results.forEach((result, i) => {
    for (const word of wordsOf(result))
      assert.ok(rows.get(i).includes(word), `row ${i} lacks '${word}': ${rows.get(i)}`);
  });
  const squares = await page.locator(".squares a").evaluateAll((all) =>
    all.map((one) => [one.getAttribute("href"), one.className.split(" ")[0]]));
  assert.deepEqual(new Map(squares), new Map(results.map(({ status }, i) =>
    [`#result-${i}`, status.replaceAll(" ", "-")])));
}

/** What is in the drawer of a result. */
async function checkDetail(page, result) {
  const text = await drawer(page).textContent();
  for (const output of result.outputs)
    for (const word of [output.output, output.against, output.criterion, ...output.basis])
      assert.ok(text.includes(word), `the drawer lacks '${word}'`);
  const compared = result.outputs.filter(({ mismatch }) => !mismatch);
  assert.equal(await drawer(page).locator(".path a").count(), result.steps.length);
  assert.equal(await drawer(page).locator(".worst tbody tr").count(),
    compared.reduce((sum, { worst }) => sum + worst.length, 0));
  const bars = await drawer(page).locator(".histogram rect").count();
  assert.equal(bars, compared.reduce((sum, { ulp_histogram }) =>
    sum + ulp_histogram.filter((count) => count > 0).length, 0));
}

test("the digits run: every result, bubble and number of its record", async () => {
  const run = digits();
  const page = await openFile(browser, report("digits", "digits/report.json"));
  await ready(page);
  await checkAllResults(page, run.results);
  assert.deepEqual((await texts(page.locator("#bubbles tbody td:first-child"))).sort(),
    [...new Set(run.steps.map(({ bubble }) => bubble))].sort());
  for (const [i, result] of run.results.entries()) {
    await page.locator(`#row-${i} a`).click();
    await page.waitForSelector(`#drawer #result-${i}`);
    await checkDetail(page, result);
    await page.keyboard.press("Escape");
    await page.locator("#drawer").waitFor({ state: "hidden" });
  }
  assert.deepEqual(page.complaints, []);
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    await screenshot(page, `report-digits-${scheme}`, { fullPage: true });
  }
});

test("a station opens its bubble: times, matches, IR before and after", async () => {
  const run = digits();
  const page = await openFile(browser, report("digits", "digits/report.json"));
  await ready(page);
  const names = await texts(page.locator(".view-station .station .name"));
  for (const { name } of run.space.bubbles)
    assert.ok(names.includes(name.split("/")[0]), `no station '${name}'`);
  assert.equal(await page.locator(".view-station .station.failed").count(), 0);
  await page.locator("#open-all").check();
  await stationNamed(page, "tile/finish", "stop").click();
  const article = drawer(page);
  const step = run.steps.find(({ bubble }) => bubble === "optimize/tile/finish");
  assert.match(await article.textContent(), /tile\/finish/);
  const matched = Object.values(step.matches).reduce((sum, count) => sum + count, 0);
  const found = await texts(article.locator(".matches tbody td:nth-child(3)"));
  assert.equal(found.reduce((sum, text) => sum + Number(text), 0), matched);
  assert.equal(await article.locator(".copy code").first().textContent(),
    run.actions[step.action].mlir_opt);
  await screenshot(page, "report-bubble");

  const after = readFileSync(path.join("digits", step.snapshot), "utf8");
  const parent = run.steps.slice(0, step.id).reverse().find(({ id, snapshot }) => {
    for (let at = step.parent; at !== undefined; at = run.steps[at].parent)
      if (at === id) return snapshot;
    return false;
  });
  const before = readFileSync(path.join("digits", parent.snapshot), "utf8");
  for (const [tab, text] of [["Before", before], ["After", after]]) {
    await article.getByRole("tab", { name: tab }).click();
    await page.waitForFunction((wanted) =>
      document.querySelector("#drawer .module > pre").textContent === wanted, text);
    assert.ok(await article.locator(".module > pre .t-op").count() > 0);
  }
  await article.getByRole("tab", { name: "Difference" }).click();
  const lines = (side) => article.locator(`.module pre ${side}`).count();
  assert.ok(await lines("ins") > 0 && await lines("del") > 0);
  for (const line of await texts(article.locator(".module pre ins")))
    assert.ok(after.includes(line.slice(1).trim()), line);
  assert.deepEqual(page.complaints, []);
});

test("a composite station lists what is inside", async () => {
  digits();
  const page = await openFile(browser, report("digits", "digits/report.json"));
  await ready(page);
  await stationNamed(page, "optimize").click();
  const inside = await texts(drawer(page).locator(".path b"));
  assert.equal(inside[0], "optimize/windows/choose");
  assert.deepEqual(inside.filter((name) => name.startsWith("optimize/tile/")),
    ["choose", "outer", "single", "double", "thin", "dot", "finish"]
      .map((name) => `optimize/tile/${name}`));
  await drawer(page).locator(".path a").first().click();
  await page.waitForSelector("#drawer h3:text-is('optimize/windows/choose')");
  await page.goBack();
  await page.waitForSelector("#drawer h3:text-is('optimize')");
  await page.keyboard.press("Escape");
  await page.locator("#open-all").check();
  await stationNamed(page, "tile/finish", "stop").click();
  await page.waitForSelector("#drawer h3:text-is('optimize/tile/finish')");
  assert.deepEqual(page.complaints, []);
});

test("filters, order and what is open are in the address", async () => {
  digits();
  const page = await openFile(browser, report("digits", "digits/report.json"));
  await ready(page);
  const pipelines = () => texts(page.locator("#table tbody td:nth-child(4)"));
  await page.locator("#filters select[data-column=Pipeline]").selectOption("plain");
  assert.deepEqual(await pipelines(), ["plain"]);
  assert.match(page.url(), /#pipeline=plain$/);
  assert.equal(await page.locator(".squares a.dim").count(), 1);
  await page.goBack();
  assert.equal((await pipelines()).length, 2);
  await page.locator("th", { hasText: "Pipeline" }).locator("button").click();
  await page.locator("th", { hasText: "Pipeline" }).locator("button").click();
  assert.deepEqual(await pipelines(), ["plain", "optimized"]);
  await page.keyboard.press("/");
  await page.keyboard.type("optimized");
  assert.deepEqual(await pipelines(), ["optimized"]);
  const copy = await browser.newPage();
  await copy.goto(page.url());
  await ready(copy);
  assert.deepEqual(await texts(copy.locator("#table tbody td:nth-child(4)")), ["optimized"]);
  await page.getByRole("button", { name: "Clear" }).click();
  assert.equal((await pipelines()).length, 2);
  await page.locator("#bubbles a", { hasText: "tile/finish" }).click();
  await drawer(page).locator("a.through").click();
  assert.deepEqual(await pipelines(), ["optimized"]);
  await page.goto(page.url().split("#")[0] + "#result-1");
  await page.reload();
  await page.waitForSelector("#drawer #result-1");
  await page.keyboard.press("ArrowLeft");
  await page.waitForSelector("#drawer #result-0");
  assert.deepEqual(page.complaints, []);
});

test("without JavaScript everything can be read", async () => {
  const run = digits();
  const page = await openFile(browser, report("digits", "digits/report.json"),
    { javaScriptEnabled: false });
  assert.equal(await page.locator("#table tbody tr:visible").count(), run.results.length);
  assert.equal(await page.locator("article[id^=result-]:visible").count(), run.results.length);
  assert.ok(await page.locator("article[id^=bubble-] pre.diff:visible").count() > 10);
  assert.ok(await page.locator("svg.timeline:visible").count() === 1);
  await screenshot(page, "report-plain");
});

const hostile = [
  "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>",
  "\"><svg onload=alert(1)>", "' onclick='alert(1)", "a\nb\u0000c", "{{script}}",
  "\u202Egnp.exe", "&lt;b&gt;", "--><!--", "$(touch x); `y` | z: [*&a]",
];

test("names and texts can't run anything", async () => {
  const run = structuredClone(digits());
  const evil = (i) => hostile[i % hostile.length];
  run.manifest = evil(0);
  run.space.bubbles.forEach((bubble, i) => { bubble.summary = evil(i); bubble.details = [evil(i)]; });
  run.space.pipelines.forEach((pipeline, i) => { pipeline.name = evil(i); pipeline.color = evil(i + 1); });
  run.actions.forEach((action, i) => { action.what = evil(i); action.mlir_opt = evil(i + 1); });
  run.places.forEach((place, i) => { place.text = evil(i); place.file = evil(i + 2); });
  run.steps.forEach((step, i) => {
    step.bubble = evil(i) + i;
    step.reason = evil(i + 3);
    step.log = evil(i + 4);
    if (step.snapshot) step.snapshot = `ir/evil-${i}.mlir`;
    if (step.snapshot) writeFileSync(`digits/${step.snapshot}`, hostile.join("\n") + i);
  });
  const template = run.results[0];
  run.results = hostile.map((name) => ({ ...structuredClone(template), reason: name,
    key: { case: name, data_set: name, target: name, sweep: name, pipeline: name } }));
  for (const result of run.results)
    for (const output of result.outputs)
      Object.assign(output, { output: result.reason, against: result.reason,
                              basis: [result.reason], warnings: [result.reason] });
  writeFileSync("digits/hostile.json", JSON.stringify(run));
  const page = await openFile(browser, report("hostile", "digits/hostile.json"));
  await ready(page);
  const shown = (text) => text.replaceAll(/[\u0000\u202E]/g, "\uFFFD");
  const rows = await allRows(page);
  hostile.forEach((name, i) => assert.ok(rows.get(i).includes(shown(name)), name));
  const stops = await page.locator("article.drawer").evaluateAll((all) => all.map(({ id }) => id));
  for (const id of stops) {
    await page.evaluate((wanted) => {
      location.hash = `open=${wanted}`;
    }, id);
    await page.waitForSelector(`#drawer #${id}`);
    for (const tab of await drawer(page).getByRole("tab").all()) await tab.click();
  }
  assert.equal(await page.locator("img, iframe, object").count(), 0);
  assert.deepEqual(page.complaints, []);
  await screenshot(page, "report-hostile");
});

const corpus = "/usr/share/libonnx-testdata/data";
test("a conformance run: every result that the record has",
  { skip: !existsSync(corpus) && "no ONNX test data (package libonnx-testdata)" }, async () => {
    const run = record("conformance", manifest("onnx-conformance.yaml"),
      "--case", "node/test_ca*", "--case", "node/test_co*");
    assert.ok(run.results.length > 100);
    const file = report("conformance", "conformance/report.json");
    const page = await openFile(browser, file);
    await ready(page);
    await checkAllResults(page, run.results);
    for (const status of ["passed", "failed"]) {
      const wanted = run.results.filter((result) => result.status === status).length;
      await page.locator(`.tiles .${status} a`).click();
      assert.equal((await allRows(page)).size, wanted || run.results.length);
    }
    for (const i of [0, 60, run.results.length - 1]) {
      await page.goto(page.url().split("#")[0] + `#open=result-${i}`);
      await page.waitForSelector(`#drawer #result-${i}`);
      await checkDetail(page, run.results[i]);
    }
    assert.deepEqual(page.complaints, []);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Clear" }).click();
    await screenshot(page, "report-conformance", { fullPage: true });
  });

/** The record of a run of as many cases, by two pipelines; its file. */
function manyCases(count) {
  const run = structuredClone(digits());
  const { results, steps } = run;
  run.results = [];
  run.steps = [];
  for (let i = 0; i < count; ++i) {
    const base = run.steps.length;
    for (const step of steps)
      run.steps.push({ ...step, id: base + step.id, begin: step.begin + i,
        snapshot: undefined, ...(step.parent === undefined ? {} : { parent: base + step.parent }) });
    for (const result of results)
      run.results.push({ ...result, key: { ...result.key, case: `case-${i}` },
        steps: result.steps.map((step) => base + step) });
  }
  const file = `digits/cases-${count}.json`;
  writeFileSync(file, JSON.stringify(run, null, 2));
  return file;
}

/** Makes a page of a record; the seconds of the processor that it took. */
function secondsToMake(record, html) {
  return Number(execFileSync(process.env.LH_PYTHON, ["-c", `
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime)`, process.env.LH_RUN, "report", record, "-o", html],
    { encoding: "utf8" }));
}

/** Opens a page; the page, and the seconds of the processor until it is ready. */
async function secondsToOpen(html) {
  const page = await openFile(browser, "digits.html");
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.goto(new URL(html, page.url()).href);
  await ready(page);
  const { metrics } = await session.send("Performance.getMetrics");
  return { page, seconds: metrics.find(({ name }) => name === "ThreadTime").value };
}

test("1,000 cases: less than 10 MB, made and opened in proportion", async () => {
  const counts = [250, 1000];
  const records = counts.map(manyCases), pages = counts.map((count) => `cases-${count}.html`);
  // Others may be at work on this machine: the least of up to three rounds.
  const make = [Infinity, Infinity], open = [Infinity, Infinity];
  let page;
  // Four times the cases; what looks through all of them for each takes 16 times as long.
  const inProportion = (times) => times[1] < 8 * times[0];
  for (let round = 0; round < 3 && !(inProportion(make) && inProportion(open)); ++round)
    for (const i of counts.keys()) {
      make[i] = Math.min(make[i], secondsToMake(records[i], pages[i]));
      await page?.context().close();
      const opened = await secondsToOpen(pages[i]);
      open[i] = Math.min(open[i], opened.seconds);
      page = opened.page;
    }
  const megabytes = statSync(pages[1]).size / 1e6;
  console.log(`${megabytes} MB, made in ${make} s, opened in ${open} s`);
  assert.ok(megabytes < 10, `${megabytes} MB`);
  assert.ok(inProportion(make), `made in ${make} s`);
  assert.ok(inProportion(open), `opened in ${open} s`);
  assert.equal(await page.locator("#table tbody tr").count(), 100);
  await page.goto(page.url() + "#open=result-1999");
  await page.waitForSelector("#drawer #result-1999");
});

test("measurements are bars with whiskers and the peak", async () => {
  lhRun("bench", path.join(root, "tests/lit/Inputs/matmul.yaml"), "--case", "one",
    "--time-limit", "0.3", "--json", "bench/report.json");
  const { bench } = JSON.parse(readFileSync("bench/report.json", "utf8"));
  const page = await openFile(browser, report("bench", "bench/report.json"));
  await ready(page);
  const rows = bench.cases.flatMap((group) => group.rows);
  const measured = rows.filter((row) => row.measured);
  assert.ok(measured.length > 0);
  assert.equal(await page.locator(".bench .bar").count(), measured.length);
  assert.equal(await page.locator(".bench .whisker").count(), measured.length);
  assert.equal(await page.locator(".bench .peak").count(),
    measured.filter((row) => row.share_of_peak || row.share_of_bandwidth).length);
  for (const row of rows)
    assert.ok((await page.locator("#bench").textContent()).includes(row.pipeline));
  assert.deepEqual(page.complaints, []);
  await page.locator("#bench").scrollIntoViewIfNeeded();
  await screenshot(page, "report-bench");
});
