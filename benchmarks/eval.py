"""What an evaluation costs beside the encoding.

Run: python benchmarks/eval.py [--data-root DIR] [--model NAME]. Four figures:
1. SugarCrepe's 7,511 items with the embeddings at hand: marking, intervals over items, the table; bar 1 s.
2. The suite `compositional` (of it SugarCrepe and SugarCrepe++ where the rest is absent, with variants and baselines): inputs the model was given against distinct inputs; must be equal.
3. The time of that suite over the bare encoding of the same distinct inputs; bar 1.1. Minutes on a laptop: SugarCrepe++ has 14,000 captions.
4. SugarCrepe's own procedure, one question at a time (open the image, encode it, encode two captions), against ours on the same items.
Leaves with 1 when a bar is missed.
"""
import argparse, statistics, sys, tempfile, time, warnings
from pathlib import Path
import numpy as np
from concrete_jungle.compositional import sugarcrepe
from concrete_jungle.core import real_data
from concrete_jungle.embeddings import Embeddings, content_key, picture
from concrete_jungle.evaluation import answer, evaluate, find_images, load_benchmark, results
from concrete_jungle.models import load_model
from concrete_jungle.suites import run_suite

def seconds(work):
    start = time.perf_counter(); res = work()
    return time.perf_counter() - start, res

class Counted:
    "An encoder that counts what it is given, by content."
    def __init__(self, model): self.model, self.name, self.given = model, model.name, dict(image=[], text=[]); self.tokenizer, self.context_length = model.tokenizer, model.context_length
    def encode_image(self, images): self.given["image"] += [hash(im.tobytes()) for im in images]; return self.model.encode_image(images)
    def encode_text(self, texts): self.given["text"] += texts; return self.model.encode_text(texts)

def scoring(files):
    "Seconds to mark and summarise all items with rows at hand."
    bench = sugarcrepe(files); rng = np.random.default_rng(0)
    rows = Embeddings(type("Rows", (), dict(name="rows", encode_image=None, encode_text=None))())
    image = {n: rng.normal(size=512).astype("f4") for n in bench.images}; rows.rows["text"] = {t: rng.normal(size=512).astype("f4") for i in bench.items for t in i.texts}
    rows.images = lambda found, label="": image   # no pictures are opened: their rows are at hand
    return min(seconds(lambda: results(answer(rows, bench, image)))[0] for _ in range(3))

def suite_ratio(model, root, names, rounds):
    "Medians of suite and bare encoding, and whether every input was encoded once."
    photos = sorted({p for name in ("sugarcrepe", "sugarcrepe_pp") for p in find_images(load_benchmark(name, root/name), root/"coco_free/images").values()})
    counted = Counted(model); run_suite([counted], names, root); texts = sorted(set(counted.given["text"]), key=lambda t: (len(t), t))
    once = all(len(g) == len(set(g)) for g in counted.given.values()) and len(counted.given["image"]) == len({content_key(p) for p in photos})
    bare, whole = [], []
    for _ in range(rounds):
        bare.append(seconds(lambda: (model.encode_image(photos), [model.encode_text(texts[i:i+128]) for i in range(0, len(texts), 128)]))[0])
        whole.append(seconds(lambda: run_suite([model], names, root))[0])
    return statistics.median(whole), statistics.median(bare), statistics.median(w/b for w, b in zip(whole, bare)), once, len(photos), len(texts)

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
    parser.add_argument("--model", default="pocket"); parser.add_argument("--rounds", type=int, default=1); parser.add_argument("--suite", default="compositional")
    args = parser.parse_args()
    if args.data_root is None: return print("skipped: the data folder is absent; name it with --data-root")
    warnings.simplefilter("ignore"); fails = 0
    def say(text, ok): nonlocal fails; fails += not ok; print(f"{text} {'pass' if ok else 'MISS'}", flush=True)
    t = scoring(args.data_root/"sugarcrepe"); say(f"SugarCrepe, 7,511 items with rows at hand: {t:.2f} s (bar 1)", t < 1)
    model = load_model(args.model); model.encode_text(["warm"])
    whole, bare, ratio, once, images, texts = suite_ratio(model, args.data_root, args.suite, args.rounds)
    say(f"inputs encoded against distinct inputs, {images} photos and {texts} captions: equal", once)
    say(f"suite {whole:.1f} s, bare encoding {bare:.1f} s, ratio {ratio:.3f} (bar 1.1)", ratio <= 1.1)
    bench = sugarcrepe(args.data_root/"sugarcrepe"); found = find_images(bench, args.data_root/"coco_free/images")
    slow, right = seconds(lambda: one_at_a_time(model, bench, found)); fast, table = seconds(lambda: evaluate(model, bench, images=args.data_root/"coco_free/images"))
    same = round(table.set_index("subset").value["micro"]*148) == right
    say(f"one question at a time {slow:.1f} s, ours {fast:.1f} s, ratio {slow/fast:.1f}; the same answers", same)
    return int(fails > 0)

if __name__ == "__main__": sys.exit(main())
