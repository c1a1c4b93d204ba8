// The page itself: head, bar, sections, theme and paper.

function head() {
  const cells = DATA.campaign.cells;
  const runs = cells.reduce((sum, cell) => sum + cell.measured, 0), failed = cells.reduce((sum, cell) => sum + cell.failed.length, 0);
  const fact = (label, value) => el("li", {}, `${label} `, el("b", {}, value));
  document.getElementById("head").append(
    el("p", { class: "kicker" }, "Dunlin · measured"), el("h1", {}, `Campaign ${HEAD.name}`),
    el("ul", { class: "facts" }, fact("begun", HEAD.started.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC")), fact("Dunlin", HEAD.version), fact("each cell", `${HEAD.repetitions} × ${HEAD.seconds} s`),
      fact("runs", grouped(runs)), failed ? fact("failed", grouped(failed)) : null, fact("on", HEAD.hosts.map((h) => h.name).join(" and ") || "unnamed")),
    el("div", { class: "keys" }, PAGES.map(keyFigures)));
}

/** The smallest reliable sample of a transport, and the most that goes through. */
function keyFigures(transport) {
  const own = (mode) => on(transport, mode).filter((e) => e.layer === null && e.measured && !e.keyed && !e.zero_copy);
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
  return el("section", { class: "key" }, el("h2", {}, el("a", { href: `#${transport}` }, pageName(transport))),
    smallest ? el("p", { class: "big" }, micros(smallest.latency.median.value), el("small", {}, ` μs · ${bytes(smallest.size)} ${smallest.reliable ? "reliable" : "best effort"}`)) : null,
    el("dl", {}, knots.flatMap(([label, value]) => [el("dt", {}, label), el("dd", {}, value)])));
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
  const sections = PAGES.map((transport) => {
    const parts = [latencySection(transport), throughputSection(transport), loadedSection(transport), hopSection(transport), costSection(transport)].filter(Boolean);
    return el("section", { id: transport, "data-page": transport }, el("h2", {}, pageName(transport)), parts.length ? parts.flat(3) : el("p", { class: "soft" }, "Nothing was measured here."));
  });
  main.replaceChildren(...sections, el("section", {}, machineSection().flat(3)), el("section", {}, missingSection().flat(3)));
  document.getElementById("foot").append(
    el("p", {}, "Everything on this page is in this file; it asks nothing of a network. Beside it: report.md, csv/ with unrounded figures, histograms/ with all latencies."),
    el("p", {}, "Drag across a graph to zoom, or use its buttons; with the keyboard, plus, minus, arrows and 0. A click on a line's name hides it. Graphs: uPlot, MIT licence, © Leon Sorokin."));
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
const dark = matchMedia("(prefers-color-scheme: dark)");
theme(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => theme(dark.matches ? "dark" : "light"));
paper();
renew();
