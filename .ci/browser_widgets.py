"""Every widget in JupyterLab, in Notebook 7 and on the Voila page, driven as a person would."""
import os, shutil, subprocess, sys
from browser_tools import (LONG, OUT, ROOT, SOON, WORK, click, drag, fill, note, note_changes, opened, pixels, says, server, shown,
                           slider, step)

# ---- MarginExplorer ----

def recipe_says(page, text):
    "Wait for a line of the recipe."
    page.locator("pre", has_text=text).first.wait_for(timeout=SOON)

def drag_and_type(page):
    "A slider by mouse, a number by hand and a step by key."
    before, knob = note(page), slider(page, "m_max (logits)")
    page.wait_for_timeout(1000)
    drag(page, knob, 12)
    note_changes(page, before)
    fill(page, "m_max (logits)", "2.48")
    page.keyboard.press("ArrowUp")   # a step of .02
    recipe_says(page, "m_max: 2.5\n")

def copy_recipe(page):
    "Another mode, and its recipe on the clipboard."
    click(page, "inverse")
    recipe_says(page, "loss: inverse")
    click(page, "Copy as recipe")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("base: slipform\nloss: inverse\nm_min: -2"), copied

def wish_share(page):
    "A wanted hard share, typed; the margin follows."
    fill(page, "mean hard share", "0.3")
    reached = [page.locator(".cj-note", has_text=text) for text in ("→ 0.30", "→ 0.29")]
    reached[0].or_(reached[1]).wait_for(timeout=SOON)

def try_it(page):
    "Train heads; the page answers meanwhile, and the table compares."
    click(page, "Try it")
    page.get_by_text("Embedding").or_(page.get_by_text("Training heads")).first.wait_for(timeout=LONG)
    before = note(page)
    drag(page, slider(page, "m_max (logits)"), -10)
    note_changes(page, before, 30_000)
    page.locator(".cj-tries").wait_for(timeout=2*LONG)
    told = page.locator(".cj-tries").inner_text()
    assert all(w in told for w in ("InfoNCE: 0.", "unpaired: 0.", "try 1: adaptive", "over InfoNCE")), told

def cancel(page):
    "A try, given up."
    click(page, "Try it")
    page.wait_for_timeout(300)
    click(page, "Cancel")
    says(page, "Cancelled", 30_000)

def drive_margin(p, app):
    "Move a slider, type a share, change the mode, copy the recipe, try it, cancel."
    page = p.page
    shown(page, "Margin over the keywords' concreteness")
    drag_and_type(page)
    copy_recipe(page)
    wish_share(page)
    click(page, "adaptive")
    recipe_says(page, "loss: adaptive")
    p.shot(f"{app}-margin")
    try_it(page)
    cancel(page)
    page.locator(".cj-tries").scroll_into_view_if_needed()
    p.shot(f"{app}-margin-tried")

# ---- GapExplorer ----

def all_listed(page, test):
    "Wait until every row of the list passes a test in JavaScript, and there are some."
    page.wait_for_function(f"""() => {{
        const o = [...document.querySelectorAll(".widget-select-multiple select")].pop().options
        return o.length && [...o].every(x => {test}) }}""", timeout=30_000)

def choose_row(page):
    "Filter by word and by policy, then one row: its card has a picture and two marked words."
    cards = page.locator(".cj-cards article")
    page.get_by_label("word").fill("dog")
    all_listed(page, "x.text.toLowerCase().includes('dog')")
    page.get_by_label("policies").select_option("random")
    all_listed(page, "x.text.includes('random')")
    page.get_by_label("rows", exact=True).select_option(index=0)
    cards.first.wait_for(timeout=SOON)
    page.wait_for_timeout(800)
    assert cards.count() == 1 and cards.locator("mark").count() == 2
    assert pixels(cards.locator("img").first) > 50

def export_row(page):
    "The chosen row as a file."
    page.get_by_label("export to").fill("chosen.csv")
    page.keyboard.press("Tab")
    click(page, "Export")
    says(page, "1 rows written")
    table = (WORK/"chosen.csv").read_text().splitlines()
    assert len(table) == 2 and table[0].startswith("id,"), table[:1]

def drive_gap(p, app):
    "Filter the rows, choose one, export it."
    shown(p.page, "Logit gap against concreteness", 2*LONG)
    p.page.locator(".cj-cards article").first.wait_for(timeout=LONG)
    choose_row(p.page)
    export_row(p.page)
    p.shot(f"{app}-gap")

# ---- CaptionExplorer ----

def drive_caption(p, app):
    "A caption and its drawing, another policy, a caption full of HTML, one without a known word."
    page, figures = p.page, p.page.locator("figure img")
    shown(page, "chance under hc")
    page.locator("tr", has_text="fire station").first.wait_for()
    fill(page, "caption", "A red cup is above a striped fish.")
    figures.nth(1).wait_for(timeout=30_000)
    assert pixels(figures.nth(1)) == 128
    page.get_by_label("policy").select_option("lc")
    says(page, "lc draws", 30_000)
    p.shot(f"{app}-caption")
    fill(page, "caption", "<img src=x onerror=alert(1)><script>alert(2)</script> A cat & a <b>dog</b>.")
    page.locator("tr", has_text="cat").first.wait_for(timeout=30_000)
    page.wait_for_timeout(500)
    assert page.locator("img[src='x']").count() == 0
    fill(page, "caption", "zzz qqq")
    says(page, "nothing can be replaced", 30_000)

