// What was measured, as one list of entries, and how figures are printed.

const DATA = JSON.parse(document.getElementById("data").textContent);
const HEAD = DATA.campaign.campaign;
const PERCENTILES = [50, 90, 99, 99.99, 99.9999];
const TRANSPORTS = { SHMEM: "Shared memory" };
const NAMES = { dunlin: "Dunlin", "dunlin-c": "Dunlin in C", "dunlin-cpp98": "Dunlin in C++98", "dunlin-java": "Dunlin in Java", "dunlin-cs": "Dunlin in C#", "dunlin-routed": "Dunlin, routed", "dunlin-cpp98-routed": "Dunlin in C++98, routed", "dunlin-routed-twice": "Dunlin, two routers", raw: "Raw floor", "raw-relay": "Raw relay", cyclone: "Cyclone DDS", fastdds: "Fast DDS", iceoryx2: "iceoryx2", zenoh: "Zenoh", "dunlin-api": "Dunlin by its API", "plain-udp": "Plain UDP", "plain-shm": "Plain shared memory", "sealed-tcp": "TCP with seals" };
const INKS = { dunlin: "--dunlin", "dunlin-c": "--one", "dunlin-cpp98": "--two", "dunlin-java": "--three", "dunlin-cs": "--four", "dunlin-routed": "--one", "dunlin-routed-twice": "--two", raw: "--raw", "raw-relay": "--three", cyclone: "--one", fastdds: "--two", iceoryx2: "--three", zenoh: "--four", "dunlin-api": "--dunlin", "plain-udp": "--raw", "plain-shm": "--raw", "sealed-tcp": "--raw" };
const PUBLISHED_INKS = ["--published", "--published2", "--published3"];

/** The parts of the page: the chapters of the campaign, or else its transports. */
const CHAPTERS = HEAD.chapters ?? [];
const pageOf = (cell) => cell.chapter || cell.transport;
const chapterOf = (page) => CHAPTERS.find((chapter) => chapter.title === page);
/** The system that a part is about. */
const subject = (page) => chapterOf(page)?.subject ?? "dunlin";
const pageName = (page) => TRANSPORTS[page] ?? page;
const pageId = (page) => page.replace(/[^A-Za-z0-9]+/g, "-");
const kindName = (keyed, reliable) => `${keyed ? "Keyed" : "Unkeyed"}, ${reliable ? "reliable" : "best effort"}`;

/** Three digits that count. */
function digits(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 0.001) return "<0.001";
  if (size < 0.9995) return value.toFixed(3);
  if (size < 9.995) return value.toFixed(2);
  if (size < 99.95) return value.toFixed(1);
  return grouped(Math.round(value));
}
const grouped = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, " ");
const micros = (nanos) => digits(nanos / 1000);

/** With k or M, for rates and axes. */
function short(value) {
  const size = Math.abs(value);
  if (size >= 999.5e6) return trim(value / 1e9) + " G";
  if (size >= 999.5e3) return trim(value / 1e6) + " M";
  if (size >= 999.5) return trim(value / 1e3) + " k";
  return trim(value);
}
const trim = (value) => String(Number(value.toPrecision(3)));

/** Bytes: whole KiB and MiB as such, all else as a number. */
function bytes(size) {
  if (size >= 1048576 && size % 1048576 === 0) return `${size / 1048576} MiB`;
  if (size >= 1024 && size % 1024 === 0) return `${size / 1024} KiB`;
  return size < 10000 ? `${size} B` : `${grouped(size)} B`;
}

/** One measured or published point; `layer` names the toggle that shows it, null for Dunlin itself. */
function entry(cell, layer, name, ink) {
  const mode = typeof cell.mode === "string" ? cell.mode : Object.keys(cell.mode)[0];
  return {
    ...cell, layer, mode, ink, page: pageOf(cell),
    name: [name, cell.zero_copy && "zero copy", cell.blocking && "blocking"].filter(Boolean).join(", "),
    batched: mode === "throughput" && cell.mode.throughput.batched,
    rate: mode === "loaded" ? cell.mode.loaded.rate : null,
    // The floor has neither keys nor repairs: it lies beneath all kinds.
    any: cell.system === "raw" || cell.system === "raw-relay",
    context: false,
  };
}

