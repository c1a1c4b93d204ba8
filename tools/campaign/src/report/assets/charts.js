// Charts: lines over a common axis, with zoom by mouse, by buttons and by keys.

const CHARTS = new Set();
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** 1, 2, 5 of each decade within the range; 1 alone where there are many decades. */
function decades(min, max) {
  const steps = Math.log10(max / min) > 4.2 ? [1] : Math.log10(max / min) > 2.2 ? [1, 3] : [1, 2, 5];
  const ticks = [];
  for (let power = Math.floor(Math.log10(min)); power <= Math.ceil(Math.log10(max)); power++)
    for (const step of steps) {
      const tick = Number(`${step}e${power}`);
      if (tick >= min && tick <= max) ticks.push(tick);
    }
  return ticks;
}

/** Powers of two, as many as there is room for. */
function powers(min, max, room) {
  const [low, high] = [Math.ceil(Math.log2(min)), Math.floor(Math.log2(max))];
  const step = Math.max(1, Math.ceil((high - low + 1) / Math.max(2, room)));
  const ticks = [];
  for (let power = low; power <= high; power += step) ticks.push(2 ** power);
  return ticks;
}

const AXES = {
  size: { label: "Sample size", log: 2, ticks: powers, show: (v) => (v % 1 ? "" : bytes(v)), linear: (v) => short(v) + "B", room: 64 },
  rate: { label: "Samples per second", log: 10, ticks: decades, show: short, linear: short, room: 60 },
  rarity: { label: "Percentile", log: 10, ticks: decades1, show: percentile, linear: percentile, room: 64, always: true },
};
function decades1(min, max) { return decades(min, max).filter((v) => /^1(e|0*$)/.test(String(v))); }
function percentile(rarity) { return rarity <= 1 ? "0 %" : `${Number((100 - 100 / rarity).toPrecision(12))} %`; }

/**
 * A chart that redraws itself. `describe()` gives {x: name of an axis, y: label, show, lines: [{name, ink, dash, thin, points:
 * [[x, y, low, high]]}]}; a ghost goes on where its line is no longer sure; called again by `renew`.
 */
