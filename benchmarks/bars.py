"""What every benchmark here prints: a line a figure, with its bar. `run_all.py` gathers the same lines into one table."""
import json, os

MISSED = []   # of this process

def bar(
    what:str, # What was measured, of what size
    found:float, # The figure
    limit:float|None=None, # Its bar; none for a figure that is only told
    least:bool=False, # The bar is the least that will do, not the most
    unit:str="", # Of the figure; a ratio has none
    more:str="", # Spread, rounds, absolute values
)->bool: # Whether the bar holds
    "Print one figure beside its bar; keep it for `run_all.py` and for the exit code (`leave`)."
    good = limit is None or (found >= limit if least else found <= limit)
    if not good: MISSED.append(what)
    told = "" if limit is None else f"{'at least' if least else 'at most'} {limit:g}"
    result = "" if limit is None else "pass" if good else "MISS"
    value = f"{found:,.0f}" if abs(found) >= 1000 else f"{found:.3g}"
    print(f"{what:<66} {f'{value} {unit}':<18} {told:<15} {result:<5} {more}".rstrip(), flush=True)
    keep(dict(what=what, found=f"{value} {unit}".strip(), bar=told, result=result, more=more))
    return good

def keep(row:dict):
    "Append a figure to the file that `run_all.py` named, if it did."
    if path := os.environ.get("CONCRETE_JUNGLE_BARS"):
        with open(path, "a") as f: f.write(json.dumps(row) + "\n")

def leave()->int: # 1 when a bar was missed
    "The exit code of a benchmark."
    return int(bool(MISSED))
