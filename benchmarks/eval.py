"""What an evaluation costs beside the encoding.

Run: python benchmarks/eval.py [--data-root DIR] [--model NAME] [--rounds N] [--quick]. Times are processor time of this process, so that neighbours
on the machine do not count. Figures and bars:
1. SugarCrepe's 7,511 items with the embeddings at hand (marking, intervals over items, the table): under 1 s.
2. Inputs a model was given against the distinct inputs it had to be given, over a whole suite: equal.
3. The suite over the bare encoding of the same distinct inputs: at most 1.1, for two workloads:
   `pictures`, SugarCrepe and SugarCrepe++ on the photos at hand (a few hundred captions, so that reading 12,000 items weighs most), and
   `compositional`, all of that suite that is there, with the text-only reading of SugarCrepe++ (about 14,000 captions; minutes; left out by --quick).
4. SugarCrepe's own procedure, one question at a time (open the image, encode it, encode two captions), over ours on the same items: no bar; the answers must be equal.
Leaves with 1 when a bar is missed.
"""
import argparse, statistics, sys, time, warnings
from pathlib import Path
import numpy as np
from bars import bar, leave
from concrete_jungle.compositional import sugarcrepe
from concrete_jungle.core import real_data
from concrete_jungle.embeddings import Embeddings, content_key, picture
from concrete_jungle.evaluation import answer, evaluate, find_images, load_benchmark, results
from concrete_jungle.models import load_model
from concrete_jungle.suites import SOURCES, SUITES, run_suite

def seconds(work):
    start = time.process_time(); res = work()
    return time.process_time() - start, res

class Counted:
    "An encoder that keeps what it is given."
    def __init__(self, model): self.model, self.name, self.images, self.texts = model, model.name, [], []; self.tokenizer, self.context_length = model.tokenizer, model.context_length
    def encode_image(self, images): self.images += [hash(im.tobytes()) for im in images]; return self.model.encode_image(images)
    def encode_text(self, texts): self.texts += texts; return self.model.encode_text(texts)

def scoring(files, rounds):
    "Seconds to mark and summarise all items with rows at hand: of each round."
    bench = sugarcrepe(files); rng = np.random.default_rng(0)
    rows = Embeddings(type("Rows", (), dict(name="rows", encode_image=None, encode_text=None))())
    image = {n: rng.normal(size=512).astype("f4") for n in bench.images}; rows.rows["text"] = {t: rng.normal(size=512).astype("f4") for i in bench.items for t in i.texts}
    rows.images = lambda found, label="": image   # no pictures are opened: their rows are at hand
    return [seconds(lambda: results(answer(rows, bench, image)))[0] for _ in range(rounds)]

def photos_of(names, root):
    "Files of the pictures that a suite shows, one a content."
    found = {}
    for name in names:
        s = SOURCES[name]
        if not (s.images and (root/s.data).is_dir() and any((root/s.data).glob(s.needs))): continue
        for p in find_images(load_benchmark(name, root/s.data), [root/i for i in s.images]).values(): found.setdefault(content_key(p), p)
    return list(found.values())

def suite(model, root, names, rounds):
    "Seconds of each round for the suite and for bare encoding; how many inputs; whether each was given once."
    photos = photos_of(names, root); counted = Counted(model); run = run_suite([counted], names, root); texts = sorted(set(counted.texts), key=lambda t: (len(t), t))
    once = len(counted.texts) == len(texts) == run.encoded.distinct_texts[0] and len(counted.images) == len(set(counted.images)) == len(photos)
    def bare(): model.encode_image([picture(p) for p in photos]); [model.encode_text(texts[i:i+128]) for i in range(0, len(texts), 128)]
    pairs = [(seconds(lambda: run_suite([model], names, root))[0], seconds(bare)[0]) for _ in range(rounds)]   # side by side, so that a slow minute slows both
    return pairs, len(photos), len(texts), once

def one_at_a_time(model, bench, found):
    "SugarCrepe's own evaluation: a picture and two captions a question, nothing kept."
    right = 0
    for i in (i for i in bench.items if i.images[0] in found):
        v = np.asarray(model.encode_image([picture(found[i.images[0]])])); s = [(v @ np.asarray(model.encode_text([t])).T).item() for t in i.texts]
        right += s[0] > s[1]
    return right

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = real_data("sugarcrepe"); parser.add_argument("--data-root", type=Path, default=here and here.parent, help="folder that holds sugarcrepe, sugarcrepe_pp and coco_free")
    parser.add_argument("--model", default="pocket"); parser.add_argument("--rounds", type=int, default=5, help="of everything but the workload `compositional`, which gets one"); parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    if args.data_root is None: return print("skipped: the data folder is absent; name it with --data-root")
    warnings.simplefilter("ignore")
    t = scoring(args.data_root/"sugarcrepe", args.rounds)
    bar("SugarCrepe's 7,511 items scored, embeddings at hand", statistics.median(t), 1, unit="s", more=f"{min(t):.2f} to {max(t):.2f} of {len(t)} rounds")
    model = load_model(args.model); model.encode_text(["warm"])
    for label, names, rounds in (("pictures", ["sugarcrepe", "sugarcrepe_pp"], args.rounds), ("compositional", SUITES["compositional"], 1)):
        if label == "compositional" and args.quick: continue
        pairs, images, texts, once = suite(model, args.data_root, names, rounds); ratios = [w/b for w, b in pairs]; r = statistics.median(ratios)
        bar(f"suite '{label}': every input encoded once (1: yes)", once, 1, least=True, more=f"{images} photos, {texts:,} captions")
        whole, bare = (statistics.median(p[k] for p in pairs) for k in (0, 1))
        bar(f"suite '{label}' over the bare encoding, {texts:,} captions, time", r, 1.1,
            more=f"{min(ratios):.3f} to {max(ratios):.3f} of {rounds} round{'s'*(rounds > 1)}; {whole:.1f} and {bare:.1f} s")
    bench = sugarcrepe(args.data_root/"sugarcrepe"); found = find_images(bench, args.data_root/"coco_free/images")
    rounds = [(seconds(lambda: one_at_a_time(model, bench, found)), seconds(lambda: evaluate(model, bench, images=args.data_root/"coco_free/images"))) for _ in range(min(args.rounds, 3))]
    same = all(round(table.set_index("subset").loc["micro"][["value", "n"]].prod()) == right for (_, right), (_, table) in rounds); slow, fast = (statistics.median(r[k][0] for r in rounds) for k in (0, 1))
    bar("one question at a time over ours, time", slow/fast, more=f"{slow:.1f} and {fast:.1f} s")
    bar("one question at a time and ours answer the same (1: yes)", same, 1, least=True)
    return leave()

if __name__ == "__main__": sys.exit(main())
