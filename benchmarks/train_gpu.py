"""benchmarks/train.py on a GPU, at the paper's size: bf16, N = 1024 pairs and their negatives, ViT-B-32.

    python benchmarks/train_gpu.py                          # one GPU; the whole batch needs about 100 GB, the parts a few
    python benchmarks/train_gpu.py --pairs 256 --model ViT-B-16

Prints our step over a bare open_clip step, the step in 8 parts over the whole one (time, peak memory as the allocator counts it),
and the rates that the tutorial "the paper on one GPU" takes: steps an hour, and pictures a second read by the worker processes.
Without a GPU it says so and ends. It has not been run on one.
"""
import argparse, statistics, sys, tempfile, time
import torch
from bars import bar, leave

PARTS, PHOTOS = 8, 4096   # of a step; pictures read

def timed_steps(step, rounds):
    "Median seconds of a step, and its peak memory in GB beyond what lay there before."
    step()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    took = []
    for _ in range(rounds):
        start = time.perf_counter()
        step()
        torch.cuda.synchronize()
        took.append(time.perf_counter() - start)
    return statistics.median(took), (torch.cuda.max_memory_allocated() - before)/1e9

def steps(encoder, name, n, rounds):
    "The step in parts, over the whole one where that fits, and the whole one over open_clip's; seconds of the step in parts."
    from train import our_run, pictures
    from concrete_jungle.training import take_step
    data, fields = pictures(n, encoder), dict(batch_size=n, precision="bf16", tile=1024)
    whole, feed = our_run(encoder, data, **fields)
    parts, _ = our_run(encoder, data, micro_batch=2*n//PARTS, **fields)
    batch = next(feed.steps())
    part_s, part_gb = timed_steps(lambda: take_step(parts, batch, feed), rounds)
    bar(f"step in {PARTS} parts, {name}, {2*n} rows, bf16", 3600/part_s, unit="steps/h", more=f"{part_s:.3f} s a step, {part_gb:.1f} GB")
    ours = lambda: take_step(whole, batch, feed)
    try: whole_s, whole_gb = timed_steps(ours, rounds)
    except torch.OutOfMemoryError: print("the whole batch does not fit; smaller --pairs compares")
    else:
        bar(f"step in {PARTS} parts over whole, GPU, time", part_s/whole_s, 1.5, more=f"{whole_s:.3f} s whole")
        bar(f"step in {PARTS} parts over whole, GPU, memory", part_gb/whole_gb, .35, more=f"{whole_gb:.1f} GB whole")
        over_bare(encoder, whole, ours, feed.pictures.floats(batch.images.cuda()), batch.tokens.cuda(), rounds)
    return part_s

def over_bare(encoder, run, ours, images, tokens, rounds):
    "Our step over a bare one, by the clock."
    from train import bare_step, in_turn
    bare = bare_step(encoder, run.optimizer, run.dtype)
    (_, ratio), seconds = in_turn([lambda: bare(images, tokens), ours], rounds, time.perf_counter, torch.cuda.synchronize)
    bar("our step over a bare open_clip step, GPU", ratio, 1.05, more=f"{seconds:.3f} s bare")

def reading(encoder, needed):
    "Pictures a second that the worker processes read, beside what the training needs."
    from train import photos
    from concrete_jungle.pairs import Feed, read_pairs
    with tempfile.TemporaryDirectory() as d:
        reader = Feed(read_pairs(photos(d, PHOTOS)), encoder, 512, negatives=False, keep=0)
        start = time.perf_counter()
        for _ in reader.steps(0, PHOTOS//512): pass
        rate = PHOTOS/(time.perf_counter() - start)
    bar(f"pictures read by {reader.workers} processes, the first included", rate, unit="a second",
        more=f"a step in parts needs {needed:,.0f}")

def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--model", default="ViT-B-32")
    ap.add_argument("--pairs", type=int, default=1024)
    ap.add_argument("--rounds", type=int, default=10)
    args = ap.parse_args()
    if not torch.cuda.is_available(): return print("no GPU here: nothing measured; benchmarks/train.py measures the same on a CPU")
    from concrete_jungle.models import load_model   # only now: the line above comes at once
    print(f"{torch.cuda.get_device_name()}, {args.model}, {args.pairs} pairs and their negatives, bf16")
    encoder = load_model(args.model, device="cuda")
    part_s = steps(encoder, args.model, args.pairs, args.rounds)
    reading(encoder, 2*args.pairs/part_s)
    return leave()

if __name__ == "__main__": sys.exit(main())
