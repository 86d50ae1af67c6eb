"""The pictures in README and docs: python .ci/pictures.py demo FOLDER | gallery | widgets

demo: from a demo's report. gallery: a page of every figure of the built docs (_docs). widgets: screenshots of what
make test-browser left in build/browser, and of the docs' front page."""
import io, re, sys
from html import unescape
from pathlib import Path
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT/"nbs"/"images"

# ---- pictures ----

def beside(paths, height=520):
    "Pictures in a row, all of one height, on white."
    images = [Image.open(p).convert("RGB") for p in paths]
    images = [i.resize((round(i.width*height/i.height), height), Image.LANCZOS) for i in images]
    row = Image.new("RGB", (sum(i.width for i in images) + 30*(len(images)-1), height), "white")
    x = 0
    for i in images:
        row.paste(i, (x, 0))
        x += i.width + 30
    return row

def save_small(image, path, width, colours):
    "Save a picture no wider than that and of few colours, for the tree."
    image = image.convert("RGB")
    if image.width > width: image = image.resize((width, max(1, round(image.height*width/image.width))), Image.LANCZOS)
    few = image.quantize(colours, method=Image.Quantize.MEDIANCUT, kmeans=3, dither=Image.Dither.NONE)
    few.save(path, optimize=True)

# ---- the demo's figures, the widgets ----

def demo(folder):
    "Two pictures of a demo's report."
    figures = Path(folder)/"report"/"figures"
    save_small(Image.open(figures/"negatives.png"), OUT/"negatives.png", 1300, 256)
    save_small(beside([figures/"hard_share.png", figures/"scores.png"]), OUT/"demo.png", 1600, 128)

SHOTS = {"voila-margin": (0, 200, 1280, 870), "voila-gaps": (0, 200, 1280, 862), "voila-caption": (0, 200, 1280, 740),
         "notebook-batch": (0, 100, 1280, 700), "docs-front": None}   # screenshot -> what matters of it; no photograph in them

def widgets():
    "Screenshots of the widgets, as the browser test left them, cut to what matters."
    for name, box in SHOTS.items():
        image = Image.open(ROOT/"build"/"browser"/f"{name}.png").convert("RGB")
        if box: image = image.crop((*box[:2], min(box[2], image.width), min(box[3], image.height)))
        name = re.sub("voila-|notebook-", "explorer_", name).replace("-", "_")
        save_small(image, OUT/f"{name}.png", 1000, 96)

# ---- the gallery ----

HEAD = """---
title: Gallery
description: Every figure of these pages; each leads to the page that draws it. Made by .ci/pictures.py.
---

```{=html}
<div class="cj-gallery">
"""
FIGURE = ('<figure><a href="{page}"><img src="images/gallery/{stem}.png" alt="{said}"></a>'
          '<figcaption><a href="{page}">{title}</a></figcaption></figure>\n')
WITHIN = "f => f.parentElement.closest('svg') || f.closest('.cj-cards')"   # part of another figure, or a card

def is_figure(f):
    "Large enough to be worth a thumbnail, and a figure of its own."
    box = f.bounding_box()
    return box and box["width"] > 180 and box["height"] > 100 and not f.evaluate(WITHIN)

def alt_text(f, title):
    "What a figure is called, for an attribute."
    said = f.get_attribute("alt") or f.get_attribute("aria-label") or title
    said = unescape(re.sub(r"^Figure: ", "", said))
    return said.replace('"', "'").replace("&", "&amp;").replace("<", "&lt;")

PASSED = {"training": 2, "paper": 2, "views": 99} # Page -> its first figures that say nothing on their own, or stand on another page

def thumbnails(tab, page, folder):
    "Save the first two figures of a page, those left out apart; HTML for each."
    title = tab.locator("h1").first.inner_text()
    figures = [f for f in tab.locator("main .cell-output img, main .cell-output svg").all() if is_figure(f)]
    parts = []
    first = PASSED.get(page.removesuffix(".html"), 0)
    for k, f in enumerate(figures[first:first + 2]):
        stem = page.removesuffix(".html").replace("/", "-") + f"-{k}"
        said = alt_text(f, title)
        save_small(Image.open(io.BytesIO(f.screenshot())), folder/f"{stem}.png", 320, 32)
        parts.append(FIGURE.format(page=page, stem=stem, said=said, title=title))
    return parts

def gallery():
    "A thumbnail of every figure on the built site, two a page at most, and the page that shows them."
    from browser_docs import site_pages
    from browser_tools import chromium
    folder, parts = OUT/"gallery", []
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"): old.unlink()
    with chromium() as browser:
        tab = browser.new_page(viewport=dict(width=1280, height=900))
        for page in [n for n in site_pages() if n not in ("index.html", "gallery.html", "explore.html")]:
            tab.goto((ROOT/"_docs"/page).as_uri(), wait_until="load")
            parts += thumbnails(tab, page, folder)
    (ROOT/"nbs"/"gallery.qmd").write_text(HEAD + "".join(parts) + "</div>\n```\n")
    print(f"{len(parts)} figures, {sum(p.stat().st_size for p in folder.glob('*.png'))//1024} KB")

if __name__ == "__main__":
    tasks = dict(demo=demo, gallery=gallery, widgets=widgets)
    if len(sys.argv) < 2 or sys.argv[1] not in tasks: sys.exit(__doc__)
    tasks[sys.argv[1]](*sys.argv[2:])
