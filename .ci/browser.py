"""Every widget and every page in a real browser: python .ci/browser.py [--only PART] (make test-browser).

Playwright drives Debian's Chromium. Screenshots go to build/browser/; look at them."""
import argparse, contextlib, json, os, shutil, socket, subprocess, sys, time, traceback, urllib.error, urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT, BIN = ROOT/"build"/"browser", Path(sys.executable).parent
FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync".split()
LONG = 120_000   # milliseconds for what trains or mines

def free_port():
    with socket.socket() as s: s.bind(("127.0.0.1", 0)); return s.getsockname()[1]

@contextlib.contextmanager
def server(words, path="", **env):
    "A server on a free port, stopped at the end; yields its address."
    port = free_port(); log = open(OUT/f"{words[0]}.log", "w"); url = f"http://127.0.0.1:{port}/"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(OUT/"home"), "JUPYTER_CONFIG_DIR": str(OUT/"config"), "IPYTHONDIR": str(OUT/"ipython"), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", **env}
    env.setdefault("CONCRETE_JUNGLE_DATA", str(data()) if data() else "")
    p = subprocess.Popen([str(w).replace("{port}", str(port)) for w in [BIN/words[0], *words[1:]]], cwd=OUT/"work", env={k: v for k, v in env.items() if v}, stdout=log, stderr=log)
    try:
        for _ in range(240):
            if p.poll() is not None: raise RuntimeError(f"{words[0]} ended: {(OUT/f'{words[0]}.log').read_text()[-800:]}")
            try: urllib.request.urlopen(url + path, timeout=120).close(); break
            except urllib.error.HTTPError: break                # it answers
            except OSError: time.sleep(.5)
        yield url
    finally: p.terminate(); p.wait(20); log.close()

def data():
    "Where the open photographs lie, if anywhere."
    for d in (os.environ.get("CONCRETE_JUNGLE_DATA"), ROOT.parent/"shared"/"data", Path.home()/".cache"/"concrete_jungle"):
        if d and (Path(d)/"coco_free"/"photos.json").exists(): return Path(d)

def notebook(name, *cells):
    "A notebook of these cells in the work folder."
    import nbformat
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells], metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}), OUT/"work"/name)

class Page:
    "A page whose console errors and failed requests are kept."
    def __init__(self, browser, width=1280, height=900, **kw):
        self.context = browser.new_context(viewport=dict(width=width, height=height), permissions=["clipboard-read", "clipboard-write"], **kw)
        self.page = self.context.new_page(); self.faults = []
        self.page.on("console", lambda m: m.type == "error" and self.faults.append(f"console: {m.text[:200]} ({m.location.get('url', '')[:120]})"))
        self.page.on("pageerror", lambda e: self.faults.append(f"error: {str(e)[:200]}"))
        self.page.on("response", lambda r: r.status >= 400 and self.faults.append(f"{r.status}: {r.url[:150]}"))
    def shot(self, name, whole=False): self.page.screenshot(path=OUT/f"{name}.png", full_page=whole)
    def close(self): self.context.close()

def run_all(p, url, name):
    "Open a notebook and run it; the app must be exposed."
    p.page.goto(url, wait_until="load")
    p.page.wait_for_function("""n => { const w = window.jupyterapp && window.jupyterapp.shell.currentWidget
        return w && w.context && w.context.path === n && w.sessionContext.session && w.sessionContext.session.kernel }""", arg=name, timeout=60_000)
    p.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")

# ---- the widgets ----

def drag(page, knob, by):
    "Drag a slider's handle so many pixels to the right, in small steps."
    knob.scroll_into_view_if_needed(); page.wait_for_timeout(200); b = knob.bounding_box(); x, y = b["x"] + b["width"]/2, b["y"] + b["height"]/2
    page.mouse.move(x, y); page.mouse.down()
    for k in range(1, 7): page.mouse.move(x + by*k/6, y); page.wait_for_timeout(60)
    page.mouse.up()