function measuredEntries() {
  return DATA.campaign.cells.map((cell) => {
    const own = cell.system === subject(pageOf(cell));
    const other = own && !cell.chapter && (cell.zero_copy || cell.blocking);
    const ink = other ? "--copyless" : own ? "--dunlin" : INKS[cell.system] ?? "--four";
    return entry(cell, own ? null : cell.system, NAMES[cell.system] ?? cell.system, ink);
  });
}

function earlierEntries() {
  return DATA.earlier.flatMap((earlier, index) =>
    earlier.cells.filter((cell) => cell.system === subject(pageOf(cell))).map((cell) => ({
      ...entry(cell, `earlier${index}`, `Dunlin, ${earlierName(earlier)}`, "--past"),
      past: true,
    })));
}
const earlierName = (earlier) => `${earlier.campaign.name} of ${earlier.campaign.started.slice(0, 10)}`;

function publishedEntries() {
  const labels = [];
  return DATA.published.map((row) => {
    const source = `${row.transport} ${row.label}`;
    const inPage = labels.filter((label) => label.startsWith(row.transport));
    if (!labels.includes(source)) labels.push(source);
    const place = chapterOf(row.page) ? 0 : inPage.includes(source) ? inPage.indexOf(source) : inPage.length;
    const ink = PUBLISHED_INKS[place] ?? "--published";
    const [average, deviation, min, max, ...percentiles] = row.micros.map((value) => value * 1000);
    const defect = (column) => row.defects.find(([where]) => where === column)?.[1];
    return {
      layer: "published", context: true, name: row.label, ink, hardware: row.hardware, mode: "latency", transport: row.transport, page: chapterOf(row.page) ? row.page : row.transport,
      keyed: row.keyed, reliable: row.reliable, zero_copy: false, size: row.size, measured: null, failed: [], waiting: "", warm_up: null,
      cost: [null, null], middle: null, floor: null, system: "published",
      latency: {
        samples: null, lost: null, average, deviation, min, max, curve: [], median: null,
        percentiles: percentiles.map((nanos, index) => ({ nanos, certain: true, defect: defect(4 + index) })),
        defects: { average: defect(0), deviation: defect(1), min: defect(2), max: defect(3) },
      },
    };
  });
}

const ENTRIES = [...measuredEntries(), ...earlierEntries(), ...publishedEntries()];
const PAGES = [...new Set([...HEAD.cells.filter((cell) => !cell.chapter).map(pageOf), ...CHAPTERS.map((chapter) => chapter.title)])];

/** The toggles that have something to show, in order, and whether they begin switched on. */
const LAYERS = (() => {
  const seen = [...new Set(ENTRIES.filter((e) => e.layer && PAGES.includes(e.page)).map((e) => e.layer))];
  const rank = (layer) => (layer === "raw" ? 0 : layer === "published" ? 3 : layer.startsWith("earlier") ? 2 : 1);
  return seen.sort((a, b) => rank(a) - rank(b)).map((layer) => {
    const first = ENTRIES.find((e) => e.layer === layer);
    const name = layer === "published" ? "Published Connext" : first.past ? earlierName(DATA.earlier[Number(layer.slice(7))]) : first.name;
    return { layer, name, ink: first.ink, on: rank(layer) < 2 };
  });
})();

const state = { layers: new Set(LAYERS.filter((l) => l.on).map((l) => l.layer)), log: true, theme: null };
const shown = (e) => e.layer === null || state.layers.has(e.layer);
const on = (page, mode) => ENTRIES.filter((e) => e.page === page && e.mode === mode);

/** Those of a kind; of the floor that which is most like it, once for each size. */
function ofKind(entries, keyed, reliable) {
  const exact = (e) => e.keyed === keyed && e.reliable === reliable;
  return entries.filter((e) => exact(e) || (e.any && e === entries.filter((o) => o.any && o.size === e.size && o.name === e.name)
    .sort((a, b) => exact(b) - exact(a))[0]));
}

/** Whether anything of this campaign is of the kind. */
const hasKind = (entries, keyed, reliable) => entries.some((e) => !e.any && !e.context && !e.past && e.keyed === keyed && e.reliable === reliable);
const KINDS = [[false, false], [false, true], [true, false], [true, true]];

/** An element: properties beginning with "on" are listeners, all others attributes; text is never markup. */
function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child != null));
  return node;
}
const say = (text) => { document.getElementById("said").textContent = text; };
