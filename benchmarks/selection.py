"""How much selection adds to the parser: parse + look-up + choice against bare `nlp.pipe` with the same components.

Run: python benchmarks/selection.py [--captions FILE]. The longest captions of COCO's 5,000 validation images go through both in
turn, in blocks of 500 and several rounds, so that a busy machine slows both alike; the median of the blocks' ratios counts.
Leaves with 1 when the bar is missed. (Not called select.py: that would hide Python's own `select` from its neighbours.)
"""
import statistics, sys, time
from bars import bar, leave
from common import captions_parser, coco_captions
from concrete_jungle.parsing import load_parser, longest_caption
from concrete_jungle.sampling import select

BAR, BLOCK = .85, 500   # share of the bare parser's throughput; captions

def wall_seconds(work):
    "How long something takes by the clock."
    start = time.perf_counter()
    work()
    return time.perf_counter() - start

def in_turn(captions, nlp, rounds):
    "Seconds a caption of the bare parser and of selection, for each block of each round."
    bare, full = [], []
    blocks = [captions[i:i+BLOCK] for i in range(0, len(captions), BLOCK)]
    for block in blocks*rounds:
        bare.append(wall_seconds(lambda: list(nlp.pipe(block)))/len(block))
        full.append(wall_seconds(lambda: select(block, nlp=nlp))/len(block))
    return bare, full

def main():
    parser = captions_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    if args.captions is None: return print("skipped: captions_val2017.json is absent; name it with --captions")
    nlp = load_parser()
    captions = [longest_caption(c) for c in coco_captions(args.captions)]
    select(captions, nlp=nlp)   # warm: everything loaded, every word known to the parser
    bare, full = in_turn(captions, nlp, args.rounds)
    ratio = statistics.median(b/f for b, f in zip(bare, full))
    rates = f"{1/statistics.median(bare):,.0f} and {1/statistics.median(full):,.0f} captions/s"
    bar("selection, rate over the bare parser's", ratio, BAR, least=True, more=f"{len(captions):,} captions; {rates}")
    return leave()

if __name__ == "__main__": sys.exit(main())
