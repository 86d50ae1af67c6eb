"""Cement against open_clip's ClipLoss and the memory-saving losses, side by side in one run: time and peak memory.

    python benchmarks/loss.py             # CPU, N = 256, 1024, 4096, memory at N = 8192 (about 6 GB); some minutes
    python benchmarks/loss.py --device cuda --dtype bfloat16 --sizes 1024 4096 16384 65536 --memory 16384

Every round runs each loss once, forward and backward, on the same 2N rows; a ratio is one of medians over rounds. On a CPU with one
thread the clock counts processor time, so that a busy machine does not count; with more threads it is the wall clock.
GradCache is measured where installed (pip install --no-deps gradcache==0.0.1). Inf-CL's own kernel needs a GPU (pip install inf-cl);
elsewhere its idea is measured, written here in torch: the log-sum-exp of each direction by tiles, recomputed in backward.
"""
import argparse, importlib.util, statistics, sys, time
import torch
from bars import bar, leave
from common import allocated_peak
from torch.nn import functional as F
from open_clip.loss import ClipLoss
from concrete_jungle.cement import cement_loss

BARS = {256: (.8, 1.25), 1024: (.8, 1.1), 4096: (.9, .9)}   # N -> dense over ClipLoss, tiled over dense; time on a CPU
MEMORY = .05                                               # tiled over dense, at N = 8192
CLIP, DENSE = "open_clip ClipLoss", "Cement, dense"

# ---- the losses: each takes image rows, text rows and the scale ----

class _TiledLse(torch.autograd.Function):
    "Inf-CL's idea (Cheng et al. 2024) for one direction: (R,) log-sum-exp of q @ k.T, never all at once."
    @staticmethod
    def forward(ctx, q, k, tile):
        lse = torch.cat([(x @ k.T).logsumexp(1) for x in q.split(tile)])
        ctx.save_for_backward(q, k, lse)
        ctx.tile = tile
        return lse
    @staticmethod
    def backward(ctx, g):
        q, k, lse = ctx.saved_tensors
        dq, dk = [], torch.zeros_like(k)
        for x, l, w in zip(q.split(ctx.tile), lse.split(ctx.tile), g.split(ctx.tile)):
            p = (x @ k.T).sub_(l[:,None]).exp_().mul_(w[:,None])
            dq.append(p @ k)
            dk.addmm_(p.T, x)
        return torch.cat(dq), dk, None

def inf_style(tile):
    "InfoNCE of both directions by tiles."
    def loss(a, b, scale):
        q, own = a*scale, (a*b).sum(1)*scale
        both = _TiledLse.apply(q, b, tile) + _TiledLse.apply(b*scale, a, tile)
        return both.mean()/2 - own.mean()
    return loss

def cement(tile):
    "Ours with a margin of 1: the first half of the rows are pairs, the second their negatives."
    def loss(a, b, scale):
        n = len(a)//2
        return cement_loss(a[:n], b[:n], a[n:], b[n:], None, scale, 1., tile=tile)
    return loss

def grad_cache(tile):
    "GradCache's, which hands back gradients on the representations, as it would to the encoders."
    import gradcache
    sys.modules.setdefault("grad_cache", gradcache)       # 0.0.1 imports itself by its old name
    from gradcache.grad_cache import GradCache
    from gradcache.loss import SimpleContrastiveLoss
    one = SimpleContrastiveLoss()
    cache = GradCache([torch.nn.Identity()]*2, tile, lambda a, b: (one(a, b) + one(b, a))/2)
    def loss(a, b, scale):
        grads, value = cache.build_cache(a*scale, b)
        a.grad, b.grad = grads[0]*scale.detach(), grads[1]
        return value
    return loss

def inf_kernel():
    "Inf-CL's own kernel, of both directions."
    from inf_cl import cal_flash_loss
    return lambda a, b, s: (cal_flash_loss(a, b, scale=s) + cal_flash_loss(b, a, scale=s))/2

def losses(tile, device):
    "Name -> loss: ClipLoss, Cement dense and tiled, then the others that are here."
    out = {CLIP: ClipLoss(), DENSE: cement(None), f"Cement, tile {tile}": cement(tile)}
    if importlib.util.find_spec("gradcache"): out["GradCache 0.0.1"] = grad_cache(tile)
    if device == "cuda" and importlib.util.find_spec("inf_cl"): out["Inf-CL's kernel"] = inf_kernel()
    out["Inf-CL's idea, in torch"] = inf_style(tile)
    return out

