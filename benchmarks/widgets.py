"""What the widgets and the docs cost: a slider move to its new picture by rows, the docs' build time, the heaviest page.

Run: python benchmarks/widgets.py [--docs]. A move is everything the kernel does: numbers, SVG, the new state; processor time, medians.
--docs builds the site as well (minutes) and leaves with 1 when a page weighs 1.5 MB or more."""
import argparse, os, re, statistics, subprocess, sys, time
from pathlib import Path
import pandas as pd, torch
from bars import bar, leave
from concrete_jungle.views import MarginRows
from concrete_jungle.widgets import GapExplorer, MarginExplorer

ROOT, BAR, HEAVY = Path(__file__).resolve().parents[1], .1, 1.5e6

def rows(n):
    "Made-up rows of a run."
    g = torch.Generator().manual_seed(0); x = torch.randn(3, n, generator=g)
    return MarginRows(1 + 4*torch.rand(n, generator=g), *(5*x[:2]), {256: 5*x[2] + 5, 1024: 5*x[2] + 6.4})

def table(n):
    "Made-up gaps."
    g = torch.Generator().manual_seed(0); c = (1 + 4*torch.rand(n, generator=g)).numpy()
    return pd.DataFrame(dict(id=range(n), score=c, gap=c - 2 + torch.randn(n, generator=g).numpy(), kind="object", policy="hc", keyword="dog", replacement="cat", caption="A dog.", negative_caption="A cat.", start=2, end=5, image="")).astype(dict(id=str))

def median(move, values):
    "Median processor seconds of a move."
    took = []
    for v in values:
        t = time.process_time(); move(v); took.append(time.process_time() - t)
    return statistics.median(took)

def heaviest():
    "Page and bytes: its HTML and everything of the site that it names, as a browser without a cache would fetch."
    site, sizes = ROOT/"_docs", {}
    for p in site.rglob("*.html"):
        named = {(p.parent/m).resolve() for m in re.findall(r'(?:src|href)="([^":?#]+\.(?:css|js|png|svg|woff2?))"', p.read_text())}
        sizes[str(p.relative_to(site))] = p.stat().st_size + sum(f.stat().st_size for f in named if f.is_file())
    return max(sizes.items(), key=lambda k: k[1])

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter); p.add_argument("--docs", action="store_true"); p.add_argument("--moves", type=int, default=20)
    o = p.parse_args(); torch.set_num_threads(1)
    for n in (1000, 10_000, 100_000):
        m, e = MarginExplorer(rows(n)), GapExplorer(table(n))
        slide = median(lambda v: setattr(m.sliders["m_max"], "value", v), [2 + .02*(k+1) for k in range(o.moves)])
        wish = median(lambda v: setattr(m.share, "value", v), [.2 + .02*(k % 20) for k in range(o.moves)]); gap = median(lambda v: setattr(e.c, "value", (v, 5)), [1 + .05*(k+1) for k in range(o.moves//2)])
        for what, took, limit in (("margin slider", slide, BAR), ("wanted share", wish, None), ("gap filter", gap, None)):
            bar(f"{what} moved, {n:,} rows", took*1e3, limit and limit*1e3, unit="ms cpu")
    if o.docs:
        t, before = time.perf_counter(), os.times()
        subprocess.run([sys.executable, ROOT/".ci"/"docs.py"], cwd=ROOT, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = os.times(); cpu = after.children_user + after.children_system - before.children_user - before.children_system
        bar("docs site built", time.perf_counter() - t, unit="s", more=f"{cpu:.0f} s of processor")
    if (ROOT/"_docs"/"index.html").exists():
        name, size = heaviest(); bar("heaviest page, with its styles, scripts and pictures", size/1e6, HEAVY/1e6, unit="MB", more=name)
    return leave()

if __name__ == "__main__": sys.exit(main())
