// The MarginExplorer of `widgets` without a kernel: the formulas of `cement` and `views`, in plain JavaScript.
// .ci/browser.py compares them with Python on a grid.
const CJ = (() => {
  const sigmoid = x => x >= 0 ? 1/(1 + Math.exp(-x)) : Math.exp(x)/(1 + Math.exp(x))
  const logaddexp = (a, b) => Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)))
  const BINS = [1, 2.5, 3, 3.5, 4, 4.5, 5]
  function margin(c, s) {                       // Concrete Jungle, section 2.3
    if (s.mode === "none") return 0
    if (s.mode === "static") return s.static
    return s.m_min + (s.m_max - s.m_min)*sigmoid((s.mode === "adaptive" ? 1 : -1)*(c - s.c_mid)/s.tau)
  }
  function bin(c) { let k = 0; while (k < BINS.length - 2 && c >= BINS[k + 1]) k++; return k }
  function view(rows, s, n) {                   // [without, with]: as `views.margin_view`
    const easy = rows.easy[n], R = rows.c.length, one = m => {
      const sum = BINS.slice(1).map(() => 0), count = sum.slice(); let rowsMean = 0, push = 0, pull = 0
      for (let i = 0; i < R; i++) {
        const hard = rows.hard[i] + m(rows.c[i]), share = sigmoid(hard - easy[i]), p = sigmoid(logaddexp(hard, easy[i]) - rows.own[i]), k = bin(rows.c[i])
        sum[k] += share; count[k]++; rowsMean += share/R; push += share*p/R; pull += p/R
      }
      return {share: sum.map((x, k) => x/count[k]), by_rows: rowsMean, by_sums: push/pull, hard: push, easy: pull - push, count}
    }
    return [one(() => 0), one(c => margin(c, s))]
  }
  return {margin, view, sigmoid, BINS}
})()
function cjExplorer(box, rows) {
  const N = Object.keys(rows.easy).map(Number), state = {mode: "adaptive", m_min: -2, m_max: 2, c_mid: 4, tau: .15, static: 1, n: 256}
  const sliders = [["m_min", "m_min (logits)", -6, 6, .05], ["m_max", "m_max (logits)", -6, 6, .05], ["c_mid", "midpoint c̃", 1, 5, .05], ["tau", "width τ", .02, 1, .01], ["static", "static margin", -6, 6, .05]]
  const make = (tag, props = {}, parent) => { const e = Object.assign(document.createElement(tag), props); if (parent) parent.append(e); return e }
  box.innerHTML = ""; const panel = make("div", {className: "cj-panel"}, box), picture = make("div", {className: "cj-pictures"}, box), note = make("p", {className: "cj-note"}, box)
  note.setAttribute("role", "status")
  const field = (key, name, input, out) => { const l = make("label", {}, panel); make("span", {textContent: name}, l); l.append(input); if (out) l.append(out); return input }
  const mode = field("mode", "margin", make("select"))
  for (const m of ["adaptive", "inverse", "static", "none"]) make("option", {value: m, textContent: m}, mode)
  mode.onchange = () => { state.mode = mode.value; show() }
  for (const [k, name, min, max, step] of sliders) {
    const out = make("output", {textContent: state[k].toFixed(2)}), s = field(k, name, Object.assign(make("input", {type: "range"}), {min, max, step, value: state[k]}), out); s.dataset.key = k
    s.oninput = () => { state[k] = +s.value; push(k); show() }
  }
  const n = field("n", "pairs N", make("select")); for (const m of N) make("option", {value: m, textContent: m.toLocaleString("en"), selected: m === state.n}, n)
  n.onchange = () => { state.n = +n.value; show() }
  const recipe = make("pre", {className: "cj-recipe"}, panel)
  function push(k) { if (state.m_min > state.m_max) { if (k === "m_min") state.m_max = state.m_min; else state.m_min = state.m_max } }   // the ends push each other
  const P = {w: 340, h: 230, left: 46, top: 28, right: 328, bottom: 192}
  const chart = (title, says, x, y, xlabel, xt, yt, inner) => {
    const X = v => P.left + (v - x[0])/(x[1] - x[0])*(P.right - P.left), Y = v => P.bottom - (Math.min(Math.max(v, y[0]), y[1]) - y[0])/(y[1] - y[0])*(P.bottom - P.top)
    const grid = yt.map(v => `<path d="M${P.left} ${Y(v)}H${P.right}" stroke="#e4e4e4"/><text x="${P.left - 5}" y="${Y(v) + 3.5}" text-anchor="end">${v}</text>`).join("")
    const ticks = xt.map(v => `<text x="${X(v)}" y="${P.bottom + 14}" text-anchor="middle">${v}</text>`).join("")
    return `<svg viewBox="0 0 ${P.w} ${P.h}" role="img" aria-label="${says}"><text x="8" y="15" font-size="12" font-weight="600">${title}</text>${grid}${ticks}<path d="M${P.left} ${P.bottom}H${P.right}" stroke="#555"/><text x="${(P.left + P.right)/2}" y="${P.h - 6}" text-anchor="middle">${xlabel}</text>${inner(X, Y)}</svg>`
  }
  const line = (pts, style) => `<path d="M${pts.map(p => p.map(v => v.toFixed(1)).join(" ")).join("L")}" fill="none" ${style}/>`
  const hist = Array(40).fill(0); for (const c of rows.c) hist[Math.min(39, Math.floor((c - 1)*10))]++
  const top = Math.max(...hist)
  function show() {
    for (const s of panel.querySelectorAll("input")) { const k = s.dataset.key; s.value = state[k]; s.nextSibling.textContent = state[k].toFixed(2); s.disabled = state.mode === "none" || (k === "static") !== (state.mode === "static") }
    const [before, after] = CJ.view(rows, state, state.n), grid = [...Array(161).keys()].map(i => 1 + i/40), m = grid.map(c => CJ.margin(c, state)), high = Math.max(3, Math.ceil(Math.max(...m.map(Math.abs)) + .2))
    const first = chart("Margin over the keywords' concreteness", `Margin from ${m[0].toFixed(2)} to ${m[160].toFixed(2)} logits`, [1, 5], [-high, high], "concreteness c (bars: rows)", [1, 2, 3, 4, 5], [-high, 0, high], (X, Y) =>
      hist.map((h, i) => `<rect x="${X(1 + i/10)}" width="${X(1.1) - X(1)}" y="${Y(-high + h/top*1.9*high)}" height="${P.bottom - Y(-high + h/top*1.9*high)}" fill="#d5d8dc"/>`).join("") + line(grid.map((c, i) => [X(c), Y(m[i])]), 'stroke="#D55E00" stroke-width="2.5"'))
    const stairs = (v, X, Y) => v.share.flatMap((s, k) => [[X(CJ.BINS[k]), Y(s)], [X(CJ.BINS[k + 1]), Y(s)]])
    const second = chart("Hard share by concreteness", `Mean hard share ${before.by_rows.toFixed(3)} without the margin, ${after.by_rows.toFixed(3)} with it`, [1, 5], [0, 1], "concreteness c", [1, 2, 3, 4, 5], [0, .25, .5, .75, 1], (X, Y) =>
      line(stairs(before, X, Y), 'stroke="#777" stroke-width="2" stroke-dasharray="4 3"') + line(stairs(after, X, Y), 'stroke="#0072B2" stroke-width="2"') + `<text x="${X(1.05)}" y="${Y(.93)}" fill="#777">– – without</text><text x="${X(1.05)}" y="${Y(.84)}" fill="#0072B2">— with the margin</text>`)
    const third = chart("What pushes, in a mean row", `The hard negative gets ${(100*before.by_sums).toFixed(1)} % of the push without the margin and ${(100*after.by_sums).toFixed(1)} % with it`, [0, 1], [0, 2], "gradient on wrong captions (at most 1)", [0, .25, .5, .75, 1], [], (X, Y) =>
      [before, after].map((v, k) => `<rect x="${X(0)}" y="${Y(1.65 - k)}" width="${X(v.hard) - X(0)}" height="33" fill="#D55E00"/><rect x="${X(v.hard)}" y="${Y(1.65 - k)}" width="${X(v.hard + v.easy) - X(v.hard)}" height="33" fill="#d5d8dc"/><text x="${X(0)}" y="${Y(1.72 - k)}">${k ? "with the margin" : "without"}: hard ${v.hard.toFixed(3)} (${(100*v.by_sums).toFixed(1)} %), easy ${v.easy.toFixed(3)}</text>`).join(""))
    picture.innerHTML = [first, second, third].map(s => `<div>${s}</div>`).join("")
    note.textContent = `Mean hard share over rows ${before.by_rows.toFixed(3)} → ${after.by_rows.toFixed(3)}, sum over sum ${before.by_sums.toFixed(3)} → ${after.by_sums.toFixed(3)}, at N = ${state.n.toLocaleString("en")} pairs. Rows: ${rows.c.length.toLocaleString("en")} (${rows.model}).`
    const g = v => String(+v.toFixed(4))
    recipe.textContent = "base: slipform\n" + (state.mode === "none" ? "loss: infonce" : state.mode === "static" ? `loss: static\nstatic_margin: ${g(state.static)}` : `loss: ${state.mode}\nm_min: ${g(state.m_min)}\nm_max: ${g(state.m_max)}\nc_mid: ${g(state.c_mid)}\ntau: ${g(state.tau)}`)
  }
  show()
}
if (typeof document !== "undefined") document.addEventListener("DOMContentLoaded", () => { const box = document.getElementById("margin-explorer"); if (box && window.CJ_ROWS) cjExplorer(box, window.CJ_ROWS) })
