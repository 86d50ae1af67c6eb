"""What drawing costs: scenes of the drawn world, figures and a smoothed curve over 100,000 rows.

Run: python benchmarks/drawing.py [--rows 100000]. Leaves with 1 when a bar is missed."""
import argparse, sys
import matplotlib
matplotlib.use("Agg")
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
from bars import bar, leave
from common import processor_seconds
from concrete_jungle.associations import local_regression
from concrete_jungle.figures import plot_concreteness, plot_gap
from concrete_jungle.paper import plot_gradient, plot_similarities
from concrete_jungle.scenes import World, draw

SCENES, SECONDS = 500, 5   # scenes a second; seconds for a figure

def scenes(n:int=400):
    "Scenes written and drawn in a second, with warm sprites."
    def some(seed):
        for _, scene, _ in World(n, seed=seed): draw(scene)
    for seed in range(3): some(seed)
    seconds, _ = processor_seconds(lambda: some(3))
    bar("scenes written and drawn", n/seconds, SCENES, least=True, unit="scenes/s", more=f"{n} scenes, one core")

def tables(rows:int)->dict: # Figure -> what it draws
    "Made-up tables of so many rows, as the figures take them."
    rng = np.random.default_rng(0)
    score, policy = rng.uniform(1, 5, rows), rng.choice(["hc", "lc", "wo"], rows)
    gaps = pd.DataFrame(dict(score=score, gap=score + rng.normal(size=rows), image_id=np.arange(rows)//5, policy=policy))
    sides = pd.DataFrame(dict(score=score, policy=policy, positive=rng.uniform(0, 1, rows), negative=rng.uniform(0, 1, rows)))
    steps = pd.DataFrame(dict(step=np.arange(rows), pull=.5, hard_share_sum=.3))
    return {plot_concreteness: gaps, plot_gap: gaps, plot_similarities: sides, plot_gradient: steps}

def figures(rows:int):
    "Seconds to draw each figure."
    for plot, table in tables(rows).items():
        def drawn():
            plot(table)
            plt.gcf().canvas.draw()
        seconds, _ = processor_seconds(drawn)
        plt.close("all")
        bar(f"{plot.__name__}, {rows:,} rows", seconds, SECONDS, unit="s cpu")

def curve(rows:int):
    "Seconds for a smoothed curve with its band."
    rng = np.random.default_rng(0)
    seconds, _ = processor_seconds(lambda: local_regression(rng.uniform(1, 5, rows), rng.normal(size=rows)))
    bar(f"local_regression with its band, {rows:,} rows", seconds, 10, unit="s cpu")

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000, help="of each table (default 100000)")
    rows = parser.parse_args().rows
    scenes()
    figures(rows)
    curve(rows)
    return leave()

if __name__ == "__main__": sys.exit(main())
