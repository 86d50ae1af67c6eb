"""What a corpus' attributes cost beside the bare spaCy pipe.

Run: python benchmarks/longcaptions.py [--n 100000] [--words 150] [--rounds 3]. Captions of so many words are cut from ImageInWords'
long texts (--captions FILE with one caption a line for others) and repeated with other beginnings until there are n. Two figures:
1. Words per second of CPU: `attributes` against `nlp.pipe` alone over the same captions in the same lots of 64 (spaCy's own 1,000
   are slower), in turns; bar 0.85 of the bare pipe, median of the rounds.
2. Memory: peak resident memory after half of the captions, and after all; bar 1.1 times.
The default n is small enough for a laptop (the parse alone reads some 8,000 words a second of CPU); say --n 100000 for the full
measure. Leaves with 1 when a bar is missed.
"""
import argparse, resource, statistics, sys
from pathlib import Path
from bars import bar, leave
from common import processor_seconds
from concrete_jungle.core import real_data
from concrete_jungle.longcaptions import attributes
from concrete_jungle.longsets import long_lines_of
from concrete_jungle.parsing import load_parser

STEP = 37   # words between the beginnings of two captions

def drawn(texts:list[str], n:int, words:int):
    "n captions of so many words, cut from one long text at places that do not repeat soon."
    stream = " ".join(texts).split()
    for i in range(n):
        at = i*STEP % (len(stream) - words)
        yield " ".join(stream[at:at+words])

def resident_peak():
    "Most memory this process has held so far, in MB."
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss/1024

def speed(captions, words, rounds, nlp):
    "Words a second of `attributes`, and as a share of the bare pipe's, in turns."
    bare = lambda: [None for _ in nlp.pipe(captions, batch_size=64)]
    ours = lambda: attributes({"drawn": captions}, nlp=nlp)
    ratios, rates = [], []
    for r in range(rounds):
        order = (bare, ours) if r % 2 else (ours, bare)
        took = {work: processor_seconds(work)[0] for work in order}
        ratios.append(took[bare]/took[ours])
        rates.append(len(captions)*words/took[ours])
    spread = f"{min(ratios):.3f} to {max(ratios):.3f} of {rounds} rounds of {len(captions):,} captions of {words} words"
    bar("attributes of long captions, rate over the bare parser's", statistics.median(ratios), .85, least=True,
        more=f"{spread}; {statistics.median(rates):,.0f} words/s")

def memory(texts, n, words, nlp):
    "Peak memory after all captions over the peak after half of them."
    peaks = []
    def watched():
        for i, caption in enumerate(drawn(texts, n, words)):
            if i in (n//2, n - 1): peaks.append(resident_peak())
            yield caption
    attributes({"drawn": watched()}, nlp=nlp)
    half, whole = peaks
    bar(f"attributes, peak memory after {n:,} captions over after half", whole/half, 1.1, more=f"{half:,.0f} and {whole:,.0f} MB")

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--captions", type=Path, help="text file, one caption a line")
    parser.add_argument("--n", type=int, default=1500)
    parser.add_argument("--words", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    here = real_data("iiw", "IIW-400.jsonl")
    if args.captions: texts = args.captions.read_text(encoding="utf-8").splitlines()
    elif here: texts = [l.caption for l in long_lines_of(here, "IIW")]
    else: return print("skipped: ImageInWords' IIW-400.jsonl is absent; name captions with --captions")
    nlp = load_parser()
    captions = list(drawn(texts, max(1, args.n//args.rounds), args.words))
    attributes({"warm": captions[:50]}, nlp=nlp)
    speed(captions, args.words, args.rounds, nlp)
    memory(texts, args.n, args.words, nlp)
    return leave()

if __name__ == "__main__": sys.exit(main())
