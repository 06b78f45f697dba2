// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all browser tests share: pages that must not complain, and screenshots.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

export const root = process.env.LH_ROOT;
const shots = path.resolve("screenshots");
mkdirSync(shots, { recursive: true });

/** Runs lh-run; returns what it printed. */
export function lhRun(...words) {
  return execFileSync(process.env.LH_RUN, words, { encoding: "utf8", maxBuffer: 1 << 28 });
}

export function python(script, ...words) {
  return execFileSync(process.env.LH_PYTHON, [path.join(root, script), ...words]);
}

export function startBrowser() {
  return chromium.launch({
    executablePath: process.env.LH_CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu"],
  });
}

/**
 * Opens a file and collects in `complaints` every error and every request that
 * leaves the file: a good page has none. Nothing fades: what a click changes is
 * there at once. Options are Playwright's, of a context.
 */
export async function openFile(browser, file, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1400, height: 1000 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const url = pathToFileURL(path.resolve(file)).href;
  page.complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    page.complaints.push("dialog: " + dialog.message());
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith("data:") && request.url().split("#")[0] !== url)
      page.complaints.push("request: " + request.url());
  });
  await page.goto(url);
  return page;
}

export function screenshot(page, name, options = {}) {
  return page.screenshot({ path: path.join(shots, name + ".png"), ...options });
}
