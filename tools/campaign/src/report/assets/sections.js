// The sections of a part: one transport or chapter, from latency to cost.

const DASH = [7, 5], DOTS = [2, 4];
const select = (label, choices, act) => el("select", { "aria-label": label, onchange: (event) => act(choices[event.target.selectedIndex][1]) },
  choices.map(([text, , chosen]) => el("option", { selected: chosen === true }, text)));
const lineName = (e, ...more) => [e.name, ...more].filter(Boolean).join(", ");

/** Entries as lines: those of one name together, sorted by x. */
function gathered(entries, name, look, point) {
  const lines = new Map();
  for (const e of entries) {
    const at = point(e);
    if (!at || at.slice(0, 2).some((v) => v == null || !(v > 0))) continue;
    const key = name(e);
    if (!lines.has(key)) lines.set(key, { name: key, ink: e.ink, thin: e.context || e.past, rank: rank(e), ...look(e), points: [] });
    lines.get(key).points.push(at);
  }
  lines.forEach((line) => line.points.sort((a, b) => a[0] - b[0]));
  return [...lines.values()].sort((a, b) => a.rank - b.rank || a.ink.localeCompare(b.ink));
}
const reliability = (e) => (e.any ? null : e.reliable ? "reliable" : "best effort");
const dash = (e) => ({ dash: e.any ? DOTS : e.reliable ? undefined : DASH });

/** The table of a part with goals: text already, with a verdict at the end of each row that has one. */
function goalSection(page) {
  const own = DATA.campaign.goals.filter(([title]) => title === page);
  return own.map(([title, { columns, rows, notes }]) => {
    const side = (index) => ({ class: index < 2 ? "text" : null });
    const head = [...columns, "verdict"].map((name, index) => el("th", { scope: "col", ...side(index) }, name));
    const line = ([cells, verdict]) => el("tr", {}, [...cells, verdict].map((text, index) => el("td", side(index), text)));
    return [el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, el("table", {}, el("caption", { class: "unseen" }, title),
      el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows.map(line)))), notes.map((note) => el("p", { class: "note" }, note))];
  });
}

function latencySection(page) {
  const entries = on(page, "latency");
  if (!entries.some((e) => !e.context && !e.past)) return null;
  const keys = [false, true].filter((keyed) => hasKind(entries, keyed, true) || hasKind(entries, keyed, false));
  let keyed = keys[0] ?? false, percent = 0;
  const kinds = KINDS.filter(([k, r]) => hasKind(entries, k, r));
  const once = (list) => { const seen = new Set(); return list.filter((e) => !e.any || !seen.has(e) && seen.add(e)); };
  const medians = chart("Latency against size", () => ({
    x: "size", y: "μs, one way", show: digits,
    lines: gathered(once([false, true].flatMap((reliable) => ofKind(entries, keyed, reliable))).filter(shown), (e) => lineName(e, reliability(e)), dash, (e) => {
      const p = e.latency?.percentiles[percent];
      if (!p || p.defect) return null;
      const { value, limits } = (percent === 0 && e.latency.median) || { value: p.nanos };
      return [e.size, value / 1000, limits?.[0] / 1000, limits?.[1] / 1000];
    }),
  }), [
    select("Percentile", PERCENTILES.slice(0, 4).map((p, i) => [i ? `${p} %` : "Median", i]), (v) => { percent = v; medians.renew(); }),
    ...(keys.length > 1 ? [select("Keys", keys.map((k) => [k ? "Keyed" : "Unkeyed", k]), (v) => { keyed = v; medians.renew(); })] : []),
  ]);
  const sizes = [...new Set(entries.filter((e) => e.latency?.curve.length).map((e) => e.size))].sort((a, b) => a - b);
  let size = sizes[0], kind = kinds.find(([k, r]) => !k && r) ?? kinds[0] ?? [false, true];
  const curves = chart("Percentiles", () => ({
    x: "rarity", y: "μs, one way", show: digits,
    lines: ofKind(entries.filter((e) => e.size === size), ...kind).filter(shown).filter((e) => e.latency?.curve.length).flatMap(curveLines),
  }), [
    select("Size", sizes.map((s) => [bytes(s), s]), (v) => { size = v; curves.renew(); }),
    select("Kind", kinds.map((k) => [kindName(...k), k, k === kind]), (v) => { kind = v; curves.renew(); }),
  ]);
  const note = "Percentiles: of all samples of all repetitions; in brackets: chance, fewer than ten samples lie beyond. Median of runs: with its 95 % confidence limits. × floor below 1: the floor itself takes one datagram or slot a sample, and another way of waiting or cutting can be faster. ";
  const tables = kinds.map(([k, r]) => table(`${pageName(page)} latency: ${kindName(k, r).toLowerCase()}`,
    [SIZE, SYSTEM, ...latencyColumns((e) => e.latency), MEDIAN, FLOOR, RUNS, WARM_UP, WAITS],
    () => rowsOf(ofKind(entries, k, r)), note + (entries.some((e) => e.context) ? "◇: published, other hardware: context, not a comparison." : ""), { open: !k }));
  return [el("h3", {}, "Latency"), el("p", { class: "note" }, "Half of a round trip, one sample in flight, microseconds."),
    el("div", { class: "pair" }, medians.sheet, curves.sheet), contextNote(page), tables.map((t) => t.box)];
}

