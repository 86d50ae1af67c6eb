"""Our training step against a bare open_clip step, the micro-batched step against the whole one, and reading a ConcreteBatch folder
against bare decoding, side by side in one run.

    python benchmarks/train.py              # CPU, a few minutes and about 6 GB

A round runs each side once, in turn, on the same rows; a ratio is the median over rounds of a round's ratio. The clock counts
processor time of one thread, so that a busy machine counts little. Memory is what a step needs beyond what lies there before it
(weights, gradients, Adam's state), as torch's profiler counts its allocations. `benchmarks/train_gpu.py` does the same on a GPU.
"""
import argparse, copy, statistics, sys, tempfile, time, warnings
from functools import partial
from pathlib import Path
import torch
from bars import bar, leave
from open_clip.loss import ClipLoss
from torch.nn import functional as F
from concrete_jungle.batch import BatchWriter
from concrete_jungle.models import load_model
from concrete_jungle.pairs import Feed, Pairs, read_pairs, world_pairs
from concrete_jungle.recipes import Recipe
from concrete_jungle.training import Run, take_step

def bare_step(encoder, optimizer, dtype):
    "open_clip's own: both towers, its loss, its optimiser; no negatives of ours, no log."
    model, loss_of = encoder.model, ClipLoss()
    from torch.nn.attention import SDPBackend, sdpa_kernel
    def step(images, tokens):
        optimizer.zero_grad()
        with sdpa_kernel([SDPBackend.MATH]) if images.device.type == "cpu" else warnings.catch_warnings():     # the same kernels for both
            with torch.autocast(images.device.type, dtype, enabled=dtype is not None): image, text, scale = model(images, tokens)[:3]
            loss = loss_of(image.float(), text.float(), scale); loss.backward()
        optimizer.step()
        with torch.no_grad(): model.logit_scale.clamp_(0, 4.6052)
        return loss.item()
    return step

def our_run(encoder, pairs, **fields):
    run = Run(encoder, Recipe(steps=10**6, lr=1e-6, **fields), 10**6, pairs)
    return run, Feed(pairs, encoder, run.recipe.batch_size)

def in_turn(sides, rounds, clock=time.process_time, wait=lambda: None):
    "Median ratio of each side's time to the first's, and the first's median time."
    took = []
    for _ in range(rounds + 1):
        row = []
        for side in sides: wait(); start = clock(); side(); wait(); row.append(clock() - start)
        took.append(row)
    took = took[1:]                                                        # the first warms up
    return [statistics.median(r[i]/r[0] for r in took) for i in range(len(sides))], statistics.median(r[0] for r in took)

def pictures(n, size, seed=0):
    "n distinct pairs of pixels of a model's size; captions and ratings of the drawn world."
    world = world_pairs(min(n, 64), seed); g = torch.Generator().manual_seed(seed); take = lambda x: [x[i % len(x)] for i in range(n)]
    pixels = lambda: torch.randint(0, 256, (n, 3, size, size), dtype=torch.uint8, generator=g)
    return Pairs(pixels(), take(world.captions), take(world.negative_captions), pixels(), take(world.scores))

def step_over_bare(name, n, rounds, device="cpu", precision="fp32", **timing):
    "Our step (2n rows, Cement, shares logged) over open_clip's on the same 2n rows."
    torch.manual_seed(0); ours = load_model(name, device=device); theirs = copy.deepcopy(ours); size = ours.model.visual.preprocess_cfg["size"]
    pairs = pictures(n, size if isinstance(size, int) else size[0]); run, feed = our_run(ours, pairs, batch_size=n, precision=precision)
    optimizer = torch.optim.AdamW([dict(params=g["params"], weight_decay=g["weight_decay"]) for g in our_run(theirs, pairs, batch_size=n, precision=precision)[0].optimizer.param_groups], lr=1e-6, betas=(.9, .98), eps=1e-6, fused=True)
    batch = next(feed.steps()); images, tokens = feed.pictures.floats(batch.images).to(device), batch.tokens.to(device); theirs.model.train()
    bare = bare_step(theirs, optimizer, run.dtype)
    return in_turn([lambda: bare(images, tokens), lambda: take_step(run, batch, feed)], rounds, **timing)

