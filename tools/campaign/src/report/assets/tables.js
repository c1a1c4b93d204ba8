// Tables: sorted by any column, downloaded as CSV.

const TABLES = new Set();

/** A column: what it is called, what sorts it and goes into the CSV, what is shown. */
const column = (head, value, show = (row) => String(value(row) ?? ""), more = {}) => ({ head, value, show, ...more });

/** A latency in microseconds; greyed if it is chance, struck out with a letter if it is known to be wrong; as it was printed if it was. */
function figure(nanos, { certain = true, defect } = {}, marks, printed) {
  if (nanos == null) return "";
  const text = printed ? String(Number((nanos / 1000).toFixed(1))) : micros(nanos);
  if (printed && !defect) return text;
  if (defect) return el("span", {}, el("span", { class: "defect" }, text), el("sup", {}, marks.of(defect)));
  return certain ? micros(nanos) : el("span", { class: "unsure", title: "chance: fewer than ten samples lie beyond" }, micros(nanos));
}

/** Letters for what is wrong, in the order in which it is met. */
class Marks {
  reasons = [];
  of(reason) {
    if (!this.reasons.includes(reason)) this.reasons.push(reason);
    return String.fromCharCode(97 + (this.reasons.indexOf(reason) % 26));
  }
  text() { return this.reasons.map((reason) => `${this.of(reason)}: published figure ${reason}. `).join(""); }
}

/** `rows()` gives entries; one with `trouble` has that text in place of its figures. */
function table(title, columns, rows, note = "", more = {}) {
  const body = el("tbody"), marks = el("p", { class: "note" });
  const count = el("span", { class: "count" });
  const heads = columns.map((c, index) => el("th", { scope: "col", class: c.text ? "text" : null, title: c.title },
    el("button", { type: "button", onclick: () => sort(index) }, c.head)));
  const csv = el("button", { type: "button", class: "csv", onclick: download, "aria-label": `CSV: ${title}` }, "CSV");
  const box = el("details", { open: more.open !== false },
    el("summary", {}, title, count),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, el("table", {}, el("caption", { class: "unseen" }, title), el("thead", {}, el("tr", {}, heads)), body)),
    el("div", { class: "below" }, marks, csv));
  let by = null, down = false, current = [];

  function sort(index) {
    [by, down] = [index, by === index ? !down : false];
    fill();
    say(`${title}: sorted by ${columns[index].head}, ${down ? "descending" : "ascending"}`);
  }
  function sorted(list) {
    if (by === null) return list;
    const of = (row) => (row.trouble && !columns[by].always ? null : columns[by].value(row));
    const order = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
    return [...list].sort((a, b) => {
      const [x, y] = [of(a), of(b)];
      if (x == null || y == null) return (x == null) - (y == null);
      return down ? order(y, x) : order(x, y);
    });
  }
  function fill() {
    const letters = new Marks();
    current = sorted(rows());
    count.textContent = `${current.length} rows`;
    heads.forEach((head, index) => head.setAttribute("aria-sort", by === index ? (down ? "descending" : "ascending") : "none"));
    let last = null;
    body.replaceChildren(...current.map((row) => {
      const step = by === null && last !== null && last !== row.size;
      last = row.size;
      const kind = [row.layer === null ? "own" : "", row.context ? "context" : "", step ? "step" : ""].filter(Boolean).join(" ");
      const lead = columns.filter((c) => !row.trouble || c.always);
      const cells = lead.map((c) => el("td", { class: [c.text ? "text" : "", c.wide ? "wide" : "", c.wraps ? "wraps" : ""].filter(Boolean).join(" ") || null }, c.show(row, letters)));
      if (row.trouble) cells.push(el("td", { class: "text bad", colspan: columns.length - lead.length }, row.trouble));
      return el("tr", { class: kind || null }, cells);
    }));
    marks.textContent = letters.text() + note;
  }
  function download() {
    const safe = (value) => {
      const text = String(value ?? "").replace(/^([=+@-])(?![\d.])/, "'$1");
      return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const lines = [columns.map((c) => safe(c.csv ?? c.head)), ...current.map((row) => columns.map((c) => safe(row.trouble && !c.always ? "" : c.value(row))))];
    const link = el("a", {
      href: URL.createObjectURL(new Blob([lines.map((line) => line.join(",")).join("\n") + "\n"], { type: "text/csv" })),
      download: `${HEAD.name}-${title}.csv`.replace(/[^\w.-]+/g, "-"),
    });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say(`${title}: saved as CSV`);
  }
  const self = { box, renew: fill };
  TABLES.add(self);
  return self;
}

