// Opens reports in a browser and uses them as a reader would: `node check.mjs REPORT CHAPTERS DIRECTORY`, the second report being
// that of a campaign with chapters; pictures go to the directory.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { asked, check, end, page, said } from "./browser.mjs";

const [report, chapters, place] = process.argv.slice(2).map((path) => resolve(path));
const address = pathToFileURL(report).href, second = pathToFileURL(chapters).href;

const fresh = async (width = 1280, colorScheme = "light") => {
  await page.emulateMedia({ media: "screen", colorScheme });
  await page.setViewportSize({ width, height: 900 });
  await page.goto(address);
  await page.waitForSelector(".chart canvas");
};
/** The texts of a table: rows of cells. */
const texts = (title) => page.locator(`[aria-label="${title}"] tbody tr`).evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
const region = (title) => page.locator(`[aria-label="${title}"][role=region]`);
/** Where the column of a table is. */
const column = async (title, head) => (await region(title).locator("th").allTextContents()).indexOf(head);
const LATENCY = "Shared memory latency: unkeyed, reliable";

await fresh();

await check("each transport has its tables, with the columns of the published pages", async () => {
  assert.deepEqual(await page.locator("[data-page] > h2").allTextContents(), ["UDPv4", "Shared memory", "TCP"]);
  for (const name of ["UDPv4", "Shared memory", "TCP"])
    for (const kind of ["unkeyed, best effort", "unkeyed, reliable", "keyed, best effort", "keyed, reliable"])
      assert.ok((await texts(`${name} latency: ${kind}`)).length >= 6, `${name} ${kind}`);
  const heads = await region(LATENCY).locator("th").allTextContents();
  for (const head of ["Average", "Std", "Min", "Max", "50 %", "90 %", "99 %", "99.99 %", "99.9999 %", "Samples", "Warm-up", "Waits"]) assert.ok(heads.includes(head), head);
  const row = (await texts(LATENCY))[0];
  assert.deepEqual([row[0], row[1], row.at(-1)], ["32 B", "Dunlin", "spin, then block"]);
  assert.equal(row[11], "200 000");
});

await check("what a router adds has its table where one was, with the published figures", async () => {
  const rows = await texts("UDPv4 through a router");
  assert.ok(rows.length >= 20, `${rows.length}`);
  const small = rows.find(([size, kind]) => size === "32 B" && kind === "Unkeyed, reliable");
  assert.equal(small.at(-1), "88");
  assert.ok(small.slice(2, 4).every((value) => Number(value) > 1), `${small}`);
  assert.equal((await texts("TCP through a router")).length, 0);
});

await check("percentiles never descend, and those that are chance are marked", async () => {
  for (const row of await texts(LATENCY)) {
    const figures = [row[4], ...row.slice(6, 11), row[5]].map((text) => Number(text.replace(/\s/g, "")));
    assert.ok(figures.every((v, i) => i === 0 || v >= figures[i - 1]), row.join(" | "));
  }
  assert.ok((await region(LATENCY).locator("tbody td:nth-child(11) .unsure").count()) > 0);
  assert.equal(await region(LATENCY).locator("tbody td:nth-child(9) .unsure").count(), 0);
});

await check("toggles lay the floor, rivals, earlier runs and published figures over", async () => {
  for (const [layer, name] of [["raw", "Raw floor"], ["iceoryx2", "iceoryx2"], ["earlier0", "Dunlin, earlier of 2026-11-20"], ["published", "Connext C++98◇"]]) {
    const toggle = page.locator(`[data-layer="${layer}"]`);
    const there = async () => (await texts(LATENCY)).some((row) => row[1] === name);
    const line = () => page.locator(`#SHMEM .lines button`, { hasText: name.replace("◇", "") }).count();
    for (let turn = 0; turn < 2; turn++) {
      const on = (await toggle.getAttribute("aria-pressed")) === "true";
      assert.equal(await there(), on, `${layer} in the table`);
      assert.equal((await line()) > 0, on, `${layer} in the graphs`);
      await toggle.click();
    }
  }
});

await check("published figures say that they are other hardware, and their defects are struck out", async () => {
  await page.click('[data-layer="published"]');
  assert.ok(await page.locator("#UDPv4 .published-note").isVisible());
  const java = (await texts("UDPv4 latency: unkeyed, best effort")).find((row) => row[1].startsWith("Connext Java"));
  assert.match(java[9], /^18[a-z]$/);
  assert.ok((await page.locator("#UDPv4 .defect").count()) > 50);
  assert.match(await page.locator("#UDPv4 .below p").first().textContent(), /holds the minimum/);
  await page.click('[data-layer="published"]');
});

