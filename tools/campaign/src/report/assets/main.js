// The page itself: head, bar, sections, theme and paper.

function head() {
  const cells = DATA.campaign.cells;
  const runs = cells.reduce((sum, cell) => sum + cell.measured, 0), failed = cells.reduce((sum, cell) => sum + cell.failed.length, 0);
  const fact = (label, value) => el("li", {}, `${label} `, el("b", {}, value));
  document.getElementById("head").append(
    el("p", { class: "kicker" }, "Dunlin · measured"), el("h1", {}, `Campaign ${HEAD.name}`),
    el("ul", { class: "facts" }, fact("begun", HEAD.started.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC")), fact("Dunlin", HEAD.version), fact("each cell", `${HEAD.repetitions} × ${HEAD.seconds} s`),
      fact("runs", grouped(runs)), failed ? fact("failed", grouped(failed)) : null, fact("on", HEAD.hosts.map((h) => h.name).join(" and ") || "unnamed")),
    ...HEAD.hosts.flatMap((host) => host.advice.filter((line) => line.startsWith("others keep"))).map((line) => el("p", { class: "warning" }, `Measured on a machine in use: ${line}`)),
    el("div", { class: "keys" }, PAGES.map(keyFigures)), el("nav", { "aria-label": "Contents", class: "plain" }, contents()));
}

/** The smallest reliable sample of a part, and the most that goes through. */
function keyFigures(page) {
  const own = (mode) => on(page, mode).filter((e) => e.layer === null && e.measured && !e.keyed && !e.zero_copy);
  const smallest = own("latency").sort((a, b) => a.blocking - b.blocking || b.reliable - a.reliable || a.size - b.size)[0];
  const most = own("throughput").sort((a, b) => (b.throughput?.rate.value ?? 0) - (a.throughput?.rate.value ?? 0))[0];
  const knots = [];
  if (smallest) {
    const { median, percentiles } = smallest.latency;
    if (median.limits) knots.push(["95 % limits of the median", `${micros(median.limits[0])} to ${micros(median.limits[1])}`]);
    knots.push(["99 %", `${micros(percentiles[2].nanos)} μs`]);
    if (smallest.floor) knots.push(["of the raw floor", `${smallest.floor.toFixed(2)} ×`]);
  }
  if (most?.throughput) knots.push([`throughput, ${bytes(most.size)}${most.batched ? ", batched" : ""}`, `${short(most.throughput.rate.value)}/s`]);
  return el("section", { class: "key" }, el("h2", {}, el("a", { href: `#${pageId(page)}` }, pageName(page))),
    smallest ? [el("p", { class: "big" }, micros(smallest.latency.median.value), el("small", {}, ` μs · ${bytes(smallest.size)} ${smallest.reliable ? "reliable" : "best effort"}`)),
      el("p", { class: "what" }, `median of the runs, one way, ${smallest.name}`)] : chapterOf(page)?.missing ? el("p", { class: "what" }, "not measured") : null,
    el("dl", {}, knots.flatMap(([label, value]) => [el("dt", {}, label), el("dd", {}, value)])));
}

/** What is asked first: how fast, beside the floor and what others published. */
function overview() {
  const rows = PAGES.flatMap((page) => {
    const sizes = [...new Set(on(page, "latency").filter((e) => e.measured).map((e) => e.size))].sort((a, b) => a - b);
    const asked = sizes.includes(32) && sizes.includes(63000) ? [32, 63000] : [...new Set([sizes[0], sizes.at(-1)])].filter((size) => size != null);
    return asked.map((size) => overviewRow(page, size)).filter(Boolean);
  });
  if (!rows.length) return null;
  const all = rows.flatMap((row) => row.marks.map((mark) => mark.value));
  const [low, high] = [Math.log(Math.min(...all) / 1.15), Math.log(Math.max(...all) * 1.15)];
  const at = (value) => `${((Math.log(value) - low) / (high - low) * 100).toFixed(2)}%`;
  const us = (value) => (value == null ? "–" : micros(value));
  const marks = (row) => row.marks.map((mark) => el("span", { class: `mark ${mark.kind}`, style: `left: ${at(mark.value)}; --swatch: var(${mark.ink})`, title: `${mark.name}: ${micros(mark.value)} μs` }));
  const names = { floor: "raw floor", own: "Dunlin", published: "published Connext, on other machines" };
  const key = [...new Map(rows.flatMap((row) => row.marks).map(({ kind, ink, name }) => [names[kind] ?? name, [kind, ink, names[kind] ?? name]])).values()]
    .map(([kind, ink, name]) => el("span", { class: "item" }, el("span", { class: `mark ${kind}`, style: `--swatch: var(${ink})` }), name));
  const line = (row) => el("tr", {}, el("td", { class: "text" }, el("a", { href: `#${pageId(row.page)}` }, pageName(row.page))), el("td", {}, bytes(row.size)), el("td", {}, us(row.floor)),
    el("td", { class: "own" }, us(row.own)), el("td", {}, row.times == null ? "–" : row.times.toFixed(2)), el("td", { class: "soft" }, row.published == null ? "–" : String(Number((row.published / 1000).toFixed(1)))),
    el("td", { class: "track", "aria-hidden": "true" }, el("div", {}, marks(row))));
  const heads = ["Part", "Size", "Raw floor", "Dunlin", "× floor", "Published ◇", ""];
  return el("section", { id: "overview" }, el("h2", {}, "How fast, against what"),
    el("p", { class: "note" }, "Medians in microseconds, one way, unkeyed and reliable where that was measured. × floor: as a multiple of what the same machine does without DDS."),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Overview" }, el("table", { class: "overview" }, el("caption", { class: "unseen" }, "Overview"),
      el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col", class: head === "Part" ? "text" : null }, head)))), el("tbody", {}, rows.map(line)))),
    el("p", { class: "note keyline" }, key, "Logarithmic scale."),
    rows.some((row) => row.published != null) ? el("p", { class: "note" }, "◇ Published figures of RTI Connext, in whole microseconds, measured by others on other machines: context, not a comparison.") : null);
}

/** Of a part at a size: the kind that says most. */
function overviewRow(page, size) {
  const here = on(page, "latency").filter((e) => e.size === size && !e.zero_copy && !e.past);
  const own = here.filter((e) => e.layer === null && e.measured).sort((a, b) => a.keyed - b.keyed || b.reliable - a.reliable || a.blocking - b.blocking)[0];
  if (!own) return null;
  const like = here.filter((e) => e.any || e.keyed === own.keyed && e.reliable === own.reliable).filter((e) => e.context || e.measured && e.blocking === own.blocking);
  const median = (e) => (e?.context ? (e.latency.percentiles[0].defect ? null : e.latency.percentiles[0].nanos) : e?.latency?.median.value);
  const kind = (e) => (e === own ? "own" : e.context ? "published" : e.system === "raw" ? "floor" : "other");
  const marks = like.filter((e) => e === own || e.layer !== null).map((e) => ({ kind: kind(e), name: e.name, ink: e.ink, value: median(e) })).filter((mark) => mark.value > 0);
  const of = (wanted) => marks.find((mark) => mark.kind === wanted)?.value ?? null;
  return { page, size, marks, floor: of("floor"), own: of("own"), times: own.floor, published: of("published") };
}

function contents() {
  const items = [["overview", "How fast, against what"], ...PAGES.map((page) => [pageId(page), pageName(page)]), ["machine", "Machine"], ["missing", "What is missing"]];
  return el("ul", { class: "contents" }, items.map(([id, name]) => el("li", { "data-to": id }, el("a", { href: `#${id}` }, name))));
}

function bar() {
  const toggles = LAYERS.map(({ layer, name, ink }) => el("button", {
    type: "button", "data-layer": layer, "aria-pressed": String(state.layers.has(layer)), onclick: (event) => {
      if (!state.layers.delete(layer)) state.layers.add(layer);
      event.currentTarget.setAttribute("aria-pressed", String(state.layers.has(layer)));
      say(`${name} ${state.layers.has(layer) ? "shown" : "hidden"}`);
      renew();
    },
  }, el("span", { class: "swatch", style: `--swatch: var(${ink})` }), name));
  const scale = (log, text) => el("button", {
    type: "button", "data-scale": log ? "log" : "linear", "aria-pressed": String(state.log === log), onclick: () => {
      state.log = log;
      document.querySelectorAll("[data-scale]").forEach((b) => b.setAttribute("aria-pressed", String((b.dataset.scale === "log") === log)));
      CHARTS.forEach((c) => c.renew());
    },
  }, text);
  const group = (label, ...inside) => el("div", { class: "set", role: "group", "aria-label": label }, el("span", { class: "label", "aria-hidden": "true" }, label), inside);
  const look = el("button", { type: "button", id: "theme", onclick: () => theme(state.theme === "dark" ? "light" : "dark") });
  document.getElementById("bar").append(el("div", {},
    toggles.length ? group("Beside Dunlin", toggles) : null, group("Axes", scale(true, "Log"), scale(false, "Linear")), el("span", { class: "grow" }), look));
}

function theme(name) {
  state.theme = name;
  document.documentElement.dataset.theme = name;
  const look = document.getElementById("theme");
  look.textContent = name === "dark" ? "Light" : "Dark";
  look.setAttribute("aria-label", `Switch to ${name === "dark" ? "light" : "dark"} colours`);
  CHARTS.forEach((c) => c.repaint());
}

function pages() {
  const main = document.getElementById("main");
  const sections = PAGES.map((page) => {
    const goals = goalSection(page);
    const parts = goals.length ? goals : [latencySection(page), throughputSection(page), loadedSection(page), hopSection(page), costSection(page)].filter(Boolean);
    const { missing, network } = chapterOf(page) ?? {};
    return el("section", { id: pageId(page), "data-page": page }, el("h2", {}, pageName(page)),
      missing ? el("p", {}, `Not measured: ${missing}.`) : network ? el("p", { class: "soft" }, `The sides reach each other by ${network}.`) : null,
      parts.length ? parts.flat(3) : missing ? null : el("p", { class: "soft" }, "Nothing was measured here."));
  });
  main.replaceChildren(...[overview()].filter(Boolean), ...sections, el("section", {}, machineSection().flat(3)), el("section", {}, missingSection().flat(3)));
  document.getElementById("foot").append(
    el("p", {}, "Everything on this page is in this file; it asks nothing of a network. Beside it: report.md, csv/ with unrounded figures, histograms/ with all latencies."),
    el("p", {}, "Drag across a graph to zoom, or use its buttons; with the keyboard, plus, minus, arrows and 0. A click on a line's name hides it. Graphs: uPlot, MIT licence, © Leon Sorokin."));
}

/** The list of contents names what is there. */
function settleContents() {
  document.querySelectorAll(".contents li").forEach((item) => { if (!document.getElementById(item.dataset.to)) item.remove(); });
}

function renew() {
  TABLES.forEach((t) => t.renew());
  CHARTS.forEach((c) => c.renew());
  document.querySelectorAll(".published-note").forEach((note) => { note.hidden = !state.layers.has("published"); });
}

/** Paper is black on white, has no room for closed tables, and another width. */
function paper() {
  const media = matchMedia("print");
  let closed = [];
  const settle = () => CHARTS.forEach((c) => { c.fit(); c.repaint(); });
  const begin = () => {
    if (!closed.length) closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((box) => { box.open = true; });
    settle();
  };
  const end = () => { closed.forEach((box) => { box.open = false; }); closed = []; settle(); };
  addEventListener("beforeprint", begin);
  addEventListener("afterprint", end);
  media.addEventListener("change", () => (media.matches ? begin() : end()));
}

head();
bar();
pages();
settleContents();
const dark = matchMedia("(prefers-color-scheme: dark)");
theme(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => theme(dark.matches ? "dark" : "light"));
paper();
renew();