def peak(step):
    "Most bytes allocated at once during a step beyond those before it (CPU)."
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as p: step()
    now = top = 0
    for e in sorted((e for e in p.profiler.kineto_results.events() if e.name() == "[memory]"), key=lambda e: e.start_ns()): now += e.nbytes(); top = max(top, now)
    return top

def parts_over_whole(name, n, parts, rounds):
    "Memory and time of the step in parts over the whole one."
    torch.manual_seed(0); a = load_model(name, device="cpu"); b = copy.deepcopy(a); size = a.model.visual.preprocess_cfg["size"]; pairs = pictures(n, size if isinstance(size, int) else size[0])
    (whole, feed), (part, _) = our_run(a, pairs, batch_size=n, precision="fp32"), our_run(b, pairs, batch_size=n, precision="fp32", micro_batch=2*n//parts)
    batch = next(feed.steps()); steps = [lambda: take_step(whole, batch, feed), lambda: take_step(part, batch, feed)]
    for r in (whole, part): r.optimizer.zero_grad = partial(r.optimizer.zero_grad, set_to_none=False)   # gradients stay where they are: what is counted is activations
    for s in steps: s()                                                                              # gradients and Adam's state are there
    memory = [peak(s) for s in steps]
    return memory, in_turn(steps, rounds)

def photos(folder, n):
    "A ConcreteBatch of n JPEG photographs of 640 x 480, as COCO's; the open photographs where they are here."
    from concrete_jungle.core import real_data
    from PIL import Image
    held = sorted(Path(p).glob("*.jpg")) if (p := real_data("coco_free", "images")) else []
    writer, rows = BatchWriter(folder, {"policy": "bench"}), []; (Path(folder)/"images").mkdir(exist_ok=True)
    for i in range(n):
        place = Path(folder)/"images"/f"{i}.jpg"
        if held: place.write_bytes(held[i % len(held)].read_bytes())
        else: Image.effect_noise((640, 480), 60).convert("RGB").save(place, quality=90)
        rows.append(dict(id=str(i), image=f"images/{i}.jpg", caption="A photograph.", keyword="x", negative_caption="A painting.", status="ok"))
    writer.write(rows)
    return folder

def reading_over_bare(n, rounds):
    "Pictures a second from a ConcreteBatch folder over decoding and transforming the same files, both in this process."
    from PIL import Image
    encoder = load_model("ViT-B-32", device="cpu")
    with tempfile.TemporaryDirectory() as d:
        pairs = read_pairs(photos(d, n))
        def bare():
            for i in range(0, n, 16): torch.stack([encoder.preprocess(Image.open(p).convert("RGB")) for p in pairs.images[i:i+16]])
        def ours():
            feed = Feed(pairs, encoder, 16, negatives=False, keep=0, workers=0)
            for batch in feed.steps(0, n//16): feed.pictures.floats(batch.images)
        (_, ratio), seconds = in_turn([bare, ours], rounds)
    return 1/ratio, n/seconds

def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--rounds", type=int, default=7); ap.add_argument("--pairs", type=int, default=4, help="pairs a step of ViT-B-32")
    args = ap.parse_args(); torch.set_num_threads(1)
    for name, n, rounds in (("tiny", 64, 3*args.rounds), ("ViT-B-32", args.pairs, args.rounds)):
        (_, ratio), seconds = step_over_bare(name, n, rounds)
        bar(f"our step over a bare open_clip step, {name}, {2*n} rows", ratio, 1.05, more=f"{seconds:.2f} s bare")
    for name, n, rounds in (("tiny", 256, 5), ("ViT-B-32", 4*args.pairs, 2)):
        memory, ((_, ratio), seconds) = parts_over_whole(name, n, 8, rounds)
        bar(f"step in 8 parts over whole, memory of activations, {name}, {2*n} rows", memory[1]/memory[0], .35, more=f"{memory[0]/1e6:,.0f} MB whole")
        bar(f"step in 8 parts over whole, time, {name}, {2*n} rows", ratio, 1.5, more=f"{seconds:.2f} s whole")
    ratio, rate = reading_over_bare(96, args.rounds)
    bar("pictures from a ConcreteBatch, rate over bare decoding", ratio, .9, least=True, more=f"{rate:.0f} a second bare")
    return leave()

if __name__ == "__main__": sys.exit(main())