await check("a click on a heading sorts, a second one turns the order", async () => {
  const average = region(LATENCY).locator("th", { hasText: "Average" });
  const figures = async () => (await texts(LATENCY)).map((row) => Number(row[2].replace(/\s/g, "")));
  await average.locator("button").click();
  assert.equal(await average.getAttribute("aria-sort"), "ascending");
  assert.deepEqual(await figures(), (await figures()).toSorted((a, b) => a - b));
  await average.locator("button").press("Enter");
  assert.equal(await average.getAttribute("aria-sort"), "descending");
  assert.deepEqual(await figures(), (await figures()).toSorted((a, b) => b - a));
});

await check("axes are linear on request, and logarithmic again", async () => {
  const picture = () => page.locator("#UDPv4 canvas").first().evaluate((canvas) => canvas.toDataURL());
  const log = await picture();
  await page.click('[data-scale="linear"]');
  assert.equal(await page.getAttribute('[data-scale="log"]', "aria-pressed"), "false");
  assert.notEqual(await picture(), log);
  await page.click('[data-scale="log"]');
  assert.equal(await picture(), log);
});

await check("a graph zooms by mouse, by button and by key", async () => {
  const plot = page.locator("#UDPv4 .plot").first();
  const zoomed = () => plot.getAttribute("data-zoomed");
  const sheet = page.locator("#UDPv4 .chart").first();
  await plot.scrollIntoViewIfNeeded();
  const over = await plot.locator(".u-over").boundingBox();
  await page.mouse.move(over.x + over.width * 0.3, over.y + over.height / 2);
  await page.mouse.down();
  await page.mouse.move(over.x + over.width * 0.7, over.y + over.height / 2, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction(() => document.querySelector("#UDPv4 .plot").dataset.zoomed === "true");
  await sheet.locator(".zoom button").nth(2).click();
  assert.equal(await zoomed(), "false");
  await sheet.locator(".zoom button").nth(1).click();
  assert.equal(await zoomed(), "true");
  await plot.focus();
  await plot.press("0");
  assert.equal(await zoomed(), "false");
  await plot.press("+");
  assert.equal(await zoomed(), "true");
  await plot.press("0");
});

await check("a line is hidden by its name", async () => {
  const line = page.locator("#UDPv4 .lines button").first();
  await line.click();
  assert.equal(await line.getAttribute("aria-pressed"), "false");
  await line.click();
  assert.equal(await line.getAttribute("aria-pressed"), "true");
});

await check("a table is saved as CSV", async () => {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(`[aria-label="CSV: ${LATENCY}"]`)]);
  const lines = readFileSync(await download.path(), "utf8").trim().split("\n");
  assert.ok(lines[0].startsWith("size_bytes,system,average_ns"), lines[0]);
  assert.equal(lines.length, (await texts(LATENCY)).length + 1);
});

await check("failures, what was left out and the machine are there, as text", async () => {
  const text = await page.locator("main").textContent();
  for (const part of ["subscriber: no answer <within> 5 s", "killed by signal 9", "fastdds: libfastrtps-dev is not installed", "bench</script><b>1", "Example 9000", "Knee of "]) assert.ok(text.includes(part), part);
  assert.ok((await texts("TCP latency: unkeyed, reliable")).some((row) => row.at(-1).startsWith("failed: ")));
  assert.equal(await page.locator("main b").count(), 0);
});

await check("the keyboard reaches every control, and shows where it is", async () => {
  await fresh();
  for (let press = 0; press < 3; press++) await page.keyboard.press("Tab");
  const seen = await page.evaluate(() => [document.activeElement.tagName, getComputedStyle(document.activeElement).outlineStyle]);
  assert.deepEqual(seen, ["A", "solid"]);
  const unnamed = await page.locator("button, select, [tabindex='0']").evaluateAll((all) => all.filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim())).length);
  assert.equal(unnamed, 0);
});

for (const [width, scheme] of [[375, "light"], [375, "dark"], [1280, "light"], [1280, "dark"]])
  await check(`nothing overflows at ${width} pixels, ${scheme}`, async () => {
    await fresh(width, scheme);
    await page.click('[data-layer="published"]');
    await page.locator("details").evaluateAll((all) => all.forEach((one) => (one.open = true)));
    const wide = await page.evaluate(() => [document.documentElement.scrollWidth, document.body.scrollWidth]);
    assert.ok(wide.every((w) => w <= width), `${wide} of ${width}`);
    const outside = await page.locator("body *").evaluateAll((all) => all.filter((e) => !e.closest(".scroll, .unseen, .skip") && e.getClientRects().length && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 80)));
    assert.deepEqual(outside, []);
    const [ink, paper] = await page.evaluate(() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]);
    const light = (color) => color.match(/\d+/g).slice(0, 3).reduce((sum, v) => sum + Number(v), 0) / 765;
    assert.ok(scheme === "dark" ? light(paper) < 0.2 && light(ink) > 0.8 : light(paper) > 0.9 && light(ink) < 0.2, `${ink} on ${paper}`);
    await page.click('[data-layer="published"]');
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(place, `report-${width}-${scheme}.png`) });
  });