def handle(page, name):
    "The slider beside a labelled number field."
    return page.locator(".widget-hbox", has=page.get_by_label(name, exact=True)).last.get_by_role("slider").first

def drive_margin(p, name):
    "Move a slider by key, type a share, change the mode, copy the recipe, try it, cancel."
    page = p.page
    page.get_by_text("Margin over the keywords' concreteness").first.wait_for(timeout=LONG)
    note = page.locator(".cj-note"); before = note.inner_text()
    knob = handle(page, "m_max (logits)"); page.wait_for_timeout(1000); drag(page, knob, 12)
    page.wait_for_function("b => document.querySelector('.cj-note').innerText !== b", arg=before, timeout=20_000)
    field = page.get_by_label("m_max (logits)", exact=True); field.fill("2.48"); page.keyboard.press("Enter"); page.keyboard.press("ArrowUp")   # a step of .02 by key
    page.locator("pre", has_text="m_max: 2.5\n").first.wait_for(timeout=20_000)
    page.get_by_role("button", name="inverse").click(); page.locator("pre", has_text="loss: inverse").first.wait_for(timeout=20_000)
    page.get_by_role("button", name="Copy as recipe").click(); copied = page.evaluate("navigator.clipboard.readText()"); assert copied.startswith("base: slipform\nloss: inverse\nm_min: -2"), copied
    field = page.get_by_label("mean hard share", exact=True); field.fill("0.3"); page.keyboard.press("Enter"); page.locator(".cj-note", has_text="→ 0.30").or_(page.locator(".cj-note", has_text="→ 0.29")).wait_for(timeout=20_000)
    page.get_by_role("button", name="adaptive").click(); page.locator("pre", has_text="loss: adaptive").first.wait_for(timeout=20_000)
    p.shot(f"{name}-margin")
    page.get_by_role("button", name="Try it").click(); page.get_by_text("Embedding").or_(page.get_by_text("Training heads")).first.wait_for(timeout=LONG)
    now = note.inner_text(); drag(page, knob, -10)    # the page answers while it trains
    page.wait_for_function("b => document.querySelector('.cj-note').innerText !== b", arg=now, timeout=30_000)
    page.locator(".cj-tries").wait_for(timeout=2*LONG)
    told = page.locator(".cj-tries").inner_text(); assert all(w in told for w in ("InfoNCE: 0.", "unpaired: 0.", "try 1: adaptive", "over InfoNCE")), told
    page.get_by_role("button", name="Try it").click(); page.wait_for_timeout(300); page.get_by_role("button", name="Cancel").click(); page.get_by_text("Cancelled").wait_for(timeout=30_000)
    page.locator(".cj-tries").scroll_into_view_if_needed(); p.shot(f"{name}-margin-tried")

def drive_gap(p, name):
    page = p.page
    page.get_by_text("Logit gap against concreteness").first.wait_for(timeout=2*LONG)
    page.locator(".cj-cards article").first.wait_for(timeout=LONG); page.get_by_label("word").fill("dog")
    listed = lambda test: page.wait_for_function(f"""() => {{ const o = [...document.querySelectorAll(".widget-select-multiple select")].pop().options; return o.length && [...o].every(x => {test}) }}""", timeout=30_000)
    listed("x.text.toLowerCase().includes('dog')"); page.get_by_label("policies").select_option("random"); listed("x.text.includes('random')")
    page.get_by_label("rows", exact=True).select_option(index=0); page.locator(".cj-cards article").first.wait_for(timeout=20_000); page.wait_for_timeout(800)
    assert page.locator(".cj-cards article").count() == 1 and page.locator(".cj-cards article mark").count() == 2
    assert page.locator(".cj-cards article img").first.evaluate("i => i.naturalWidth") > 50
    page.get_by_label("export to").fill("chosen.csv"); page.keyboard.press("Tab"); page.get_by_role("button", name="Export").click(); page.get_by_text("1 rows written").wait_for(timeout=20_000)
    table = (OUT/"work"/"chosen.csv").read_text().splitlines(); assert len(table) == 2 and table[0].startswith("id,"), table[:1]
    p.shot(f"{name}-gap")

