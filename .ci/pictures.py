"""README's pictures, from a demo's report: python .ci/pictures.py demo"""
import sys
from pathlib import Path
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]

def beside(paths, height=520):
    "Pictures in a row, all of one height, on white."
    images = [Image.open(p).convert("RGB") for p in paths]
    images = [i.resize((round(i.width*height/i.height), height), Image.LANCZOS) for i in images]
    row = Image.new("RGB", (sum(i.width for i in images) + 30*(len(images)-1), height), "white"); x = 0
    for i in images: row.paste(i, (x, 0)); x += i.width + 30
    return row

if __name__ == "__main__":
    figures = Path(sys.argv[1])/"report"/"figures"; out = ROOT/"nbs"/"images"; out.mkdir(exist_ok=True)
    Image.open(figures/"negatives.png").convert("RGB").save(out/"negatives.png", optimize=True)
    beside([figures/"hard_share.png", figures/"scores.png"]).save(out/"demo.png", optimize=True)
