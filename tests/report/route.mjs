// Opens the live page of a Routing Service in a browser and uses it as a person would: `node route.mjs ADDRESS TOKEN PID`. The
// service routes Square and Circle from "near" to "far"; samples of Square pass. At the end it is stopped.

import assert from "node:assert/strict";
import { asked, check, end, page, said } from "./browser.mjs";

const [address, token, pid] = process.argv.slice(2);

/** Waits until it is so: what the page shows is a second old at most. */
async function until(what, isSo) {
  for (let turn = 0; turn < 300; turn += 1) {
    if (await isSo()) return;
    await page.waitForTimeout(200);
  }
  assert.fail(what);
}

const row = (route) => page.locator("#routes tr", { has: page.locator("td:first-child", { hasText: new RegExp(`^${route}$`) }) });
const cell = async (route, at) => (await row(route).locator("td").nth(at).textContent()) ?? "";
const STATE = 4, RATE = 5, BUTTON = 10;
const isIn = (route, state) => until(`${route} is not ${state}`, async () => (await cell(route, STATE)) === state);
const flows = (is) => until(`samples pass: ${!is}`, async () => (Number(await cell("Square", RATE)) > 0) === is);

await page.goto(address);

await check("connections and routes appear, with what passes", async () => {
  await row("Square").waitFor();
  await isIn("Square", "running");
  await flows(true);
  assert.equal(await page.locator("#name").textContent(), "yard");
  assert.equal(await page.locator("#graph rect").count(), 2);
  assert.deepEqual(await page.locator("#graph text").allTextContents().then((texts) => texts.filter((text) => ["near", "far"].includes(text)).sort()), ["far", "near"]);
  assert.ok((await page.locator("#graph path").count()) >= 1);
  assert.ok((await page.locator("#total").textContent()).includes("routes, "));
});

await check("a filter leaves the rows that fit", async () => {
  await page.fill("#filter", "circ");
  await until("rows stay", async () => (await row("Square").count()) === 0 && (await row("Circle").count()) === 1);
  await page.fill("#filter", "");
  await row("Square").waitFor();
});

await check("without the token nothing changes, and the page says why", async () => {
  await row("Square").locator("button").click();
  await until("nothing is said", async () => (await page.locator("#problem").textContent()).length > 0);
  assert.equal(await cell("Square", STATE), "running");
});

await check("a route is paused and resumed by the button that has the focus", async () => {
  await page.fill("#token", token);
  await row("Square").locator("button").click();
  await isIn("Square", "paused");
  await flows(false);
  await until("the button does not follow", async () => (await cell("Square", BUTTON)) === "Resume");
  await row("Square").locator("button").click();
  await isIn("Square", "running");
  await flows(true);
  assert.equal(await page.locator("#problem").textContent(), "");
});

await check("the keyboard does it, too", async () => {
  await row("Circle").locator("button").focus();
  await page.keyboard.press("Enter");
  await isIn("Circle", "paused");
  await page.keyboard.press("Enter");
  await isIn("Circle", "running");
});

await check("on a telephone and in the dark nothing sticks out", async () => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.waitForTimeout(300);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  const [ink, back] = await page.evaluate(() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]);
  const light = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
  assert.ok(light(ink) > light(back));
});

await check("a service that is gone is told", async () => {
  process.kill(Number(pid), "SIGINT");
  await until("nothing is said", async () => (await page.locator("#problem").textContent()) === "The service does not answer.");
});

await check("nothing was asked of others, nothing went wrong", async () => {
  assert.deepEqual(asked.filter((url) => new URL(url).origin !== new URL(address).origin), []);
  // A refusal, and a service that is gone, are told by the browser as well.
  assert.deepEqual(said.filter((text) => !text.startsWith("Failed to load resource")), []);
});

await end("the page is well");