/** Why an entry has no figures, or null. */
function trouble(e) {
  if (e.context || e.measured > 0) return null;
  return e.failed.length ? `failed: ${e.failed[0][1]}` : "not measured";
}

const SIZE = column("Size", (e) => e.size, (e) => bytes(e.size), { always: true, csv: "size_bytes" });
const SYSTEM = column("System", (e) => e.name, (e) => (e.context ? el("span", { title: e.hardware }, e.name, el("sup", {}, "◇")) : e.name), { text: true, wraps: true, always: true, csv: "system" });
const KIND = column("Kind", (e) => kindName(e.keyed, e.reliable), undefined, { text: true, always: true, csv: "kind" });
const FLOOR = column("× floor", (e) => e.floor, (e) => (e.floor == null ? "" : e.floor.toFixed(2)), { title: "The median (or the rate) as a multiple of the raw floor: the median of the ratios within each repetition", csv: "x_floor" });
const RUNS = column("Runs", (e) => e.measured, (e) => (e.measured == null ? "" : e.failed.length
  ? el("span", { class: "bad", title: e.failed.map(([n, why]) => `${n + 1}: ${why}`).join("\n") }, `${e.measured} of ${e.measured + e.failed.length}`) : String(e.measured)), { csv: "runs" });
const WARM_UP = column("Warm-up", (e) => e.warm_up?.[0], (e) => (!e.warm_up ? "" : e.warm_up[0] === e.warm_up[1] ? grouped(e.warm_up[0]) : `${grouped(e.warm_up[0])}–${grouped(e.warm_up[1])}`), { csv: "warm_up_samples", title: "Samples before the measurement, not in the figures" });
const WAITS = column("Waits", (e) => e.waiting, undefined, { text: true, wraps: true, csv: "waiting" });

/** The columns of the published pages, of the latency that `of` finds. */
function latencyColumns(of) {
  const plain = (head, key, csv) => column(head, (e) => of(e)?.[key], (e, marks) => figure(of(e)?.[key], { defect: of(e)?.defects?.[key] }, marks, e.context), { csv });
  const percent = (p, index) => column(`${p} %`, (e) => of(e)?.percentiles[index].nanos, (e, marks) => figure(of(e)?.percentiles[index].nanos, of(e)?.percentiles[index], marks, e.context), { csv: `p${p}_ns` });
  return [
    plain("Average", "average", "average_ns"), plain("Std", "deviation", "std_ns"), plain("Min", "min", "min_ns"), plain("Max", "max", "max_ns"),
    ...PERCENTILES.map(percent),
    column("Samples", (e) => of(e)?.samples, (e) => (of(e)?.samples == null ? "" : grouped(of(e).samples)), { csv: "samples" }),
    column("Lost", (e) => of(e)?.lost, (e) => (of(e)?.lost == null ? "" : el("span", { class: of(e).lost ? "bad" : null }, grouped(of(e).lost))), { csv: "lost" }),
  ];
}
const MEDIAN = column("Median of runs", (e) => e.latency?.median?.value, (e) => estimate(e.latency?.median, micros), { csv: "median_of_runs_ns", title: "Median of the repetitions' medians, with its 95 % confidence limits" });

/** A value with its limits. */
function estimate(value, show) {
  if (!value) return "";
  return value.limits ? el("span", {}, `${show(value.value)} `, el("span", { class: "limits" }, `${show(value.limits[0])}–${show(value.limits[1])}`)) : show(value.value);
}
