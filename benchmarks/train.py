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
from common import allocated_peak
from open_clip.loss import ClipLoss
from PIL import Image
from torch.nn.attention import SDPBackend, sdpa_kernel
from concrete_jungle.batch import BatchWriter
from concrete_jungle.core import real_data
from concrete_jungle.models import load_model
from concrete_jungle.pairs import Feed, Pairs, read_pairs, world_pairs
from concrete_jungle.recipes import Recipe
from concrete_jungle.training import Run, take_step

# ---- the two sides ----

def same_kernel(device):
    "On a CPU, the attention that our step takes as well."
    return sdpa_kernel([SDPBackend.MATH]) if device == "cpu" else warnings.catch_warnings()

def bare_step(encoder, optimizer, dtype):
    "open_clip's own: both towers, its loss, its optimiser; no negatives of ours, no log."
    model, loss_of = encoder.model, ClipLoss()
    def step(images, tokens):
        device = images.device.type
        optimizer.zero_grad()
        with same_kernel(device):
            with torch.autocast(device, dtype, enabled=dtype is not None): image, text, scale = model(images, tokens)[:3]
            loss = loss_of(image.float(), text.float(), scale)
            loss.backward()
        optimizer.step()
        with torch.no_grad(): model.logit_scale.clamp_(0, 4.6052)
        return loss.item()
    return step

def our_run(encoder, pairs, **fields):
    "A run of ours that does not end, and what feeds it."
    run = Run(encoder, Recipe(steps=10**6, lr=1e-6, **fields), 10**6, pairs)
    return run, Feed(pairs, encoder, run.recipe.batch_size)

def bare_optimizer(run):
    "AdamW over the same groups of weights as a run's."
    groups = [dict(params=g["params"], weight_decay=g["weight_decay"]) for g in run.optimizer.param_groups]
    return torch.optim.AdamW(groups, lr=1e-6, betas=(.9, .98), eps=1e-6, fused=True)

def in_turn(sides, rounds, clock=time.process_time, wait=lambda: None):
    "Median ratio of each side's time to the first's, and the first's median time."
    def seconds(side):
        wait()
        start = clock()
        side()
        wait()
        return clock() - start
    took = [[seconds(side) for side in sides] for _ in range(rounds + 1)][1:]   # the first warms up
    ratios = [statistics.median(r[i]/r[0] for r in took) for i in range(len(sides))]
    return ratios, statistics.median(r[0] for r in took)

def pictures(n, encoder, seed=0):
    "n distinct pairs of pixels of a model's size; captions and ratings of the drawn world."
    size = encoder.model.visual.preprocess_cfg["size"]
    side = size if isinstance(size, int) else size[0]
    world, g = world_pairs(min(n, 64), seed), torch.Generator().manual_seed(seed)
    take = lambda x: [x[i % len(x)] for i in range(n)]
    pixels = lambda: torch.randint(0, 256, (n, 3, side, side), dtype=torch.uint8, generator=g)
    return Pairs(pixels(), take(world.captions), take(world.negative_captions), pixels(), take(world.scores))

# ---- a step over open_clip's ----

def step_over_bare(name, n, rounds):
    "Our step (2n rows, Cement, shares logged) over open_clip's on the same 2n rows."
    torch.manual_seed(0)
    ours = load_model(name, device="cpu")
    theirs, pairs = copy.deepcopy(ours), pictures(n, ours)
    fields = dict(batch_size=n, precision="fp32")
    run, feed = our_run(ours, pairs, **fields)
    bare = bare_step(theirs, bare_optimizer(our_run(theirs, pairs, **fields)[0]), run.dtype)
    theirs.model.train()
    batch = next(feed.steps())
    images, tokens = feed.pictures.floats(batch.images), batch.tokens
    (_, ratio), seconds = in_turn([lambda: bare(images, tokens), lambda: take_step(run, batch, feed)], rounds)
    bar(f"our step over a bare open_clip step, {name}, {2*n} rows", ratio, 1.05, more=f"{seconds:.2f} s bare")

