"""What an evaluation costs beside the encoding.

Run: python benchmarks/eval.py [--data-root DIR] [--model NAME] [--rounds N] [--quick]. Times are processor time of this process,
so that neighbours on the machine do not count. Figures and bars:
1. SugarCrepe's 7,511 items with the embeddings at hand (marking, intervals over items, the table): under 1 s.
2. Inputs a model was given against the distinct inputs it had to be given, over a whole suite: equal.
3. The suite over the bare encoding of the same distinct inputs: at most 1.1, for two workloads:
   `pictures`, SugarCrepe and SugarCrepe++ on the photos at hand (a few hundred captions, so that reading 12,000 items weighs most), and
   `compositional`, all of that suite that is there, with the text-only reading of SugarCrepe++ (about 14,000 captions; minutes;
   left out by --quick).
4. SugarCrepe's own procedure, one question at a time (open the image, encode it, encode two captions), over ours on the same items:
   no bar; the answers must be equal.
Leaves with 1 when a bar is missed.
"""
import argparse, statistics, sys, warnings
from pathlib import Path
from types import SimpleNamespace
import numpy as np
from bars import bar, leave
from common import processor_seconds
from concrete_jungle.compositional import sugarcrepe
from concrete_jungle.core import real_data
from concrete_jungle.embeddings import Embeddings, content_key, picture
from concrete_jungle.evaluation import evaluate, find_images, load_benchmark, score_items, summarise
from concrete_jungle.models import load_model
from concrete_jungle.suites import BENCHMARK_DATA, SUITES, run_suite

class Counted:
    "An encoder that keeps what it is given."
    def __init__(self, model):
        self.model, self.name, self.images, self.texts = model, model.name, [], []
        self.tokenizer, self.context_length = model.tokenizer, model.context_length
    def encode_image(self, images):
        self.images += [hash(im.tobytes()) for im in images]
        return self.model.encode_image(images)
    def encode_text(self, texts):
        self.texts += texts
        return self.model.encode_text(texts)

def scoring(files, rounds):
    "1. All items marked and summarised with rows at hand."
    bench, rng = sugarcrepe(files), np.random.default_rng(0)
    rows = Embeddings(SimpleNamespace(name="rows", encode_image=None, encode_text=None))
    image = {name: rng.normal(size=512).astype("f4") for name in bench.images}
    rows.rows["text"] = {t: rng.normal(size=512).astype("f4") for i in bench.items for t in i.texts}
    rows.images = lambda found, label="": image   # no pictures are opened: their rows are at hand
    took = [processor_seconds(lambda: summarise(score_items(rows, bench, image)))[0] for _ in range(rounds)]
    bar("SugarCrepe's 7,511 items scored, embeddings at hand", statistics.median(took), 1, unit="s",
        more=f"{min(took):.2f} to {max(took):.2f} of {len(took)} rounds")

def photos_of(names, root):
    "Files of the pictures that a suite shows, one a content."
    photos = {}
    for name in names:
        source, data = BENCHMARK_DATA[name], root/BENCHMARK_DATA[name].data
        if not (source.images and data.is_dir() and any(data.glob(source.needs))): continue
        found = find_images(load_benchmark(name, data), [root/i for i in source.images])
        for path in found.values(): photos.setdefault(content_key(path), path)
    return list(photos.values())

def encode_all(model, photos, texts):
    "The bare encoding: every photo at once, the texts by lots of 128."
    model.encode_image([picture(p) for p in photos])
    for i in range(0, len(texts), 128): model.encode_text(texts[i:i+128])

def suite(model, root, label, names, rounds):
    "2 and 3. Whether each input was given once, and the suite over the bare encoding, side by side so that a slow minute slows both."
    photos, counted = photos_of(names, root), Counted(model)
    run = run_suite([counted], names, root)
    texts = sorted(set(counted.texts), key=lambda t: (len(t), t))
    texts_once = len(counted.texts) == len(texts) == run.encoded.distinct_texts[0]
    photos_once = len(counted.images) == len(set(counted.images)) == len(photos)
    bar(f"suite '{label}': every input encoded once (1: yes)", texts_once and photos_once, 1, least=True,
        more=f"{len(photos)} photos, {len(texts):,} captions")
    whole, bare = [], []
    for _ in range(rounds):
        whole.append(processor_seconds(lambda: run_suite([model], names, root))[0])
        bare.append(processor_seconds(lambda: encode_all(model, photos, texts))[0])
    ratios = [w/b for w, b in zip(whole, bare)]
    spread = f"{min(ratios):.3f} to {max(ratios):.3f} of {rounds} round{'s'*(rounds > 1)}"
    bar(f"suite '{label}' over the bare encoding, {len(texts):,} captions, time", statistics.median(ratios), 1.1,
        more=f"{spread}; {statistics.median(whole):.1f} and {statistics.median(bare):.1f} s")

def one_at_a_time(model, bench, found):
    "SugarCrepe's own evaluation: a picture and two captions a question, nothing kept; how many are right."
    right = 0
    for item in (i for i in bench.items if i.images[0] in found):
        image = np.asarray(model.encode_image([picture(found[item.images[0]])]))
        true, false = ((image @ np.asarray(model.encode_text([t])).T).item() for t in item.texts)
        right += true > false
    return right

def one_question(model, root, rounds):
    "4. SugarCrepe's own procedure over ours."
    bench, photos = sugarcrepe(root/"sugarcrepe"), root/"coco_free/images"
    found = find_images(bench, photos)
    slow, fast, same = [], [], True
    for _ in range(rounds):
        seconds, right = processor_seconds(lambda: one_at_a_time(model, bench, found))
        slow.append(seconds)
        seconds, table = processor_seconds(lambda: evaluate(model, bench, images=photos))
        fast.append(seconds)
        same &= round(table.set_index("subset").loc["micro"][["value", "n"]].prod()) == right
    slow, fast = statistics.median(slow), statistics.median(fast)
    bar("one question at a time over ours, time", slow/fast, more=f"{slow:.1f} and {fast:.1f} s")
    bar("one question at a time and ours answer the same (1: yes)", same, 1, least=True)

def arguments():
    "The command line."
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = real_data("sugarcrepe")
    parser.add_argument("--data-root", type=Path, default=here and here.parent,
                        help="folder that holds sugarcrepe, sugarcrepe_pp and coco_free")
    parser.add_argument("--model", default="pocket")
    parser.add_argument("--rounds", type=int, default=5, help="of everything but the workload `compositional`, which gets one")
    parser.add_argument("--quick", action="store_true")
    return parser.parse_args()

def main():
    args = arguments()
    if args.data_root is None: return print("skipped: the data folder is absent; name it with --data-root")
    warnings.simplefilter("ignore")
    scoring(args.data_root/"sugarcrepe", args.rounds)
    model = load_model(args.model)
    model.encode_text(["warm"])
    suite(model, args.data_root, "pictures", ["sugarcrepe", "sugarcrepe_pp"], args.rounds)
    if not args.quick: suite(model, args.data_root, "compositional", SUITES["compositional"], 1)
    one_question(model, args.data_root, min(args.rounds, 3))
    return leave()

if __name__ == "__main__": sys.exit(main())
