"""How light the package is: time to import each light module and to load the lexicon, each in a fresh process.

Run: python benchmarks/light.py [--runs 7]. Leaves with 1 when a bar is missed. The bar is on wall time;
the processor time beside it tells a slow import from a busy machine.
"""
import argparse, importlib.util, json, statistics, subprocess, sys
from bars import bar, leave

BAR = .3   # seconds, for every row
LIGHT = ("", "core", "concreteness", "parsing", "sampling", "captioning", "scenes", "imaging", "batch", "plant", "models", "cli")
HEAVY = ("torch", "open_clip", "transformers", "diffusers", "spacy", "matplotlib", "seaborn", "pandas", "scipy")
CODE = """import json, sys, time
start, cpu = time.perf_counter(), time.process_time()
{statement}
took, cpu = time.perf_counter() - start, time.process_time() - cpu
print(json.dumps([took, cpu, [h for h in {heavy} if h in sys.modules]]))"""
CLOCK = "start, cpu = time.perf_counter(), time.process_time()"   # starts after the import, which has its own row

def once(code):
    "Wall seconds, processor seconds and heavy libraries of one fresh process."
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)

def measure(statement, runs):
    "Median wall and processor seconds over fresh processes, and the heavy libraries that were loaded."
    code = CODE.format(statement=statement, heavy=HEAVY)
    wall, cpu, heavy = zip(*(once(code) for _ in range(runs)))
    return statistics.median(wall), statistics.median(cpu), heavy[0]

def rows():
    "What to time: a name and the statement."
    for m in LIGHT:
        name = f"concrete_jungle.{m}".rstrip(".")
        if importlib.util.find_spec(name): yield f"import {name}", f"import {name}"
    lexicon = "from concrete_jungle.concreteness import Lexicon"
    for call in ("Lexicon()", "Lexicon(source='muraki')", "Lexicon(source='visual')"): yield call, f"{lexicon}; {CLOCK}; {call}"
    yield "Lexicon() again", f"{lexicon}; Lexicon(); {CLOCK}; Lexicon()"
    yield "import and Lexicon()", f"{lexicon}; Lexicon()"

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="processes a row; the median counts")
    runs = parser.parse_args().runs
    for name, statement in rows():
        wall, cpu, heavy = measure(statement, runs)
        bar(name, wall, BAR, unit="s", more=f"{cpu:.3f} s of processor; {', '.join(heavy) or 'nothing heavy'} loaded")
        if "torch" in heavy: bar(f"{name}: torch is loaded", 1, 0)
    return leave()

if __name__ == "__main__": sys.exit(main())
