"""Every page of the docs in Chromium: faults, links, pictures, maths, weight, a phone, search, the sliders without a kernel."""
import contextlib, os, subprocess, sys, time
from browser_tools import OUT, ROOT, SITE, Page, free_port, note, step

HEAVY = 1.5e6   # bytes of a page
FOUND = """() => {
    const all = (within, which) => [...within.querySelectorAll(which)]
    const named = i => i.alt || i.getAttribute("aria-label") || i.closest("[role=img]:not(svg)")
    const inside = i => i.closest(".katex") || i.parentElement.closest("svg")
    const root = document.documentElement
    return {
        links: all(document, "a[href]").map(a => a.href).filter(h => h.startsWith(location.origin)),
        images: [...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src.slice(0, 80)),
        unnamed: all(document, "main img, main svg").filter(i => !inside(i) && !named(i)).length,
        raw: all(document, "main .math").filter(m => !m.querySelector(".katex")).length,
        ids: all(document, "[id]").map(e => e.id),
        wide: root.scrollWidth - root.clientWidth } }"""

def site_pages():
    "Every page, relative to the site."
    return sorted(str(p.relative_to(SITE)) for p in SITE.rglob("*.html"))

@contextlib.contextmanager
def site():
    "The docs, built where they are not, and served; yields their address."
    quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not (SITE/"index.html").exists():
        subprocess.run([sys.executable, ".ci/docs.py"], cwd=ROOT, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, **quiet)
    port = str(free_port())
    server = subprocess.Popen([sys.executable, "-m", "http.server", port, "--bind", "127.0.0.1", "--directory", str(SITE)], **quiet)
    try:
        time.sleep(1)
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait(10)

def go(page, url):
    "Open a page and wait until it has all that it asks for; on a busy machine the network can rest before the page is read to its end."
    page.goto(url, wait_until="networkidle")
    page.wait_for_load_state("load")

# ---- every page ----

def weight(page, url):
    "Go to a page; the bytes that it brings, by what the server sent."
    sizes = []
    page.on("response", lambda r: sizes.append(int(r.headers.get("content-length", 0) or 0)))
    go(page, url)
    return sum(sizes)

def visit(browser, url):
    "What stands on a page, what it weighs and what is wrong with it."
    p = Page(browser)   # of its own: nothing is cached
    bytes = weight(p.page, url)
    found = p.page.evaluate(FOUND)
    faults = p.faults + [f"picture {i}" for i in found["images"]]
    if found["unnamed"]: faults.append(f"{found['unnamed']} figures without a name")
    if found["raw"]: faults.append(f"{found['raw']} formulas not set")
    p.close()
    return dict(links=found["links"], ids=set(found["ids"]), bytes=bytes, faults=faults)

def too_wide(phone, url):
    "A fault when a page is wider than a phone."
    phone.page.goto(url, wait_until="load")
    over = phone.page.evaluate(FOUND)["wide"]
    return [f"{over} px wider than a phone"] if over > 1 else []

def test_pages(browser, base, pages):
    "No console error, every picture there and named, maths set, nothing wider than a phone or too heavy; fills `pages`."
    phone, faults, wide = Page(browser, 390, 800), [], []
    for name in site_pages():
        pages[name] = visit(browser, base + name)
        faults += [f"{name}: {f}" for f in pages[name]["faults"]]
        wide += [f"{name}: {f}" for f in too_wide(phone, base + name)]
    assert not faults + wide, "\n".join(faults + wide)
    name = max(pages, key=lambda n: pages[n]["bytes"])
    print(f"        {len(pages)} pages, heaviest {name} with {pages[name]['bytes']/1e6:.2f} MB")
    assert pages[name]["bytes"] < HEAVY

def dead_end(link, base, pages):
    "The page, anchor or file that a link within the site misses, if any."
    path, _, anchor = link.removeprefix(base).partition("#")
    path = path.partition("?")[0] or "index.html"
    if not path.endswith(".html"): return None if (SITE/path).exists() else path
    if path not in pages: return path
    known = not anchor or anchor in pages[path]["ids"] or anchor.startswith("category")
    return None if known else f"{path}#{anchor}"

def test_links(base, pages):
    "Every link within the site leads somewhere."
    ends = [(name, dead_end(link, base, pages)) for name, page in pages.items() for link in set(page["links"])]
    broken = sorted(f"{name} -> {end}" for name, end in ends if end)
    assert not broken, f"{len(broken)}: " + "\n".join(broken[:40])

# ---- search, a phone, the sliders ----

