"""Build the docs site into _docs without Quarto: nbdev processes the notebooks, smalldocs lays them out.

The published site is built by `nbdev_docs` (Quarto) from the same notebooks and the same _quarto.yml."""
import re, shutil, subprocess, sys, tarfile, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KATEX = "0.16.22"

def process():
    "What nbdev_docs does before it calls Quarto; the notebooks land in _proc."
    from nbdev.doclinks import _build_modidx
    from nbdev.quarto import nbdev_sidebar, refresh_quarto_yml
    from nbdev.serve import proc_nbs
    refresh_quarto_yml(); _build_modidx(); nbdev_sidebar.__wrapped__(file_re=r"\.ipynb$")
    return proc_nbs(force=True)

def short_names(site):
    "nbdev links core.html where smalldocs writes 00_core.html: rename the pages and mend every link."
    pages = {p.name: re.sub(r"^\d+[a-z]?_", "", p.name) for p in site.rglob("[0-9]*.html")}
    for old, new in pages.items():
        for p in site.rglob(old): p.rename(p.with_name(new))
    pattern = re.compile(r"(?<![\w-])(" + "|".join(re.escape(o[:-5]) for o in sorted(pages, key=len, reverse=True)) + r")\.html") if pages else None
    for p in [*site.rglob("*.html"), *site.glob("search.json"), *site.glob("sitemap.xml")]:
        text = p.read_text()
        if pattern and (new := pattern.sub(lambda m: pages[m[1] + ".html"], text)) != text: p.write_text(new)

def ship_katex(site):
    "Maths without a network: put KaTeX from the npm registry beside the pages, where npm is installed."
    if not shutil.which("npm"): return print("npm is not installed: the pages take KaTeX from its CDN")
    with tempfile.TemporaryDirectory() as d:
        done = subprocess.run(["npm", "pack", f"katex@{KATEX}", "--silent"], cwd=d, capture_output=True, text=True)
        if done.returncode: return print(f"npm pack katex failed, the pages take KaTeX from its CDN: {done.stderr.strip()[-200:]}")
        with tarfile.open(next(Path(d).glob("*.tgz"))) as t: t.extractall(d, filter="data")
        (site/"site_libs").mkdir(exist_ok=True)
        shutil.copytree(Path(d)/"package"/"dist", site/"site_libs"/"katex", dirs_exist_ok=True)
    for p in site.rglob("*.html"):
        text = p.read_text(); up = "../"*(len(p.relative_to(site).parts) - 1)
        new = re.sub(r"https://cdn\.jsdelivr\.net/npm/katex@[^/]+/dist/", f"{up}site_libs/katex/", text)
        if new != text: p.write_text(re.sub(r'\s(integrity|crossorigin)="[^"]*"', "", new))

def main():
    proc = process()
    done = subprocess.run([str(Path(sys.executable).parent/"smalldocs"), "render", "--quiet", str(proc)], capture_output=True, text=True)
    lines = [l for l in (done.stdout + done.stderr).split("\n") if l and not re.search(r"output-file is not read|html-math-method", l)]
    if lines: print("\n".join(lines))
    if done.returncode: sys.exit(done.returncode)
    site = ROOT/"_docs"
    shutil.rmtree(site, ignore_errors=True); shutil.move(proc/"_docs", site)
    short_names(site); ship_katex(site)
    print(f"The site is in {site.relative_to(ROOT)}: open {site.relative_to(ROOT)}/index.html")

if __name__ == "__main__": main()