/** Dunlin first, then the layers in their order. */
const rank = (e) => (e.layer === null ? (e.zero_copy || e.blocking ? 1 : 0) : 2 + LAYERS.findIndex((l) => l.layer === e.layer));

/** Rows in the order of sizes, Dunlin first; those without figures say why. */
function rowsOf(entries) {
  return entries.filter(shown).map((e) => ({ ...e, trouble: trouble(e) }))
    .sort((a, b) => a.size - b.size || (a.rate ?? 0) - (b.rate ?? 0) || rank(a) - rank(b) || a.keyed - b.keyed || a.reliable - b.reliable || a.batched - b.batched);
}

function contextNote(page) {
  const sources = new Map(ENTRIES.filter((e) => e.context && e.page === page).map((e) => [e.name, e.hardware]));
  if (!sources.size) return null;
  const text = [...sources].map(([name, hardware]) => `${name} (${hardware})`).join("; ");
  return el("p", { class: "note published-note", hidden: !state.layers.has("published") },
    `◇ Published figures of RTI Connext, in whole microseconds, measured by others on other machines: ${text}. They are context, not a comparison; what is known to be wrong in them is struck out and left out of the graphs.`);
}

/** The curve, and its end that fewer than ten samples make as a line of its own. */
function curveLines(e) {
  const points = e.latency.curve.map(([x, nanos]) => [x, nanos / 1000]);
  const sure = points.filter(([x]) => x <= e.latency.samples / 10).length;
  const line = { name: e.name, ink: e.ink, thin: e.past, dash: e.any ? DOTS : undefined, points: points.slice(0, sure) };
  return [line, { ...line, ghost: true, points: points.slice(Math.max(0, sure - 1)) }];
}

function throughputSection(page) {
  const entries = on(page, "throughput");
  if (!entries.some((e) => !e.past)) return null;
  let bits = false;
  const how = (e) => (e.batched ? "batched" : null);
  const rates = chart("Throughput against size", () => ({
    x: "size", y: bits ? "Mbit/s" : "samples/s", show: short,
    lines: gathered(entries.filter((e) => !e.keyed || !hasKind(entries, false, e.reliable)).filter(shown), (e) => lineName(e, reliability(e), how(e)),
      (e) => ({ ...dash(e), ...(e.batched ? { ink: "--copyless" } : {}) }), (e) => {
        const t = e.throughput;
        return t && (bits ? [e.size, t.mbps] : [e.size, t.rate.value, t.rate.limits?.[0], t.rate.limits?.[1]]);
      }),
  }), [select("Unit", [["Samples/s", false], ["Mbit/s", true]], (v) => { bits = v; rates.renew(); })]);
  const of = (key) => (e) => e.throughput?.[key];
  const list = table(`${pageName(page)} throughput`, [SIZE, SYSTEM, KIND,
    column("Batched", (e) => (e.batched ? "yes" : "no"), undefined, { text: true, always: true, csv: "batched" }),
    column("Samples/s", (e) => e.throughput?.rate.value, (e) => estimate(e.throughput?.rate, short), { csv: "samples_per_second", title: "Median over the repetitions, with its 95 % confidence limits" }),
    column("Mbit/s", of("mbps"), (e) => (e.throughput ? digits(e.throughput.mbps) : ""), { csv: "mbps" }),
    column("Samples", of("samples"), (e) => grouped(e.throughput?.samples ?? ""), { csv: "samples" }),
    column("Lost", of("lost"), (e) => grouped(e.throughput?.lost ?? ""), { csv: "lost" }), FLOOR, RUNS, WARM_UP, WAITS],
  () => rowsOf(entries), "Samples per second as the receiver counts them.");
  return [el("h3", {}, "Throughput"), rates.sheet, list.box];
}