def test_front(browser, base):
    "The search finds a room; pictures of the front page and of a phone."
    p = Page(browser)
    page = p.page
    go(page, base)
    p.shot("docs-front")
    box = page.locator("input[type=search], .search input, #quarto-search input, input[placeholder*=earch]").first
    if not box.is_visible(): page.locator("[aria-label*=earch], .search, #quarto-search").first.click()
    if box.count(): box.fill("hard share")
    else: page.keyboard.press("f")
    page.wait_for_timeout(1500)
    p.shot("docs-search")
    hits = page.locator("a[href*='gradient.html']").count()
    assert hits > 1, hits
    phone = Page(browser, 390, 800)
    go(phone.page, base + "cement.html")
    phone.shot("docs-phone")
    phone.page.locator("#margin-explorer").scroll_into_view_if_needed()
    phone.shot("docs-phone-explorer")

def drag_range(page, knob, start, end):
    "Drag the handle of a range from one share of its width to another."
    knob.scroll_into_view_if_needed()
    box = knob.bounding_box()
    y = box["y"] + box["height"]/2
    page.mouse.move(box["x"] + box["width"]*start, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"]*end, y, steps=6)
    page.mouse.up()

def test_explorer(browser, base):
    "The sliders of the docs by mouse and by key, and their arithmetic."
    p = Page(browser)
    page, explorer = p.page, p.page.locator("#margin-explorer")
    said = lambda: note(explorer)
    go(page, base + "cement.html")
    explorer.locator("svg").first.wait_for()
    knob, before = explorer.locator("input[data-key=m_max]"), said()
    drag_range(page, knob, 8/12, 11/12)
    after = said()
    assert after != before, after
    knob.focus()
    page.keyboard.press("ArrowLeft")
    assert said() != after
    explorer.screenshot(path=OUT/"docs-explorer.png")
    compare_formulas(page)
    assert not p.faults, p.faults

# ---- the page's arithmetic against Python's ----

CURVES = ((-2, 2, 4, .15), (-6, 6, 1, .02), (0, 0, 3.3, 1.), (-1.5, 4.25, 5, .4))   # m_min, m_max, c_mid, tau

def margin_gap(page, setting, state):
    "Largest difference of the margins over a grid of concreteness, and how many were compared."
    import torch
    from concrete_jungle.cement import negative_margins
    grid = torch.linspace(1, 5, 81, dtype=torch.float64)
    theirs = page.evaluate("([g, s]) => g.map(c => CJ.margin(c, s))", [grid.tolist(), state])
    ours = negative_margins(setting.margin, grid, grid[:, None])
    return (torch.tensor(theirs, dtype=torch.float64) - ours).abs().max().item(), len(grid)

def view_gap(page, rows, n, setting, state):
    "Largest difference of all that the picture shows at a batch of n, and how many numbers were compared."
    from concrete_jungle.views import margin_view
    got, want = page.evaluate("([s, n]) => CJ.view(CJ_ROWS, s, n)", [state, n]), margin_view(rows, setting, n)
    pairs = []
    for k in (0, 1):
        assert got[k]["count"] == want.count, (got[k]["count"], want.count)
        pairs += [(got[k][key], getattr(want, key)[k]) for key in ("by_rows", "by_sums", "hard", "easy")]
        pairs += zip(got[k]["share"], want.share[k].tolist())
    return max(abs(a - b) for a, b in pairs), len(pairs)

def compare_formulas(page):
    "The page's arithmetic against `views`, on a grid, to 1e-9."
    sys.path.insert(0, str(ROOT))
    from concrete_jungle.views import MODES, Setting, shipped_rows
    rows, gaps = shipped_rows(), []
    for mode in MODES:
        for low, high, mid, tau in CURVES:
            setting = Setting(mode, low, high, mid, tau, static=high/2)
            state = dict(mode=mode, static=setting.static, **setting.curve)
            gaps.append(margin_gap(page, setting, state))
            gaps += [view_gap(page, rows, n, setting, state) for n in rows.easy]
    worst, count = max(gap for gap, _ in gaps), sum(n for _, n in gaps)
    assert worst < 1e-9, worst
    print(f"        {count:,} numbers, largest difference from Python {worst:.1e}")

def test_docs(browser):
    "Every page, every link, the search, a phone, the sliders."
    pages = {}   # name -> links, ids, bytes, faults
    with site() as base:
        with step("docs: every page"): test_pages(browser, base, pages)
        with step("docs: links"): test_links(base, pages)
        with step("docs: search, front page, phone"): test_front(browser, base)
        with step("docs: sliders without a kernel"): test_explorer(browser, base)
