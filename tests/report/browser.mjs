// A browser for checks: what it asks a network for and what it complains of is noted, and checks that fail are counted.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const profile = mkdtempSync(join(tmpdir(), "report-"));
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launchPersistentContext(profile, { executablePath: "/usr/bin/chromium", headless: true, args: flags, acceptDownloads: true });
browser.setDefaultTimeout(60000);
export const page = await browser.newPage();

export const asked = [], said = [];
page.on("request", (request) => asked.push(request.url()));
page.on("pageerror", (error) => said.push(error.stack));
page.on("console", (message) => ["error", "warning"].includes(message.type()) && said.push(message.text()));

let failed = 0;
export async function check(name, what) {
  try {
    await what();
    console.log(`ok: ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED: ${name}\n${error.stack}`);
  }
}

/** Closes the browser and ends: with 1 if a check failed. */
export async function end(well) {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
  console.log(failed ? `${failed} checks FAILED` : well);
  process.exit(failed ? 1 : 0);
}