# ---- a step in parts over the whole one ----

def parts_over_whole(name, n, parts, rounds):
    "Memory and time of the step in parts over the whole one."
    torch.manual_seed(0)
    encoder = load_model(name, device="cpu")
    other, pairs = copy.deepcopy(encoder), pictures(n, encoder)
    fields = dict(batch_size=n, precision="fp32")
    whole, feed = our_run(encoder, pairs, **fields)
    part, _ = our_run(other, pairs, micro_batch=2*n//parts, **fields)
    batch = next(feed.steps())
    for run in (whole, part):   # gradients stay where they are: what is counted is activations
        run.optimizer.zero_grad = partial(run.optimizer.zero_grad, set_to_none=False)
    steps = [lambda: take_step(whole, batch, feed), lambda: take_step(part, batch, feed)]
    for step in steps: step()   # gradients and Adam's state are there
    held, less = (allocated_peak(step) for step in steps)
    (_, ratio), seconds = in_turn(steps, rounds)
    what = f"step in {parts} parts over whole"
    bar(f"{what}, memory of activations, {name}, {2*n} rows", less/held, .35, more=f"{held/1e6:,.0f} MB whole")
    bar(f"{what}, time, {name}, {2*n} rows", ratio, 1.5, more=f"{seconds:.2f} s whole")

# ---- reading ----

def photo(i, path, held):
    "The i-th JPEG photograph of 640 x 480: an open one where they are here, else noise."
    if held: path.write_bytes(held[i % len(held)].read_bytes())
    else: Image.effect_noise((640, 480), 60).convert("RGB").save(path, quality=90)

def photos(folder, n):
    "A ConcreteBatch of n JPEG photographs, as COCO's."
    folder, data = Path(folder), real_data("coco_free", "images")
    held = sorted(Path(data).glob("*.jpg")) if data else []
    writer, rows = BatchWriter(folder, {"policy": "bench"}), []
    same = dict(caption="A photograph.", keyword="x", negative_caption="A painting.", status="ok")
    (folder/"images").mkdir(exist_ok=True)
    for i in range(n):
        photo(i, folder/"images"/f"{i}.jpg", held)
        rows.append(same | dict(id=str(i), image=f"images/{i}.jpg"))
    writer.write(rows)
    return folder

def reading_over_bare(n, rounds):
    "Pictures a second from a ConcreteBatch folder over decoding and transforming the same files, both in this process."
    encoder = load_model("ViT-B-32", device="cpu")
    with tempfile.TemporaryDirectory() as d:
        pairs = read_pairs(photos(d, n))
        def bare():
            for i in range(0, n, 16): torch.stack([encoder.preprocess(Image.open(p).convert("RGB")) for p in pairs.images[i:i+16]])
        def ours():
            feed = Feed(pairs, encoder, 16, negatives=False, keep=0, workers=0)
            for batch in feed.steps(0, n//16): feed.pictures.floats(batch.images)
        (_, ratio), seconds = in_turn([bare, ours], rounds)
    bar("pictures from a ConcreteBatch, rate over bare decoding", 1/ratio, .9, least=True, more=f"{n/seconds:.0f} a second bare")

def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--rounds", type=int, default=7)
    ap.add_argument("--pairs", type=int, default=4, help="pairs a step of ViT-B-32")
    args = ap.parse_args()
    torch.set_num_threads(1)
    step_over_bare("tiny", 64, 3*args.rounds)
    step_over_bare("ViT-B-32", args.pairs, args.rounds)
    parts_over_whole("tiny", 256, 8, 5)
    parts_over_whole("ViT-B-32", 4*args.pairs, 8, 2)
    reading_over_bare(96, args.rounds)
    return leave()

if __name__ == "__main__": sys.exit(main())