# ---- what is measured ----

def batch(n, o):
    "2n image rows, 2n text rows and a scale, all wanting gradients."
    g = torch.Generator().manual_seed(0)
    def rows():
        drawn = F.normalize(torch.randn(2*n, o.width, generator=g), dim=1)
        return drawn.to(o.device, getattr(torch, o.dtype)).requires_grad_()
    return rows(), rows(), torch.tensor(50., device=o.device, requires_grad=True)

def step(loss_of, inputs):
    "Forward and backward, from no gradients."
    for x in inputs: x.grad = None
    loss = loss_of(*inputs)
    if loss.requires_grad: loss.backward()

def peak(loss_of, inputs, device):
    "Most bytes held at once beyond the inputs."
    if device != "cuda": return allocated_peak(lambda: step(loss_of, inputs))
    step(loss_of, inputs)
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    held = torch.cuda.memory_allocated()
    step(loss_of, inputs)
    return torch.cuda.max_memory_allocated() - held

def clock_of(o):
    "Processor time where one thread does the work, else the wall clock."
    return time.process_time if o.device == "cpu" and o.threads == 1 else time.perf_counter

def in_turn(fs, inputs, rounds, o):
    "Median milliseconds of each loss over the rounds; NaN where memory ran out."
    clock, took, full = clock_of(o), {k: [] for k in fs}, set()
    for r in range(rounds + 1):                 # the first is a warm-up
        for name in [k for k in fs if k not in full]:
            try:
                start = clock()
                step(fs[name], inputs)
                if o.device == "cuda": torch.cuda.synchronize()
                if r: took[name].append(clock() - start)
            except torch.OutOfMemoryError:
                full.add(name)
                torch.cuda.empty_cache()
    return {k: float("nan") if k in full or not v else statistics.median(v)*1e3 for k, v in took.items()}

def times(fs, n, o):
    "Dense over ClipLoss, and tiled over dense, ClipLoss and each of the others, in time."
    ms = in_turn(fs, batch(n, o), o.repeat or max(3, 15*256//n), o)
    clip, dense, tiled, *others = fs
    limits = BARS.get(n, (None, None)) if o.device == "cpu" else (None, None)
    ratios = [(dense, clip, limits[0]), (tiled, dense, limits[1]), *((tiled, other, None) for other in (clip, *others))]
    for over, under, limit in ratios:
        bar(f"{over} over {under}, N = {n}, time", ms[over]/ms[under], limit, more=f"{ms[over]:.1f} and {ms[under]:.1f} ms")

def memory(fs, n, o):
    "Each loss over Cement, dense, in peak memory; those that fit."
    inputs, most = batch(n, o), {}
    for name, loss_of in fs.items():
        try: most[name] = peak(loss_of, inputs, o.device)
        except torch.OutOfMemoryError: torch.cuda.empty_cache()
    if DENSE not in most: return
    dense = most.pop(DENSE)
    for name, held in most.items():
        limit = MEMORY if name.startswith("Cement, tile") and n == 8192 and o.device == "cpu" else None
        bar(f"{name} over {DENSE}, N = {n}, peak memory", held/dense, limit, more=f"{held/2**20:,.0f} and {dense/2**20:,.0f} MiB")

def arguments():
    "The command line."
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--sizes", type=int, nargs="*", default=[256, 1024, 4096])
    p.add_argument("--repeat", type=int, default=0, help="rounds; by default more for small N")
    p.add_argument("--width", type=int, default=512)
    p.add_argument("--tile", type=int, default=1024)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--device", default="cpu")
    p.add_argument("--dtype", default="float32")
    p.add_argument("--memory", type=int, default=8192, help="N at which memory is measured, 0 for not")
    return p.parse_args()

def main():
    o = arguments()
    torch.set_num_threads(o.threads)
    fs = losses(o.tile, o.device)
    kind = "processor" if clock_of(o) is time.process_time else "wall"
    print(f"D = {o.width}, {o.dtype}, {o.device}, {o.threads} thread(s), {kind} time, forward and backward of 2N rows")
    for n in o.sizes: times(fs, n, o)
    if o.memory: memory(fs, o.memory, o)
    return leave()

if __name__ == "__main__": sys.exit(main())
