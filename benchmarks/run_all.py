"""`make bench`: every benchmark in turn, then one table, which becomes the docs page nbs/benchmarks.qmd.

Run: python benchmarks/run_all.py [name ...]. Names (`loss eval`) run those alone and leave the page as it is. Ratios are measured side by
side in one run; absolute figures belong to the machine that the page names. Leaves with 1 when a bar is missed."""
import argparse, datetime, importlib.metadata, json, os, platform, subprocess, sys, tempfile, time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent/"nbs"/"benchmarks.qmd"
NAMES = ("light", "selection", "captioners", "plant", "loss", "train", "train_gpu", "eval", "longcaptions", "drawing", "widgets")
MORE = dict(widgets=["--docs"])
VERSIONS = ("torch", "open_clip_torch", "spacy", "transformers", "pyarrow", "pandas")
WHY = json.loads((HERE/"missed.json").read_text())   # Figure -> why its bar is missed, in a sentence

HEAD = """---
title: Benchmarks
description: What the package costs beside the bare libraries, measured side by side
---

`make bench` printed this on {date} in {minutes:.0f} minutes: {machine}; {versions}. Processor time of one thread, unless a line \
says otherwise. A ratio compares two things that ran in turn in the same process; it carries over to other machines better than a \
rate does. No test depends on any of these.
"""

def machine()->str:
    "Processor, cores and memory, as far as the system says."
    try: cpu = next(line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    except (OSError, StopIteration): cpu = platform.processor() or platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE")*os.sysconf("SC_PHYS_PAGES")/2**30
    return f"{cpu}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GB of memory, Python {platform.python_version()}"

def missed(rows:list[dict])->list[dict]:
    "The figures whose bar does not hold."
    return [r for r in rows if r["result"] == "MISS"]

def run(
    name:str, # Of the benchmark
)->tuple[list[dict], float]: # Its figures, and the seconds it took
    "One benchmark in a process of its own."
    start, command = time.perf_counter(), [sys.executable, HERE/f"{name}.py", *MORE.get(name, [])]
    with tempfile.TemporaryDirectory() as d:
        lines = Path(d)/"lines"
        env = {**os.environ, "CONCRETE_JUNGLE_BARS": str(lines), "PYTHONPATH": str(HERE.parent), "OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, cwd=HERE.parent, env=env)
        rows = [dict(benchmark=name, **json.loads(line)) for line in lines.read_text().splitlines()] if lines.exists() else []
    if done.returncode and not missed(rows): sys.exit(f"benchmarks/{name}.py failed; its error stands above")
    return rows, time.perf_counter() - start

def table(name:str, rows:list[dict])->list[str]: # Lines of Markdown
    "The figures of one benchmark."
    head = ["", f"## {name}", "", f"`python benchmarks/{name}.py`", "", "| what | found | bar | | |", "|---|---|---|---|---|"]
    return head + [f"| {r['what']} | {r['found']} | {r['bar']} | {r['result']} | {r['more']} |" for r in rows]

def page(rows:list[dict], minutes:float)->str: # The docs page, as Quarto's Markdown
    "All figures by benchmark, the missed bars first with their reasons."
    judged, bad = [r for r in rows if r["result"]], missed(rows)
    versions = ", ".join(f"{v} {importlib.metadata.version(v)}" for v in VERSIONS)
    head = HEAD.format(date=datetime.date.today(), minutes=minutes, machine=machine(), versions=versions)
    out = [head, f"{len(judged) - len(bad)} of {len(judged)} bars hold." + (" Missed:" if bad else ""), ""]
    out += [f"- **{r['what']}**: {r['found']} ({r['bar']}). {WHY.get(r['what'], 'No reason is known yet.')}" for r in bad]
    for name in dict.fromkeys(r["benchmark"] for r in rows):
        out += table(name, [r for r in rows if r["benchmark"] == name])
    return "\n".join(out) + "\n"

def names()->tuple[str, ...]:
    "The benchmarks that the command line asks for; all without one."
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(NAMES))
    asked = parser.parse_args().names or NAMES
    if wrong := set(asked) - set(NAMES): parser.error(f"no benchmark {', '.join(sorted(wrong))}; there are {', '.join(NAMES)}")
    return asked

def main()->int: # Exit code
    asked, rows, start = names(), [], time.perf_counter()
    for name in asked:
        print(f"== {name}", flush=True)
        found, seconds = run(name)
        rows += found
        print(f"   {seconds:.0f} s", flush=True)
    print(f"\n{len(rows)} figures; bars missed: {', '.join(r['what'] for r in missed(rows)) or 'none'}")
    if asked == NAMES:
        PAGE.write_text(page(rows, (time.perf_counter() - start)/60))
        print(f"written: {PAGE.relative_to(HERE.parent)}")
    return int(bool(missed(rows)))

if __name__ == "__main__": sys.exit(main())