function loadedSection(page) {
  const entries = on(page, "loaded");
  if (!entries.some((e) => !e.past)) return null;
  const key = (e) => `${bytes(e.size)}, ${kindName(e.keyed, e.reliable).toLowerCase()}`;
  const keys = [...new Set(entries.map(key))];
  let chosen = keys[0], percent = 2;
  const sweep = chart("Latency against rate", () => {
    const here = entries.filter((e) => key(e) === chosen);
    const line = (of, name, dash) => gathered(here.filter(shown), (e) => lineName(e, name), () => ({ dash }), (e) => (of(e) ? [e.rate, of(e).percentiles[percent].nanos / 1000] : null));
    return { x: "rate", y: "μs, one way", show: digits, lines: [...line((e) => e.response, "response"), ...line((e) => e.latency, "service", DASH)] };
  }, [
    select("Percentile", PERCENTILES.slice(0, 4).map((p, i) => [i ? `${p} %` : "Median", i, i === percent]), (v) => { percent = v; sweep.renew(); }),
    ...(keys.length > 1 ? [select("Samples", keys.map((k) => [k, k]), (v) => { chosen = v; sweep.renew(); })] : []),
  ]);
  const rate = column("Samples/s", (e) => e.rate, (e) => short(e.rate), { always: true, csv: "rate" });
  const lists = [["response", "response time", (e) => e.response], ["service", "service time", (e) => e.latency]].map(([, name, of]) =>
    table(`${pageName(page)} under load: ${name}`, [rate, SYSTEM, { ...SIZE }, KIND, ...latencyColumns(of), RUNS, WARM_UP, WAITS], () => rowsOf(entries)));
  return [el("h3", {}, "Latency under load"), el("p", { class: "note" },
    "Samples are due at a fixed rate, whatever the answers do. Response: from the moment when a sample was due, so a stall counts for all that had to wait. Service: from the moment when it was sent."),
  sweep.sheet, el("ul", { class: "plain note" }, kneeLines(page)), lists.map((t) => t.box)];
}

/** Up to which rate each sweep of the transport goes well. */
function kneeLines(page) {
  const own = DATA.campaign.knees.filter(([name]) => name.startsWith(chapterOf(page) ? `${page}: ` : `${page},`));
  return own.map(([name, knee]) => el("li", {}, knee
    ? `Knee of ${name}: up to ${short(knee[0])} samples/s nothing is lost and 99 % are answered in less than twice the time of the lowest rate (${micros(knee[1])} μs there).`
    : `Knee of ${name}: none, samples are lost at the lowest rate already.`));
}

/** What a router between the sides adds, beside what a relay adds to the raw floor. */
function hopSection(page) {
  const hops = DATA.campaign.hops.filter((hop) => pageOf(hop) === page);
  if (!hops.length) return null;
  const us = (head, of, csv, title) => column(head, of, (e) => (of(e) == null ? "–" : micros(of(e))), { csv, title });
  const times = (head, of, csv, title) => column(head, of, (e) => (of(e) == null ? "–" : of(e).toFixed(2)), { csv, title });
  const published = column("Published ◇", (e) => e.published, (e, marks) => figure(e.published, { defect: e.published_doubtful ? "is below the minimum" : undefined }, marks, true),
    { csv: "published_ns", title: "Connext through Routing Service, by others on other machines: context, not a comparison" });
  const list = table(`${pageName(page)} through a router`, [SIZE,
    column("Kind", (e) => `${kindName(e.keyed, e.reliable)}${e.blocking ? ", blocking" : ""}`, undefined, { text: true, csv: "kind" }),
    us("Direct", (e) => e.median.direct, "direct_ns"), us("Routed", (e) => e.median.routed, "routed_ns"), us("Two routers", (e) => e.median.twice, "two_routers_ns"),
    us("Hop", (e) => e.median.hop, "hop_ns", "Routed less direct, the median of the differences within each repetition"), us("2nd hop", (e) => e.median.second, "second_hop_ns"),
    us("Raw", (e) => e.median.raw, "raw_ns"), us("Relay", (e) => e.median.relayed, "relay_ns"), us("Relay's hop", (e) => e.median.floor, "relay_hop_ns"),
    times("Hop ÷ relay's", (e) => e.median.hop_ratio, "hop_x_relay_hop"), times("99 %", (e) => e.p99.hop_ratio, "hop_x_relay_hop_99", "The same at 99 %"),
    times("Routed ÷ relay", (e) => e.median.relay_ratio, "routed_x_relay"), published],
  () => hops.map((hop) => ({ ...hop, layer: null, context: false })), "Half of the round trip at 50 %, medians over the repetitions. ◇: published, other hardware: context, not a comparison.");
  return [el("h3", {}, "What a router adds"), list.box];
}

