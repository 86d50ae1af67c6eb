"""What the widgets and the docs cost: a slider move to its new picture by rows, the docs' build time, the heaviest page.

Run: python benchmarks/widgets.py [--docs]. A move is everything the kernel does: numbers, SVG, the new state; processor time, medians.
--docs builds the site as well (minutes) and leaves with 1 when a page weighs 1.5 MB or more."""
import argparse, os, re, statistics, subprocess, sys, time
from pathlib import Path
import pandas as pd, torch
from bars import bar, leave
from common import childrens_seconds, processor_seconds
from concrete_jungle.views import MarginRows
from concrete_jungle.widgets import GapExplorer, MarginExplorer

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT/"_docs"
MOVE, HEAVY = 100, 1.5   # milliseconds; MB
NAMED = re.compile(r'(?:src|href)="([^":?#]+\.(?:css|js|png|svg|woff2?))"')   # files of the site that a page fetches

def rows(n):
    "Made-up rows of a run."
    g = torch.Generator().manual_seed(0)
    first, second, easy = torch.randn(3, n, generator=g)
    concreteness = 1 + 4*torch.rand(n, generator=g)
    return MarginRows(concreteness, 5*first, 5*second, {256: 5*easy + 5, 1024: 5*easy + 6.4})

def table(n):
    "Made-up gaps."
    g = torch.Generator().manual_seed(0)
    score = (1 + 4*torch.rand(n, generator=g)).numpy()
    gap = score - 2 + torch.randn(n, generator=g).numpy()
    told = dict(kind="object", policy="hc", keyword="dog", replacement="cat", caption="A dog.", negative_caption="A cat.")
    return pd.DataFrame(dict(id=range(n), score=score, gap=gap, **told, start=2, end=5, image="")).astype(dict(id=str))

def moved(knob, values):
    "Median processor milliseconds of setting a widget to each of these values."
    return statistics.median(processor_seconds(lambda: setattr(knob, "value", v))[0] for v in values)*1e3

def moves(n, count):
    "A margin slider, a wanted share and a filter of gaps, moved so many times over n rows."
    margin, gaps = MarginExplorer(rows(n)), GapExplorer(table(n))
    slide = moved(margin.sliders["m_max"], [2 + .02*(k+1) for k in range(count)])
    share = moved(margin.share, [.2 + .02*(k % 20) for k in range(count)])
    cut = moved(gaps.c, [(1 + .05*(k+1), 5) for k in range(count//2)])
    for what, took, limit in (("margin slider", slide, MOVE), ("wanted share", share, None), ("gap filter", cut, None)):
        bar(f"{what} moved, {n:,} rows", took, limit, unit="ms cpu")

def build_docs():
    "The site, built anew."
    start, cpu = time.perf_counter(), childrens_seconds()
    quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([sys.executable, ROOT/".ci"/"docs.py"], cwd=ROOT, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, **quiet)
    bar("docs site built", time.perf_counter() - start, unit="s", more=f"{childrens_seconds() - cpu:.0f} s of processor")

def weight(page):
    "Bytes of a page: its HTML and everything of the site that it names, as a browser without a cache would fetch."
    named = {(page.parent/name).resolve() for name in NAMED.findall(page.read_text())}
    return page.stat().st_size + sum(f.stat().st_size for f in named if f.is_file())

def heaviest_page():
    "The page of the site that weighs most."
    weights = {page: weight(page) for page in SITE.rglob("*.html")}
    page = max(weights, key=weights.get)
    bar("heaviest page, with its styles, scripts and pictures", weights[page]/1e6, HEAVY, unit="MB", more=str(page.relative_to(SITE)))

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--docs", action="store_true")
    p.add_argument("--moves", type=int, default=20)
    o = p.parse_args()
    torch.set_num_threads(1)
    for n in (1000, 10_000, 100_000): moves(n, o.moves)
    if o.docs: build_docs()
    if (SITE/"index.html").exists(): heaviest_page()
    return leave()

if __name__ == "__main__": sys.exit(main())
