"""How much selection adds to the parser: parse + look-up + choice against bare `nlp.pipe` with the same components.

Run: python benchmarks/selection.py [--captions FILE]. The longest captions of COCO's 5,000 validation images go through both in
turn, in blocks of 500 and several rounds, so that a busy machine slows both alike; the median of the blocks' ratios counts.
Leaves with 1 when the bar is missed. (Not called select.py: that would hide Python's own `select` from its neighbours.)
"""
import argparse, json, statistics, sys, time
from bars import bar, leave
from concrete_jungle.core import real_data
from concrete_jungle.parsing import load_parser, longest_caption
from concrete_jungle.sampling import select

BAR, BLOCK = .85, 500   # share of the bare parser's throughput; captions

def seconds(work):
    start = time.perf_counter(); work()
    return time.perf_counter() - start

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--captions", default=real_data("coco", "captions_val2017.json"), help="COCO captions, the published JSON")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    if args.captions is None: return print("skipped: captions_val2017.json is absent; name it with --captions")
    by_image, nlp, bare, full = {}, load_parser(), [], []
    with open(args.captions) as f:
        for a in json.load(f)["annotations"]: by_image.setdefault(a["image_id"], []).append(a["caption"])
    captions = [longest_caption(c) for c in by_image.values()]
    select(captions, nlp=nlp)   # warm: everything loaded, every word known to the parser
    for _ in range(args.rounds):
        for block in (captions[i:i+BLOCK] for i in range(0, len(captions), BLOCK)):
            bare.append(seconds(lambda: list(nlp.pipe(block)))/len(block)); full.append(seconds(lambda: select(block, nlp=nlp))/len(block))
    bar("selection, rate over the bare parser's", statistics.median(b/f for b, f in zip(bare, full)), BAR, least=True,
        more=f"{len(captions):,} captions; {1/statistics.median(bare):,.0f} and {1/statistics.median(full):,.0f} captions/s")
    return leave()

if __name__ == "__main__": sys.exit(main())
