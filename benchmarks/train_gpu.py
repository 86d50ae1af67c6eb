"""benchmarks/train.py on a GPU, at the paper's size: bf16, N = 1024 pairs and their negatives, ViT-B-32.

    python benchmarks/train_gpu.py                          # one GPU; the whole batch needs about 100 GB, the parts a few
    python benchmarks/train_gpu.py --pairs 256 --model ViT-B-16

Prints our step over a bare open_clip step, the step in 8 parts over the whole one (time, peak memory as the allocator counts it),
and the rates that the tutorial "the paper on one GPU" takes: steps an hour, and pictures a second read by the worker processes.
Without a GPU it says so and ends. It has not been run on one.
"""
import argparse, os, statistics, sys, tempfile, time
import torch
from bars import bar, leave

def timed_steps(step, rounds):
    "Median seconds of a step, and its peak memory in GB beyond what lay there before."
    step(); torch.cuda.synchronize(); before = torch.cuda.memory_allocated(); torch.cuda.reset_peak_memory_stats(); took = []
    for _ in range(rounds): start = time.perf_counter(); step(); torch.cuda.synchronize(); took.append(time.perf_counter() - start)
    return statistics.median(took), (torch.cuda.max_memory_allocated() - before)/1e9

def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--model", default="ViT-B-32"); ap.add_argument("--pairs", type=int, default=1024); ap.add_argument("--rounds", type=int, default=10)
    args = ap.parse_args()
    if not torch.cuda.is_available(): return print("no GPU here: nothing measured; benchmarks/train.py measures the same on a CPU")
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from train import bare_step, in_turn, our_run, photos, pictures
    from concrete_jungle.models import load_model
    from concrete_jungle.pairs import Feed, read_pairs
    from concrete_jungle.training import take_step
    name, n = args.model, args.pairs; print(f"{torch.cuda.get_device_name()}, {name}, {n} pairs and their negatives, bf16")
    encoder = load_model(name, device="cuda"); size = encoder.model.visual.preprocess_cfg["size"]; data = pictures(n, size if isinstance(size, int) else size[0])
    fields = dict(batch_size=n, precision="bf16", tile=1024); (whole, feed), (parts, _) = our_run(encoder, data, **fields), our_run(encoder, data, micro_batch=2*n//8, **fields)
    batch = next(feed.steps()); images, tokens = feed.pictures.floats(batch.images.cuda()), batch.tokens.cuda()
    part_s, part_gb = timed_steps(lambda: take_step(parts, batch, feed), args.rounds)
    bar(f"step in 8 parts, {name}, {2*n} rows, bf16", 3600/part_s, unit="steps/h", more=f"{part_s:.3f} s a step, {part_gb:.1f} GB")
    try: whole_s, whole_gb = timed_steps(lambda: take_step(whole, batch, feed), args.rounds)
    except torch.OutOfMemoryError: print("the whole batch does not fit; smaller --pairs compares")
    else:
        bar("step in 8 parts over whole, GPU, time", part_s/whole_s, 1.5, more=f"{whole_s:.3f} s whole")
        bar("step in 8 parts over whole, GPU, memory", part_gb/whole_gb, .35, more=f"{whole_gb:.1f} GB whole")
        bare = bare_step(encoder, whole.optimizer, whole.dtype)
        (_, ratio), seconds = in_turn([lambda: bare(images, tokens), lambda: take_step(whole, batch, feed)], args.rounds, time.perf_counter, torch.cuda.synchronize)
        bar("our step over a bare open_clip step, GPU", ratio, 1.05, more=f"{seconds:.3f} s bare")
    with tempfile.TemporaryDirectory() as d:
        few = 4096; reader = Feed(read_pairs(photos(d, few)), encoder, 512, negatives=False, keep=0); start = time.perf_counter()
        for _ in reader.steps(0, few//512): pass
        bar(f"pictures read by {reader.workers} processes, the first included", few/(time.perf_counter() - start), unit="a second", more=f"a step in parts needs {2*n/part_s:,.0f}")
    return leave()

if __name__ == "__main__": sys.exit(main())
