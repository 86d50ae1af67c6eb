"""Cement against open_clip's ClipLoss and the memory-saving losses, side by side in one run: time and peak memory.

    python benchmarks/loss.py                                   # CPU, N = 256, 1024, 4096, memory at N = 8192 (about 6 GB); some minutes
    python benchmarks/loss.py --device cuda --dtype bfloat16 --sizes 1024 4096 16384 65536 --memory 16384

Every round runs each loss once, forward and backward, on the same 2N rows; a ratio is one of medians over rounds. On a CPU with one
thread the clock counts processor time, so that a busy machine does not count; with more threads it is the wall clock.
GradCache is measured where installed (pip install --no-deps gradcache==0.0.1). Inf-CL's own kernel needs a GPU (pip install inf-cl);
elsewhere its idea is measured, written here in torch: the log-sum-exp of each direction by tiles, recomputed in backward.
"""
import argparse, importlib.util, statistics, sys, time
import torch
from bars import bar, leave
from torch.nn import functional as F
from open_clip.loss import ClipLoss
from concrete_jungle.cement import cement_loss

BARS = {256: (.8, 1.25), 1024: (.8, 1.1), 4096: (.9, .9)}   # N -> dense over ClipLoss, tiled over dense; time on a CPU
MEMORY = .05                                               # tiled over dense, at N = 8192

class _TiledLse(torch.autograd.Function):
    "Inf-CL's idea (Cheng et al. 2024) for one direction: (R,) log-sum-exp of q @ k.T, never all at once."
    @staticmethod
    def forward(ctx, q, k, tile):
        lse = torch.cat([(x @ k.T).logsumexp(1) for x in q.split(tile)])
        ctx.save_for_backward(q, k, lse); ctx.tile = tile
        return lse
    @staticmethod
    def backward(ctx, g):
        q, k, lse = ctx.saved_tensors; dq, dk = [], torch.zeros_like(k)
        for x, l, w in zip(q.split(ctx.tile), lse.split(ctx.tile), g.split(ctx.tile)):
            p = (x @ k.T).sub_(l[:,None]).exp_().mul_(w[:,None]); dq.append(p @ k); dk.addmm_(p.T, x)
        return torch.cat(dq), dk, None

def inf_style(a, b, scale, tile):
    q, own = a*scale, (a*b).sum(1)*scale
    return (_TiledLse.apply(q, b, tile) + _TiledLse.apply(b*scale, a, tile)).mean()/2 - own.mean()

def cement(tile):
    def f(a, b, scale):
        n = len(a)//2; return cement_loss(a[:n], b[:n], a[n:], b[n:], None, scale, 1., tile=tile)
    return f

def losses(tile, device):
    out = {"open_clip ClipLoss": ClipLoss(), "Cement, dense": cement(None), f"Cement, tile {tile}": cement(tile)}
    if importlib.util.find_spec("gradcache"):
        import gradcache; sys.modules.setdefault("grad_cache", gradcache)       # 0.0.1 imports itself by its old name
        from gradcache.grad_cache import GradCache
        from gradcache.loss import SimpleContrastiveLoss
        one = SimpleContrastiveLoss(); two = lambda a, b: (one(a, b) + one(b, a))/2
        cache = GradCache([torch.nn.Identity()]*2, tile, two)
        def gradcache(a, b, scale): # it hands back gradients on the representations, as it would to the encoders
            grads, loss = cache.build_cache(a*scale, b); a.grad, b.grad = grads[0]*scale.detach(), grads[1]
            return loss
        out["GradCache 0.0.1"] = gradcache
    if device == "cuda" and importlib.util.find_spec("inf_cl"):
        from inf_cl import cal_flash_loss
        out["Inf-CL's kernel"] = lambda a, b, s: (cal_flash_loss(a, b, scale=s) + cal_flash_loss(b, a, scale=s))/2
    out["Inf-CL's idea, in torch"] = lambda a, b, s: inf_style(a, b, s, tile)
    return out

def batch(n, width, device, dtype):
    g = torch.Generator().manual_seed(0)
    rows = lambda: F.normalize(torch.randn(2*n, width, generator=g), dim=1).to(device, dtype).requires_grad_()
    return rows(), rows(), torch.tensor(50., device=device, requires_grad=True)

def step(f, x):
    for k in x: k.grad = None
    loss = f(*x)
    if loss.requires_grad: loss.backward()

def peak(f, x, device):
    "Most bytes held at once beyond the inputs, or None where memory ran out."
    if device == "cuda":
        step(f, x); torch.cuda.synchronize(); torch.cuda.reset_peak_memory_stats(); held = torch.cuda.memory_allocated()
        step(f, x); return torch.cuda.max_memory_allocated() - held
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as p: step(f, x)
    most = held = 0
    for e in sorted((e for e in p.profiler.kineto_results.events() if e.name() == "[memory]"), key=lambda e: e.start_ns()):
        held += e.nbytes(); most = max(most, held)
    return most

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--sizes", type=int, nargs="*", default=[256, 1024, 4096]); p.add_argument("--repeat", type=int, default=0, help="rounds; by default more for small N")
    p.add_argument("--width", type=int, default=512); p.add_argument("--tile", type=int, default=1024); p.add_argument("--threads", type=int, default=1)
    p.add_argument("--device", default="cpu"); p.add_argument("--dtype", default="float32"); p.add_argument("--memory", type=int, default=8192, help="N at which memory is measured, 0 for not")
    o = p.parse_args(); torch.set_num_threads(o.threads)
    fs = losses(o.tile, o.device); clip, dense, tiled, *others = fs; clock = time.process_time if o.device == "cpu" and o.threads == 1 else time.perf_counter
    print(f"D = {o.width}, {o.dtype}, {o.device}, {o.threads} thread(s), {'processor' if clock is time.process_time else 'wall'} time, forward and backward of 2N rows")
    for n in o.sizes:
        x = batch(n, o.width, o.device, getattr(torch, o.dtype)); seen = {k: [] for k in fs}; rounds = o.repeat or max(3, 15*256//n)
        for r in range(rounds + 1): # the first is a warm-up
            for k, f in fs.items():
                if seen[k] is None: continue
                try:
                    t = clock(); step(f, x)
                    if o.device == "cuda": torch.cuda.synchronize()
                    if r: seen[k].append(clock() - t)
                except torch.OutOfMemoryError: seen[k] = None; torch.cuda.empty_cache()
        med = {k: statistics.median(v)*1e3 if v else float("nan") for k, v in seen.items()}
        limits = BARS.get(n, (None, None)) if o.device == "cpu" else (None, None)
        for over, under, limit in ((dense, clip, limits[0]), (tiled, dense, limits[1]), *((tiled, k, None) for k in others)):
            bar(f"{over} over {under}, N = {n}, time", med[over]/med[under], limit, more=f"{med[over]:.1f} and {med[under]:.1f} ms")
    if o.memory:
        x = batch(o.memory, o.width, o.device, getattr(torch, o.dtype)); most = {}
        for k, f in fs.items():
            try: most[k] = peak(f, x, o.device)
            except torch.OutOfMemoryError: torch.cuda.empty_cache()
        for k, m in most.items():
            if dense in most and k != dense:
                limit = MEMORY if k == tiled and o.memory == 8192 and o.device == "cpu" else None
                bar(f"{k} over Cement, dense, N = {o.memory}, peak memory", m/most[dense], limit, more=f"{m/2**20:,.0f} and {most[dense]/2**20:,.0f} MiB")
    return leave()

if __name__ == "__main__": sys.exit(main())