function costSection(page) {
  const entries = on(page, "latency").filter((e) => e.cost.some(Boolean));
  if (!entries.some((e) => !e.past)) return null;
  const of = (side, key) => (e) => e.cost[side]?.[key];
  const both = (head, key, show, csv) => ["pub", "sub"].map((side, index) => column(`${head} ${side}`, of(index, key), (e) => (of(index, key)(e) == null ? "–" : show(of(index, key)(e))), { csv: `${csv}_${side}` }));
  const router = !entries.some((e) => e.middle) ? [] : [
    column("CPU ns router", (e) => e.middle?.cpu, (e) => (e.middle ? grouped(Math.round(e.middle.cpu)) : "–"), { csv: "cpu_ns_router" }),
    column("MiB router", (e) => e.middle?.memory, (e) => (e.middle ? digits(e.middle.memory / 1048576) : "–"), { csv: "memory_router", title: "The most that it has had, of all routers together" }),
  ];
  const list = table(`${pageName(page)} cost`, [SIZE, SYSTEM, KIND, ...both("CPU ns", "cpu", (v) => grouped(Math.round(v)), "cpu_ns"),
    ...both("Calls", "system_calls", digits, "system_calls"), ...both("Switches", "context_switches", digits, "context_switches"),
    ...both("Faults", "page_faults", digits, "page_faults"), ...both("Allocs", "allocations", digits, "allocations"), ...router, WAITS],
  () => rowsOf(entries), "Per round trip, of the publisher and of the subscriber; medians over the repetitions. –: not counted.", { open: false });
  return [el("h3", {}, "What a round trip costs"), list.box];
}

function machineSection() {
  const names = HEAD.hosts.length > 1 ? ["Publisher", "Subscriber"] : ["Both sides"];
  return [el("h2", { id: "machine" }, "Machine"), el("p", { class: "soft" }, `The sides reach each other by ${[...new Set(CHAPTERS.length ? CHAPTERS.filter((one) => !one.missing).map((one) => one.network) : [HEAD.network])].join(" and ")}.`), HEAD.hosts.map((host, index) => [
    el("h3", {}, `${names[index] ?? "Host"}: ${host.name || "unnamed"}`),
    el("dl", { class: "machine" }, host.facts.flatMap(([label, value]) => [el("dt", {}, label), el("dd", {}, value)])),
    host.advice.length ? [el("p", {}, "What would change the figures:"), el("ul", { class: "plain advice" }, host.advice.map((line) => el("li", {}, line)))] : [],
  ].flat())];
}

/** The failed runs of a cell: those of one reason together. */
function failures(cell) {
  const reasons = [...new Set(cell.failed.map(([, reason]) => reason))];
  return reasons.map((reason) => ({
    ...entry(cell, "failed", NAMES[cell.system] ?? cell.system), reason, runs: cell.failed.filter(([, why]) => why === reason).map(([run]) => run + 1),
  }));
}

function missingSection() {
  const cells = DATA.campaign.cells;
  const failed = cells.flatMap(failures);
  const waiting = cells.filter((cell) => !cell.measured && !cell.failed.length).length;
  if (!failed.length && !waiting && !HEAD.skipped.length && !DATA.campaign.notes.length) return [];
  const list = failed.length && table("Failed runs", [SIZE, SYSTEM, column("Transport", (e) => e.transport, undefined, { text: true, csv: "transport" }), column("Mode", (e) => (e.rate ? `loaded, ${short(e.rate)}/s` : e.mode), undefined, { text: true, csv: "mode" }), KIND,
    column("Runs", (e) => e.runs.join(", "), undefined, { csv: "runs" }), column("Reason", (e) => e.reason, undefined, { text: true, wide: true, csv: "reason" })], () => failed);
  return [el("h2", { id: "missing" }, "What is missing"),
    HEAD.skipped.length ? [el("h3", {}, "Left out"), el("ul", { class: "plain skipped" }, HEAD.skipped.map((line) => el("li", {}, line)))] : [],
    waiting ? [el("p", {}, `${waiting} of ${cells.length} cells have not been measured: the campaign was interrupted and can be resumed.`)] : [],
    DATA.campaign.notes.length ? [el("h3", {}, "Could not be read"), el("ul", { class: "plain" }, DATA.campaign.notes.map((line) => el("li", {}, line)))] : [],
    list ? [list.box] : []].flat();
}