await check("the first answers come first: a warning, the parts, medians beside floor and published figures", async () => {
  await fresh();
  assert.match(await page.locator("#head .warning").textContent(), /machine in use: others keep 1.5 of 2 processors busy/);
  assert.deepEqual(await page.locator(".contents a").allTextContents(), ["How fast, against what", "UDPv4", "Shared memory", "TCP", "Machine", "What is missing"]);
  const rows = await texts("Overview");
  assert.deepEqual(rows.map((row) => row.slice(0, 2)), ["UDPv4", "Shared memory", "TCP"].flatMap((name) => [[name, "32 B"], [name, "63 000 B"]]));
  // The figures are those of the tables.
  const median = (await texts(LATENCY))[0][await column(LATENCY, "Median of runs")];
  assert.ok(median.startsWith(rows[2][3]), `${median} and ${rows[2][3]}`);
  assert.equal(await page.locator(".key", { hasText: "Shared memory" }).locator(".big").evaluate((node) => node.firstChild.textContent), rows[2][3]);
  const outside = await page.locator("td.track div").evaluateAll((all) => all.flatMap((track) => [...track.children].filter((mark) => {
    const [a, b] = [track.getBoundingClientRect(), mark.getBoundingClientRect()];
    return b.left < a.left - 8 || b.right > a.right + 8;
  })).length);
  assert.equal(outside, 0);
});

await check("tables of the published columns are whole at 1280 pixels", async () => {
  const cut = await page.locator(".scroll").evaluateAll((all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => `${e.getAttribute("aria-label")}: ${e.scrollWidth} of ${e.clientWidth}`));
  assert.deepEqual(cut, []);
});

await check("chapters have a part each, published figures of their own, and a reason where they are missing", async () => {
  await page.goto(second);
  await page.waitForSelector(".chart canvas");
  assert.deepEqual(await page.locator("[data-page] > h2").allTextContents(), ["TCP, C++98", "UDPv4, Java", "UDPv4, Routing Service"]);
  assert.match(await page.locator("#UDPv4-Java").textContent(), /Not measured: dunlin-java: there is no JDK/);
  await page.click('[data-layer="published"]');
  const systems = async (title) => [...new Set((await texts(title)).map((row) => row[1]))];
  assert.deepEqual(await systems("TCP, C++98 latency: unkeyed, reliable"), ["Dunlin in C++98", "Raw floor", "Connext C++98◇"]);
  assert.deepEqual(await systems("UDPv4, Routing Service latency: unkeyed, reliable"), ["Dunlin in C++98, routed, blocking", "Raw floor, blocking", "Dunlin in C++98, blocking", "Raw relay, blocking", "Connext Routing Service◇"]);
  assert.equal((await texts("UDPv4, Routing Service through a router")).length, 6);
  assert.deepEqual((await texts("Overview")).map((row) => row[0]), ["TCP, C++98", "TCP, C++98", "UDPv4, Routing Service", "UDPv4, Routing Service"]);
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: join(place, "report-chapters.png") });
});

await check("the colours can be chosen", async () => {
  await fresh(1280, "dark");
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await page.click("#theme");
  assert.notEqual(await paper(), dark);
});

await check("paper is black on white, without controls, with all tables open", async () => {
  await fresh(1280, "dark");
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.waitForFunction(() => !document.querySelector("details:not([open])"));
  const look = await page.evaluate(() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]);
  assert.deepEqual(look, ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]);
  assert.equal(await page.locator("#UDPv4 .chart h4").first().innerText(), "Latency against size, Median, Unkeyed");
  assert.equal(await page.locator("nav, .zoom, .csv").evaluateAll((all) => all.filter((e) => e.getClientRects().length).length), 0);
  await page.pdf({ path: join(place, "report.pdf"), preferCSSPageSize: true });
});

await check("nothing was asked of a network, and nothing was complained of", async () => {
  assert.deepEqual(asked.filter((url) => ![address, second].includes(url) && !/^(data:|blob:null)/.test(url)), []);
  assert.deepEqual(said, []);
});

await end("the report is well");
