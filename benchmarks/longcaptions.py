"""What a corpus' attributes cost beside the bare spaCy pipe.

Run: python benchmarks/longcaptions.py [--n 100000] [--words 150] [--rounds 3]. Captions of so many words are cut from ImageInWords' long texts
(--captions FILE with one caption a line for others) and repeated with other beginnings until there are n. Two figures:
1. Words per second of CPU: `attributes` against `nlp.pipe` alone over the same captions in the same lots of 64 (spaCy's own 1,000 are slower), in turns; bar 0.85 of
   the bare pipe, median of the rounds.
2. Memory: peak resident memory after half of the captions, and after all; bar 1.1 times.
The default n is small enough for a laptop (the parse alone reads some 8,000 words a second of CPU); say --n 100000 for the full measure.
Leaves with 1 when a bar is missed.
"""
import argparse, resource, statistics, sys, time
from pathlib import Path
from bars import bar, leave
from concrete_jungle.core import real_data
from concrete_jungle.longcaptions import attributes
from concrete_jungle.longsets import long_lines_of
from concrete_jungle.parsing import load_parser

def drawn(texts:list[str], n:int, words:int):
    "n captions of so many words, cut from one long text at places that do not repeat soon."
    stream = " ".join(texts).split(); step = 37
    for i in range(n):
        at = i*step % (len(stream) - words); yield " ".join(stream[at:at+words])

def seconds(work):
    start = time.process_time(); work(); return time.process_time() - start

def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss/1024   # MB

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--captions", type=Path, help="text file, one caption a line")
    parser.add_argument("--n", type=int, default=1500); parser.add_argument("--words", type=int, default=150); parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args(); here = real_data("iiw", "IIW-400.jsonl")
    if args.captions is None and here is None: return print("skipped: ImageInWords' IIW-400.jsonl is absent; name captions with --captions")
    texts = args.captions.read_text(encoding="utf-8").splitlines() if args.captions else [l.caption for l in long_lines_of(here, "IIW")]
    nlp = load_parser(); few = max(1, args.n//args.rounds); captions = list(drawn(texts, few, args.words))
    attributes({"warm": captions[:50]}, nlp=nlp); ratios, rates = [], []
    for r in range(args.rounds):
        bare = lambda: [None for _ in nlp.pipe(captions, batch_size=64)]
        ours = lambda: attributes({"drawn": captions}, nlp=nlp)
        took = {}
        for work in (bare, ours) if r % 2 else (ours, bare): took[work] = seconds(work)
        ratios.append(took[bare]/took[ours]); rates.append(few*args.words/took[ours])
    bar("attributes of long captions, rate over the bare parser's", statistics.median(ratios), .85, least=True,
        more=f"{min(ratios):.3f} to {max(ratios):.3f} of {args.rounds} rounds of {few:,} captions of {args.words} words; {statistics.median(rates):,.0f} words/s")
    marks, size = [], args.n
    def watched():
        for i, c in enumerate(drawn(texts, size, args.words)):
            if i in (size//2, size - 1): marks.append(peak())
            yield c
    attributes({"drawn": watched()}, nlp=nlp)
    bar(f"attributes, peak memory after {size:,} captions over after half", marks[1]/marks[0], 1.1, more=f"{marks[0]:,.0f} and {marks[1]:,.0f} MB")
    return leave()

if __name__ == "__main__": sys.exit(main())