function chart(title, describe, controls = []) {
  const plot = el("div", { class: "plot", tabindex: 0, role: "group", "aria-roledescription": "chart" });
  // Paper has no controls, so it says what was chosen.
  const chosen = el("span", { class: "chosen" });
  const lines = el("div", { class: "lines", role: "group", "aria-label": `Lines: ${title}` });
  const where = el("p", { class: "where" });
  const button = (text, label, act) => el("button", { type: "button", "aria-label": `${label}: ${title}`, title: label, onclick: act }, text);
  const reset = button("1:1", "Show all", () => zoom(0));
  const sheet = el("div", { class: "sheet chart" },
    el("div", { class: "top" }, el("h4", {}, title, chosen), ...controls,
      el("span", { class: "zoom" }, button("−", "Zoom out", () => zoom(2)), button("+", "Zoom in", () => zoom(0.5)), reset)),
    plot, where, lines);
  let u = null, given = null, whole = null;
  const hidden = new Set();

  const logX = () => AXES[given.x].always || state.log;
  const ahead = (v) => (logX() ? Math.log(v) : v);
  const back = (v) => (logX() ? Math.exp(v) : v);

  /** Multiplies what is seen; 0 shows all. */
  function zoom(factor, shift = 0) {
    if (!u || !whole) return;
    let [min, max] = whole;
    if (factor) {
      const [low, high] = [ahead(u.scales.x.min), ahead(u.scales.x.max)];
      const middle = (low + high) / 2 + shift * (high - low), half = ((high - low) / 2) * factor;
      [min, max] = [Math.max(whole[0], back(middle - half)), Math.min(whole[1], back(middle + half))];
      if (!(max > min)) return;
    }
    u.setScale("x", { min, max });
  }
  plot.addEventListener("keydown", (event) => {
    const act = { "+": [0.5], "=": [0.5], "-": [2], 0: [0], ArrowLeft: [1, -0.2], ArrowRight: [1, 0.2] }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    zoom(...act);
  });

  const height = () => (plot.clientWidth < 500 ? 250 : 320);
  function options() {
    const axis = AXES[given.x], log = state.log;
    const grid = { stroke: () => ink("--hair"), width: 1 };
    const look = { stroke: () => ink("--soft"), grid, ticks: { stroke: () => ink("--line"), size: 5 }, font: "11.5px system-ui, DejaVu Sans, sans-serif", labelFont: "600 11.5px system-ui, DejaVu Sans, sans-serif", labelSize: 20 };
    const room = () => Math.floor(plot.clientWidth / axis.room);
    const few = (ticks) => ticks.filter((_, i) => i % Math.max(1, Math.ceil(ticks.length / Math.max(2, room()))) === 0);
    const wide = (u, min, max) => (min == null ? [0.1, 10] : log ? [min / 1.25, max * 1.25] : [0, max * 1.06]);
    const wideX = (u, min, max) => (min == null ? [1, 10] : min === max ? [min / 2, max * 2] : [min, max]);
    return {
      width: Math.max(200, plot.clientWidth), height: height(), pxAlign: 0, padding: [10, 14, 0, 0],
      legend: { show: false }, cursor: { points: { size: 7 }, drag: { x: true, y: false }, y: false },
      scales: { x: { time: false, distr: logX() ? 3 : 1, log: axis.log, range: wideX }, y: { distr: log ? 3 : 1, range: wide } },
      axes: [
        { ...look, label: axis.label, size: 34, splits: logX() ? (u, i, min, max) => few(axis.ticks(min, max, room())) : undefined,
          filter: (u, ticks) => ticks, values: (u, ticks) => ticks.map(logX() ? axis.show : axis.linear), space: axis.room },
        { ...look, label: given.y, size: 58, splits: log ? (u, i, min, max) => decades(min, max) : undefined,
          filter: (u, ticks) => ticks, values: (u, ticks) => ticks.map((v) => (v == null ? "" : short(v))) },
      ],
      series: [{}, ...given.lines.map((line) => ({
        label: line.name, stroke: () => ink(line.ink), width: line.thin || line.ghost ? 1.4 : 2.2, dash: line.ghost ? [2, 3] : line.dash, spanGaps: true, show: !hidden.has(line.name),
        // Two points are no course.
        paths: given.x !== "rarity" && line.points.length < 3 ? () => null : undefined,
        points: { show: !line.ghost && line.points.length < 30, size: line.thin ? 5 : 6.5, fill: () => ink(line.thin ? "--sheet" : line.ink), stroke: () => ink(line.ink), width: 1.4 },
      }))],
      hooks: { draw: [whiskers], setCursor: [read], setScale: [(u, key) => key === "x" && seen()] },
    };
  }
  function seen() {
    const all = !whole || (u && u.scales.x.min <= whole[0] * 1.0001 && u.scales.x.max >= whole[1] * 0.9999);
    reset.disabled = all;
    plot.dataset.zoomed = String(!all);
  }
  /** The limits of each point, where they are wide enough to be seen. */
  function whiskers(u) {
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    u.ctx.clip();
    given.lines.forEach((line, index) => {
      if (!u.series[index + 1].show) return;
      u.ctx.strokeStyle = ink(line.ink);
      u.ctx.lineWidth = 1.2 * devicePixelRatio;
      for (const [x, , low, high] of line.points) {
        if (!(high > low) || x < u.scales.x.min || x > u.scales.x.max) continue;
        const [at, top, bottom] = [u.valToPos(x, "x", true), u.valToPos(high, "y", true), u.valToPos(low, "y", true)];
        if (bottom - top < 2) continue;
        u.ctx.beginPath();
        for (const y of [top, bottom]) { u.ctx.moveTo(at - 4, y); u.ctx.lineTo(at + 4, y); }
        u.ctx.moveTo(at, top); u.ctx.lineTo(at, bottom);
        u.ctx.stroke();
      }
    });
    u.ctx.restore();
  }
  /** Says what lies under the cursor. */
  function read(u) {
    const index = u.cursor.idx, axis = AXES[given.x];
    const x = index == null ? null : u.data[0][index];
    where.textContent = x == null ? "" : `At ${axis.show(x) || trim(x)}`;
    lines.querySelectorAll("button").forEach((button, index) => {
      const named = given.lines.filter((line) => line.name === given.lines.filter((l) => !l.ghost)[index].name);
      const y = x == null ? null : nearest(named.flatMap((line) => line.points), x);
      button.querySelector(".at").textContent = y == null ? "" : given.show(y);
    });
  }
  function nearest(points, x) {
    let best = null;
    for (const point of points) if (best === null || Math.abs(ahead(point[0]) - ahead(x)) < Math.abs(ahead(best[0]) - ahead(x))) best = point;
    return best?.[1] ?? null;
  }
  function legend() {
    lines.replaceChildren(...given.lines.filter((line) => !line.ghost).map((line) => el("button", {
      type: "button", "aria-pressed": String(!hidden.has(line.name)), onclick: (event) => {
        if (!hidden.delete(line.name)) hidden.add(line.name);
        event.currentTarget.setAttribute("aria-pressed", String(!hidden.has(line.name)));
        given.lines.forEach((other, at) => other.name === line.name && u.setSeries(at + 1, { show: !hidden.has(line.name) }));
      },
    }, el("span", { class: `swatch ${line.dash ? (line.dash[0] < 4 ? "dotted" : "dashed") : ""}`, style: `--swatch: var(${line.ink})` }), line.name, el("span", { class: "at" }))));
  }
  const self = {
    sheet,
    renew() {
      given = describe();
      chosen.textContent = controls.map((control) => `, ${control.selectedOptions[0]?.text ?? ""}`).join("");
      given.lines = given.lines.filter((line) => line.points.length);
      u?.destroy();
      u = whole = null;
      legend();
      where.textContent = "";
      sheet.hidden = false;
      if (!given.lines.length) {
        plot.replaceChildren(el("p", { class: "note" }, "Nothing was measured here."));
        return;
      }
      plot.replaceChildren();
      plot.setAttribute("aria-label", `${title}. Lines: ${[...new Set(given.lines.map((l) => l.name))].join("; ")}. Plus and minus zoom, arrows move, 0 shows all. The tables hold the same figures.`);
      const xs = given.lines.flatMap((line) => line.points.map((point) => point[0]));
      // uPlot lays the lines over one axis: the union of their places.
      const data = uPlot.join(given.lines.map((line) => [line.points.map((p) => p[0]), line.points.map((p) => p[1])]));
      u = new uPlot(options(), data, plot);
      const [low, high] = [Math.min(...xs), Math.max(...xs)];
      whole = [u.scales.x.min ?? low, u.scales.x.max ?? high];
      seen();
    },
    fit() { u?.setSize({ width: Math.max(200, plot.clientWidth), height: height() }); },
    repaint() { u?.redraw(false, true); },
  };
  CHARTS.add(self);
  new ResizeObserver(() => { if (u && plot.clientWidth !== u.width) self.fit(); }).observe(plot);
  return self;
}
