"""The pictures in README and docs: python .ci/pictures.py demo FOLDER | gallery | widgets

demo: from a demo's report. gallery: a page of every figure of the built docs (_docs). widgets: screenshots of what make test-browser left in
build/browser, and of the docs' front page."""
import io, re, sys
from html import unescape
from pathlib import Path
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT/"nbs"/"images"

def beside(paths, height=520):
    "Pictures in a row, all of one height, on white."
    images = [Image.open(p).convert("RGB") for p in paths]
    images = [i.resize((round(i.width*height/i.height), height), Image.LANCZOS) for i in images]
    row = Image.new("RGB", (sum(i.width for i in images) + 30*(len(images)-1), height), "white"); x = 0
    for i in images: row.paste(i, (x, 0)); x += i.width + 30
    return row

def small(image, width, colours=64):
    "A picture of few colours, for the tree."
    image = image.convert("RGB"); image = image.resize((width, max(1, round(image.height*width/image.width))), Image.LANCZOS) if image.width > width else image
    return image.quantize(colours, method=Image.Quantize.MEDIANCUT, kmeans=3, dither=Image.Dither.NONE)

def demo(folder):
    figures = Path(folder)/"report"/"figures"
    small(Image.open(figures/"negatives.png"), 1300, 256).save(OUT/"negatives.png", optimize=True)
    small(beside([figures/"hard_share.png", figures/"scores.png"]), 1600, 128).save(OUT/"demo.png", optimize=True)

def widgets():
    "Screenshots of the widgets, as the browser test left them, cut to what matters."
    shots = ROOT/"build"/"browser"
    for name, box in {"voila-margin": (0, 0, 1280, 640), "voila-gaps": (0, 0, 1280, 1000), "voila-caption": (0, 0, 1280, 560), "voila-batch": (0, 0, 1280, 780), "docs-front": None}.items():
        image = Image.open(shots/f"{name}.png").convert("RGB")
        if box: image = image.crop((*box[:2], min(box[2], image.width), min(box[3], image.height)))
        small(image, 1000, 96).save(OUT/f"{name.replace('voila-', 'explorer_').replace('docs-front', 'docs_front')}.png", optimize=True)

HEAD = """---
title: Gallery
description: Every figure of these pages; each leads to the page that draws it. Made by .ci/pictures.py.
---

```{=html}
<div class="cj-gallery">
"""

def gallery():
    "A thumbnail of every figure on the built site, two a page at most, and the page that shows them."
    sys.path.insert(0, str(ROOT/".ci")); import browser as B
    from playwright.sync_api import sync_playwright
    folder = OUT/"gallery"; folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"): old.unlink()
    parts = []
    with sync_playwright() as pw:
        tab = pw.chromium.launch(executable_path=B.chromium(), args=B.FLAGS).new_page(viewport=dict(width=1280, height=900))
        for name in [n for n in B.site_pages() if n not in ("index.html", "gallery.html", "explore.html")]:
            tab.goto((ROOT/"_docs"/name).as_uri(), wait_until="load")
            figures = [f for f in tab.locator("main .cell-output img, main .cell-output svg").all() if (b := f.bounding_box()) and b["width"] > 180 and b["height"] > 100 and not f.evaluate("f => f.parentElement.closest('svg') || f.closest('.cj-cards')")]
            title = tab.locator("h1").first.inner_text()
            for k, f in enumerate(figures[:2]):
                said = f.get_attribute("alt") or f.get_attribute("aria-label") or title; stem = name.removesuffix(".html").replace("/", "-") + f"-{k}"
                small(Image.open(io.BytesIO(f.screenshot())), 320, 32).save(folder/f"{stem}.png", optimize=True)
                said = unescape(re.sub(r"^Figure: ", "", said)).replace('"', "'").replace("&", "&amp;").replace("<", "&lt;")
                parts.append(f'<figure><a href="{name}"><img loading="lazy" src="images/gallery/{stem}.png" alt="{said}"></a><figcaption><a href="{name}">{title}</a></figcaption></figure>\n')
    (ROOT/"nbs"/"gallery.qmd").write_text(HEAD + "".join(parts) + "</div>\n```\n")
    print(f"{len(parts)} figures, {sum(p.stat().st_size for p in folder.glob('*.png'))//1024} KB")

if __name__ == "__main__":
    tasks = dict(demo=demo, gallery=gallery, widgets=widgets)
    if len(sys.argv) < 2 or sys.argv[1] not in tasks: sys.exit(__doc__)
    tasks[sys.argv[1]](*sys.argv[2:])