def drive_caption(p, name):
    page = p.page
    page.get_by_text("chance under hc").first.wait_for(timeout=LONG); page.locator("tr", has_text="fire station").first.wait_for()
    page.get_by_label("caption", exact=True).fill("A red cup is above a striped fish."); page.keyboard.press("Enter")
    page.locator("figure img").nth(1).wait_for(timeout=30_000); assert page.locator("figure img").nth(1).evaluate("i => i.naturalWidth") == 128
    page.get_by_label("policy").select_option("lc"); page.get_by_text("lc draws").wait_for(timeout=30_000); p.shot(f"{name}-caption")
    page.get_by_label("caption", exact=True).fill("<img src=x onerror=alert(1)><script>alert(2)</script> A cat & a <b>dog</b>."); page.keyboard.press("Enter")
    page.locator("tr", has_text="cat").first.wait_for(timeout=30_000); page.wait_for_timeout(500)
    assert page.locator("img[src='x']").count() == 0 and page.get_by_text("<script>").count() >= 0
    page.get_by_label("caption", exact=True).fill("zzz qqq"); page.keyboard.press("Enter"); page.get_by_text("nothing can be replaced").wait_for(timeout=30_000)

def drive_batch(p, name):
    page = p.page; marks = lambda: [l.split(",")[:2] for l in (OUT/"work"/"batch"/"marks.csv").read_text().splitlines()] if (OUT/"work"/"batch"/"marks.csv").exists() else []
    page.get_by_text("Row 1 of").wait_for(timeout=LONG); before = len(marks())
    assert page.locator(".cj-cards article img").first.evaluate("i => i.naturalWidth") > 20
    ids = [page.locator(".cj-cards .id").inner_text()]
    page.get_by_label("keys").click(); page.keyboard.type("gbu", delay=40); page.get_by_text("Row 4 of").wait_for(timeout=20_000)
    assert [m[1] for m in marks()[before:]] == ["good", "bad", "unsure"] and marks()[before][0] == ids[0], marks()
    page.keyboard.type("p"); page.get_by_text("Row 3 of").wait_for(timeout=20_000); page.get_by_text("marked unsure").wait_for(timeout=5000)
    page.get_by_role("button", name="bad (b)").click(); page.get_by_text("Row 4 of").wait_for(timeout=20_000); assert marks()[-1][1] == "bad"
    page.get_by_label("row", exact=True).fill("1"); page.keyboard.press("Enter"); page.get_by_text("Row 1 of").wait_for(timeout=20_000); p.shot(f"{name}-batch")

def mine_batch():
    "A small batch of drawn scenes for the browser to judge."
    sys.path.insert(0, str(ROOT)); shutil.rmtree(OUT/"work"/"batch", ignore_errors=True); shutil.rmtree(OUT/"work"/"world", ignore_errors=True)
    from concrete_jungle.scenes import save_world
    save_world(OUT/"work"/"world", 12); w = OUT/"work"/"world"
    subprocess.run([sys.executable, "-m", "concrete_jungle.cli", "plant", "--captions", w/"captions.jsonl", "--images", w/"images", "--imager", "scene", "--out", OUT/"work"/"batch"], check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL)

WIDGETS = {"MarginExplorer": drive_margin, "GapExplorer": drive_gap, "CaptionExplorer": drive_caption, "BatchBrowser": drive_batch}
APPS = {"lab": (["jupyter-lab", "--LabApp.expose_app_in_browser=True"], "lab/tree/{}?reset"), "notebook": (["jupyter-notebook", "--JupyterNotebookApp.expose_app_in_browser=True"], "notebooks/{}")}

