"""Every check of `make test`: the tree is consistent, then every notebook runs. Closes with `N passed, N failed`."""
import argparse, filecmp, os, shutil, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
LIMIT_KB = 300
SLOWEST_FIRST = ["20_studies", "08_plant", "08b_scale", "21_cli", "mined", "04b_llm", "04_captioning", "03_sampling", "11_models",
                 "12_training"]   # so that two workers end together

def notebooks():
    "Every notebook of the tree."
    return sorted(p for p in (ROOT/"nbs").rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)

def run(cmd, cwd, **env):
    "Run a command; what it printed is in `stdout`."
    return subprocess.run([str(c) for c in cmd], cwd=cwd, env={**os.environ, **env}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")

# ---- the tree: each check gives back what is wrong, or "" ----

def differing(a, b, suffix):
    "Files of one kind that are not the same in two folders."
    rel = lambda d: {p.relative_to(d) for p in Path(d).rglob(f"*{suffix}") if ".ipynb_checkpoints" not in p.parts}
    return sorted(str(f) for f in rel(a) | rel(b)
                  if not ((a/f).exists() and (b/f).exists() and filecmp.cmp(a/f, b/f, shallow=False)))

def in_copy(command, folder, suffix, remedy):
    "Run a command on a copy of the tree; fail when it changes the folder."
    left_out = shutil.ignore_patterns(".venv", ".git", "_docs", "_proc", "demo", "__pycache__")
    with tempfile.TemporaryDirectory() as d:
        copy = Path(d)/"tree"
        shutil.copytree(ROOT, copy, symlinks=True, ignore=left_out)
        done = run(command, copy, PYTHONPATH=str(copy))
        if done.returncode: return done.stdout
        changed = differing(ROOT/folder, copy/folder, suffix)
        return f"{', '.join(changed)}: {remedy}" if changed else ""

def exports():
    "The library is what the notebooks export."
    return in_copy([BIN/"nbdev_export"], "concrete_jungle", ".py", "differ from the notebooks; run: nbdev_export")

def clean():
    "The notebooks hold nothing that nbdev_clean would take."
    return in_copy([BIN/"nbdev_clean"], "nbs", ".ipynb", "not clean; run: nbdev_clean")

def sizes():
    "No notebook is too large to review."
    big = [f"{p.relative_to(ROOT)} ({p.stat().st_size//1024} KB)" for p in notebooks() if p.stat().st_size > LIMIT_KB*1000]
    return f"over {LIMIT_KB} KB, trim the outputs: {', '.join(big)}" if big else ""

def made(script):
    "What a script makes of the tree is what lies there."
    done = run([sys.executable, f".ci/{script}.py", "--check"], ROOT)
    return done.stdout if done.returncode else ""

TREE = {"exports match the notebooks": exports, "notebooks are clean": clean, f"notebooks are under {LIMIT_KB} KB": sizes,
        "README matches nbs/index.ipynb": lambda: made("readme"),
        "the drawing of the rooms matches the imports": lambda: made("rooms")}

# ---- the notebooks ----

def notebook(path, skips):
    "Run a notebook's tests; what is wrong, or \"\"."
    done = run([BIN/"nbdev_test", "--path", path, "--do_print"], ROOT, CONCRETE_JUNGLE_SKIPS=str(skips), HF_HUB_OFFLINE="1",
               OMP_NUM_THREADS=os.environ.get("OMP_NUM_THREADS", "1"), MPLBACKEND="agg")
    return done.stdout if done.returncode else ""

def chosen(parts):
    "The notebooks whose names contain one of these parts; without parts all. The slowest first."
    books = [p for p in notebooks() if not parts or any(part in str(p) for part in parts)]
    rank = lambda p: next((i for i, s in enumerate(SLOWEST_FIRST) if s in p.name), len(SLOWEST_FIRST))
    return sorted(books, key=rank)

def run_notebooks(books, workers):
    "Run notebooks side by side; whether each passed, and what they skipped for want of data."
    with tempfile.TemporaryDirectory() as d, ThreadPoolExecutor(workers) as pool:
        skips = Path(d)/"skips"
        passed = list(pool.map(lambda p: timed(str(p.relative_to(ROOT)), lambda: notebook(p, skips)), books))
        return passed, sorted(set(skips.read_text().split("\n")) - {""}) if skips.exists() else []

# ---- the report ----

def report(name, seconds, error):
    "A line a check, with what is wrong; whether it passed."
    print(f"{'ok  ' if not error else 'FAIL'} {name} ({seconds:.0f} s)", flush=True)
    if error: print("     " + error.strip()[-6000:].replace("\n", "\n     "), flush=True)
    return not error

def timed(name, check):
    "Run a check and report it."
    start = time.time()
    error = check()
    return report(name, time.time()-start, error)

def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("only", nargs="*", help="parts of notebook names; without them, everything is checked")
    ap.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1))
    args = ap.parse_args()
    results = [] if args.only else [timed(name, check) for name, check in TREE.items()]
    passed, absent = run_notebooks(chosen(args.only), args.workers)
    results += passed
    if absent:
        print(f"Skipped for want of real data ($CONCRETE_JUNGLE_DATA or ../shared/data): {', '.join(absent)}")
        if os.environ.get("CONCRETE_JUNGLE_REQUIRE_DATA"):
            results.append(report("real data is present", 0, "cells were skipped: " + ", ".join(absent)))
    failed = results.count(False)
    print(f"{len(results)-failed} passed, {failed} failed, {len(absent)} skipped")
    sys.exit(bool(failed))

if __name__ == "__main__": main()