# ---- BatchBrowser ----

def marks():
    "Ids and verdicts kept so far."
    file = WORK/"batch"/"marks.csv"
    return [line.split(",")[:2] for line in file.read_text().splitlines()] if file.exists() else []

def mark_by_keys(page):
    "Good, bad, unsure by key; they are kept in order, the first for the row on show. Then a step back."
    before, first = len(marks()), page.locator(".cj-cards .id").inner_text()
    page.get_by_label("keys").click()
    page.keyboard.type("gbu", delay=40)
    says(page, "Row 4 of")
    kept = marks()[before:]
    assert [verdict for _, verdict in kept] == ["good", "bad", "unsure"] and kept[0][0] == first, marks()
    page.keyboard.type("p")
    says(page, "Row 3 of")
    says(page, "marked unsure", 5000)

def drive_batch(p, app):
    "Judge rows by key and by button, go to a row."
    page = p.page
    says(page, "Row 1 of", LONG)
    assert pixels(page.locator(".cj-cards article img").first) > 20
    mark_by_keys(page)
    click(page, "bad (b)")
    says(page, "Row 4 of")
    assert marks()[-1][1] == "bad"
    fill(page, "row", "1")
    says(page, "Row 1 of")
    p.shot(f"{app}-batch")

def mine_batch():
    "A small batch of drawn scenes for the browser to judge."
    sys.path.insert(0, str(ROOT))
    from concrete_jungle.scenes import save_world
    world, batch = WORK/"world", WORK/"batch"
    for folder in (world, batch): shutil.rmtree(folder, ignore_errors=True)
    save_world(world, 12)
    command = [sys.executable, "-m", "concrete_jungle.cli", "plant", "--captions", world/"captions.jsonl", "--images", world/"images",
               "--imager", "scene", "--out", batch]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL)

# ---- where they run ----

WIDGETS = {"MarginExplorer": drive_margin, "GapExplorer": drive_gap, "CaptionExplorer": drive_caption, "BatchBrowser": drive_batch}
TAKES = {"BatchBrowser": '"batch"'}   # what a widget is called with
APPS = {"lab": (["jupyter-lab", "--LabApp.expose_app_in_browser=True"], "lab/tree/{}?reset"),
        "notebook": (["jupyter-notebook", "--JupyterNotebookApp.expose_app_in_browser=True"], "notebooks/{}")}
OPEN = ["--allow-root", "--no-browser", "--ServerApp.port={port}", "--IdentityProvider.token=", "--ServerApp.root_dir=.",
        "--ServerApp.disable_check_xsrf=True"]
READY = """n => { const w = window.jupyterapp && window.jupyterapp.shell.currentWidget
    return w && w.context && w.context.path === n && w.sessionContext.session && w.sessionContext.session.kernel }"""

def write_notebook(widget):
    "A notebook in the work folder that shows a widget and its value."
    import nbformat
    cells = [f"from concrete_jungle.widgets import {widget}\nw = {widget}({TAKES.get(widget, '')})\nw", "w.value"]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells], metadata={"kernelspec": kernel})
    nbformat.write(nb, WORK/f"{widget}.ipynb")

def run_all(page, url, name):
    "Open a notebook and run it; the app must be exposed."
    page.goto(url, wait_until="load")
    page.wait_for_function(READY, arg=name, timeout=60_000)
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")

def test_app(browser, app, only):
    "Every widget in JupyterLab, or in Notebook 7."
    words, path = APPS[app]
    for widget in WIDGETS: write_notebook(widget)
    with server([*words, *OPEN], "api") as url:
        for widget, drive in WIDGETS.items():
            if only and only not in (app, widget): continue
            with step(f"{widget} in {app}"), opened(browser, f"{app}-{widget}") as p:
                run_all(p.page, url + path.format(f"{widget}.ipynb"), f"{widget}.ipynb")
                drive(p, app)

def open_tab(page, name):
    "Go to a tab of the Voila page."
    page.get_by_role("tab", name=name).click()

def drive_voila(p, url):
    "Every tab, and a slider on the first."
    page = p.page
    page.goto(url, timeout=2*LONG)
    page.locator(".cj-note").wait_for(timeout=2*LONG)
    before = note(page)
    drag(page, slider(page, "m_max (logits)"), 20)
    note_changes(page, before)
    p.shot("voila-margin", True)
    open_tab(page, "Caption")
    shown(page, "chance under hc")
    p.shot("voila-caption", True)
    open_tab(page, "Gaps")
    shown(page, "Logit gap against concreteness", 3*LONG)
    page.locator(".cj-cards article").first.wait_for(timeout=LONG)
    p.shot("voila-gaps", True)
    open_tab(page, "Batch")
    says(page, "Row 1 of", LONG)
    p.shot("voila-batch", True)

def test_voila(browser):
    "The page of `make explore`: every tab, and no fault but Voila's own: icons from a CDN, a module it shares twice."
    words = ["voila", ROOT/"nbs"/"explore.ipynb", "--no-browser", "--port={port}", "--Voila.ip=127.0.0.1", "--show_tracebacks=True"]
    with server(words, "static/") as url, step("the Voila page"), opened(browser, "voila") as p:
        drive_voila(p, url)
        faults = [f for f in p.faults if "fontawesome" not in f and "RUNTIME-012" not in f]
        assert not faults, faults