def test_app(browser, app, only):
    "Every widget in JupyterLab, or in Notebook 7."
    words, path = APPS[app]
    for w in WIDGETS: notebook(f"{w}.ipynb", f"from concrete_jungle.widgets import {w}\nw = {w}({setup(w)})\nw", "w.value")
    with server([*words, "--allow-root", "--no-browser", "--ServerApp.port={port}", "--IdentityProvider.token=", "--ServerApp.root_dir=.", "--ServerApp.disable_check_xsrf=True"], "api") as url:
        for w, drive in WIDGETS.items():
            if only and only not in (app, w): continue
            with step(f"{w} in {app}"):
                p = Page(browser); run_all(p, url + path.format(f"{w}.ipynb"), f"{w}.ipynb")
                try: drive(p, app)
                except BaseException: p.shot(f"failed-{app}-{w}"); raise
                finally: p.close()

def setup(widget): return '"batch"' if widget == "BatchBrowser" else ""

def test_voila(browser):
    "The page of `make explore`: every tab."
    with server(["voila", ROOT/"nbs"/"explore.ipynb", "--no-browser", "--port={port}", "--Voila.ip=127.0.0.1", "--show_tracebacks=True"], "static/") as url, step("the Voila page"):
        p = Page(browser); page = p.page
        try:
            page.goto(url, timeout=2*LONG); page.locator(".cj-note").wait_for(timeout=2*LONG); before = page.locator(".cj-note").inner_text()
            drag(page, handle(page, "m_max (logits)"), 20); page.wait_for_function("b => document.querySelector('.cj-note').innerText !== b", arg=before, timeout=20_000); p.shot("voila-margin", True)
            page.get_by_role("tab", name="Caption").click(); page.get_by_text("chance under hc").first.wait_for(timeout=LONG); p.shot("voila-caption", True)
            page.get_by_role("tab", name="Gaps").click(); page.get_by_text("Logit gap against concreteness").first.wait_for(timeout=3*LONG); page.locator(".cj-cards article").first.wait_for(timeout=LONG); p.shot("voila-gaps", True)
            page.get_by_role("tab", name="Batch").click(); page.get_by_text("Row 1 of").wait_for(timeout=LONG); p.shot("voila-batch", True)
            faults = [f for f in p.faults if "fontawesome" not in f and "RUNTIME-012" not in f]    # Voila's own: icons from a CDN, a module it shares twice
            assert not faults, faults
        except BaseException: p.shot("failed-voila"); raise
        finally: p.close()

# ---- the docs ----

def site_pages(): return sorted(str(p.relative_to(ROOT/"_docs")) for p in (ROOT/"_docs").rglob("*.html"))

def page_links(page):
    "Links within the site, with their anchors; and images without alternative text or that did not load."
    return page.evaluate("""() => ({links: [...document.querySelectorAll("a[href]")].map(a => a.href).filter(h => h.startsWith(location.origin)),
        images: [...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src.slice(0, 80)),
        unnamed: [...document.querySelectorAll("main img, main svg")].filter(i => !i.closest(".katex") && !i.parentElement.closest("svg") && !(i.alt || i.getAttribute("aria-label") || i.closest("[role=img]:not(svg)"))).length,
        maths: document.querySelectorAll("main .katex").length, raw: [...document.querySelectorAll("main .math")].filter(m => !m.querySelector(".katex")).length,
        ids: [...document.querySelectorAll("[id]")].map(e => e.id), wide: document.documentElement.scrollWidth - document.documentElement.clientWidth})""")

def weight(page, url):
    "Bytes a page brings, by what the server sent."
    sizes = []; page.on("response", lambda r: sizes.append(int(r.headers.get("content-length", 0) or 0))); page.goto(url, wait_until="networkidle"); return sum(sizes)

def test_docs(browser):
    "Each page: no console error, no broken link or picture, maths set, named figures, nothing wider than a phone; search; the sliders."
    if not (ROOT/"_docs"/"index.html").exists(): subprocess.run([sys.executable, ".ci/docs.py"], cwd=ROOT, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    port = free_port(); server = subprocess.Popen([sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", str(ROOT/"_docs")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); base = f"http://127.0.0.1:{port}/"
    try:
        time.sleep(1); seen, ids, wide, heavy = {}, {}, [], {}
        with step("docs: every page"):
            phone, faults = Page(browser, 390, 800), []
            for name in site_pages():
                p = Page(browser)                               # of its own: nothing is cached
                heavy[name] = weight(p.page, base + name); found = page_links(p.page); seen[name] = found["links"]; ids[name] = set(found["ids"])
                faults += [f"{name}: {f}" for f in p.faults] + [f"{name}: picture {i}" for i in found["images"]] + [f"{name}: {found['unnamed']} figures without a name"]*bool(found["unnamed"]) + [f"{name}: {found['raw']} formulas not set"]*bool(found["raw"]); p.close()
                phone.page.goto(base + name, wait_until="load"); over = page_links(phone.page)["wide"]; wide += [f"{name}: {over} px wider than a phone"]*(over > 1)
            assert not faults + wide, "\n".join(faults + wide)
            name = max(heavy, key=heavy.get); print(f"        {len(heavy)} pages, heaviest {name} with {heavy[name]/1e6:.2f} MB"); assert heavy[name] < 1.5e6
        with step("docs: links"):
            broken = []
            for name, links in seen.items():
                for link in set(links):
                    path, _, anchor = link.removeprefix(base).partition("#"); path = (path.partition("?")[0] or "index.html")
                    if path.endswith(".html"):
                        if path not in ids: broken.append(f"{name} -> {path}")
                        elif anchor and anchor not in ids[path] and not anchor.startswith("category"): broken.append(f"{name} -> {path}#{anchor}")
                    elif not (ROOT/"_docs"/path).exists(): broken.append(f"{name} -> {path}")
            assert not broken, f"{len(broken)}: " + "\n".join(sorted(broken)[:40])
        with step("docs: search, front page, phone"):
            p = Page(browser); page = p.page; page.goto(base, wait_until="networkidle"); p.shot("docs-front")
            box = page.locator("input[type=search], .search input, #quarto-search input, input[placeholder*=earch]").first
            if not box.is_visible(): page.locator("[aria-label*=earch], .search, #quarto-search").first.click()
            page.keyboard.press("f") if not box.count() else box.fill("hard share"); page.wait_for_timeout(1500); p.shot("docs-search")
            hits = page.locator("a[href*='gradient.html']").count(); assert hits > 1, hits
            q = Page(browser, 390, 800); q.page.goto(base + "cement.html", wait_until="networkidle"); q.shot("docs-phone"); q.page.locator("#margin-explorer").scroll_into_view_if_needed(); q.shot("docs-phone-explorer")
        with step("docs: sliders without a kernel"):
            p = Page(browser); page = p.page; page.goto(base + "cement.html", wait_until="networkidle"); page.locator("#margin-explorer svg").first.wait_for()
            knob = page.locator("#margin-explorer input[data-key=m_max]"); knob.scroll_into_view_if_needed(); before = page.locator("#margin-explorer .cj-note").inner_text()
            b = knob.bounding_box(); page.mouse.move(b["x"] + b["width"]*8/12, b["y"] + b["height"]/2); page.mouse.down(); page.mouse.move(b["x"] + b["width"]*11/12, b["y"] + b["height"]/2, steps=6); page.mouse.up()
            after = page.locator("#margin-explorer .cj-note").inner_text(); assert after != before, after; knob.focus(); page.keyboard.press("ArrowLeft"); assert page.locator("#margin-explorer .cj-note").inner_text() != after
            page.locator("#margin-explorer").screenshot(path=OUT/"docs-explorer.png"); compare_formulas(page); assert not p.faults, p.faults
    finally: server.terminate(); server.wait(10)

def compare_formulas(page):
    "The page's arithmetic against `views`, on a grid, to 1e-9."
    sys.path.insert(0, str(ROOT)); import torch
    from concrete_jungle.cement import negative_margins
    from concrete_jungle.views import MODES, Setting, margin_view, shipped_rows
    rows, worst, count = shipped_rows(), 0., 0
    for mode in MODES:
        for low, high, mid, tau in ((-2, 2, 4, .15), (-6, 6, 1, .02), (0, 0, 3.3, 1.), (-1.5, 4.25, 5, .4)):
            s = Setting(mode, low, high, mid, tau, static=high/2); state = dict(mode=mode, static=s.static, **s.curve)
            grid = torch.linspace(1, 5, 81, dtype=torch.float64); mine = page.evaluate("([g, s]) => g.map(c => CJ.margin(c, s))", [grid.tolist(), state])
            worst = max(worst, (torch.tensor(mine, dtype=torch.float64) - negative_margins(s.margin, grid, grid[:, None])).abs().max().item()); count += 81
            for n in rows.easy:
                got, want = page.evaluate("([s, n]) => CJ.view(CJ_ROWS, s, n)", [state, n]), margin_view(rows, s, n)
                for k in (0, 1):
                    pairs = [(got[k]["by_rows"], want.by_rows[k]), (got[k]["by_sums"], want.by_sums[k]), (got[k]["hard"], want.hard[k]), (got[k]["easy"], want.easy[k]), *zip(got[k]["share"], want.share[k].tolist())]
                    assert got[k]["count"] == want.count, (got[k]["count"], want.count); worst = max([worst, *(abs(a - b) for a, b in pairs)]); count += len(pairs)
    assert worst < 1e-9, worst
    print(f"        {count:,} numbers, largest difference from Python {worst:.1e}")

RESULTS = []
@contextlib.contextmanager
def step(name):
    "Run a check, note how it went, go on."
    at = time.time()
    try: yield; RESULTS.append((name, "")); print(f"passed  {name} ({time.time()-at:.0f} s)", flush=True)
    except Exception as e: RESULTS.append((name, str(e))); print(f"FAILED  {name}: {type(e).__name__}: {str(e)[:1500]}", flush=True); traceback.print_exc(limit=-3)

def chromium():
    found = next((shutil.which(n) for n in ("chromium", "chromium-browser", "google-chrome") if shutil.which(n)), None)
    if not found: sys.exit("Chromium is not installed, so nothing was tested in a browser; on Debian or Ubuntu: sudo apt-get install -y chromium")
    return found

def main():
    parser = argparse.ArgumentParser(description=__doc__); parser.add_argument("--only", help="lab, notebook, voila, docs or a widget's name"); o = parser.parse_args()
    exe = chromium()
    from playwright.sync_api import sync_playwright
    for d in ("work", "home", "config"): (OUT/d).mkdir(parents=True, exist_ok=True)
    quiet = OUT/"config"/"lab"/"user-settings"/"@jupyterlab"/"apputils-extension"; quiet.mkdir(parents=True, exist_ok=True)
    (quiet/"notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
    if o.only in (None, *APPS, "BatchBrowser"): mine_batch()
    with sync_playwright() as pw:
        browser = pw.chromium.launch(executable_path=exe, args=FLAGS)
        for app in APPS: 
            if o.only in (None, app, *WIDGETS): test_app(browser, app, o.only)
        if o.only in (None, "voila"): test_voila(browser)
        if o.only in (None, "docs"): test_docs(browser)
        browser.close()
    bad = [n for n, why in RESULTS if why]
    print(f"{len(RESULTS)-len(bad)} passed, {len(bad)} failed; screenshots in {OUT.relative_to(ROOT)}"); sys.exit(bool(bad))

if __name__ == "__main__": main()
