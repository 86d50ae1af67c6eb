"""Build the docs site into _docs without Quarto: nbdev processes the notebooks, smalldocs lays them out.

The published site is built by `nbdev_docs` (Quarto) from the same notebooks and the same _quarto.yml."""
import re, shutil, subprocess, sys, tarfile, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KATEX = "0.16.22"

TUTORIALS = ("start", "own_photos", "choosing_a_margin", "captioners", "mined", "evaluating", "figures", "one_gpu", "long_captions", "cluster", "cost") # In this order; others follow
ROOMS = {"Words": "00-03", "Negatives": "04-08", "The loss": "09-10", "Training": "11-12", "Evaluation": "13-15", "Analysis": "16-17", "Figures and widgets": "18-19", "Studies and commands": "20-21"}
ABOUT = ("promises.qmd", "benchmarks.qmd", "gallery.qmd", "glossary.qmd", "changelog.qmd", "citing.qmd", "99_checks.ipynb")

def sidebar():
    "nbs/sidebar.yml: start, tutorials, rooms by what they are for. nbdev leaves it alone (custom_sidebar)."
    import yaml
    nbs = ROOT/"nbs"; lessons = sorted((p.stem for p in (nbs/"tutorials").glob("*.ipynb")), key=lambda n: (TUTORIALS.index(n) if n in TUTORIALS else 99, n))
    within = lambda span: [p.name for p in sorted(nbs.glob("[0-9]*.ipynb")) if span[:2] <= p.name[:2] <= span[3:]]
    section = lambda name, files: dict(section=name, contents=files)
    contents = ["index.ipynb", "explore.ipynb", section("Tutorials", [f"tutorials/{n}.ipynb" for n in lessons]), *(section(k, within(v)) for k, v in ROOMS.items()), section("About", [f for f in ABOUT if (nbs/f).exists()])]
    listed = {f for c in contents for f in (c["contents"] if isinstance(c, dict) else [c])}
    if left := sorted({str(p.relative_to(nbs)) for p in nbs.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts} - listed): sys.exit(f"no place in the sidebar for {', '.join(left)}; give it one in .ci/docs.py")
    (nbs/"sidebar.yml").write_text(yaml.safe_dump({"website": {"sidebar": {"contents": contents}}}, sort_keys=False))

def process():
    "What nbdev_docs does before it calls Quarto; the notebooks land in _proc."
    from nbdev.doclinks import _build_modidx
    from nbdev.quarto import refresh_quarto_yml
    from nbdev.serve import proc_nbs
    refresh_quarto_yml(); _build_modidx(); sidebar()
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

def name_figures(site):
    "A name for every figure: the cell's fig-alt, else the paragraph above it."
    found = re.compile(r"<h[1-4][^>]*>(?P<h>.*?)</h[1-4]>|<p>(?P<p>.*?)</p>|(?P<f><img\b[^>]*>|<svg\b[^>]*>)", re.S); plain = lambda t: " ".join(re.sub(r"<[^>]+>", "", t).split())
    for page in site.rglob("*.html"):
        text = page.read_text(); start = max(text.find("<main"), 0); told = dict(h="", p="")
        def name(m):
            if m["f"] is None:
                kind = m.lastgroup; told[kind] = plain(m[kind]); return m[0] if "<img" not in m[0] and "<svg" not in m[0] else re.sub(r"<(?:img|svg)\b[^>]*>", lambda k: tag(k[0]), m[0])
            return tag(m["f"])
        def tag(f):
            said = (told["p"] if len(told["p"]) > 30 else f"{told['h']}: {told['p']}").strip(": ").replace('"', "'"); said = "Figure: " + (said if len(said) < 300 else said[:297].rsplit(" ", 1)[0] + " …")
            if f.startswith("<img"): return f if re.search(r'\salt="[^"]+"', f) else re.sub(r'\salt=""', "", f).replace("<img", f'<img alt="{said}"', 1)
            if "aria-label" in f or "aria-hidden" in f: return f
            return re.sub(r'<svg alt="([^"]*)"', r'<svg role="img" aria-label="\1"', f) if f.startswith("<svg alt") else f.replace("<svg", f'<svg role="img" aria-label="{said}"', 1)
        new = text[:start] + found.sub(name, text[start:])
        if new != text: page.write_text(new)

def no_fonts(site):
    "The themes ask Google for their fonts; the system's do."
    for p in site.rglob("*.css"):
        text = p.read_text(); new = re.sub(r'@import\s*(?:url\((?:"https?:[^"]*"|https?:[^)]*)\)|"https?:[^"]*");?', "", text)
        if new != text: p.write_text(new)

def few_icons(site):
    "The icons that the pages use instead of all 2,000: 200 KB less on every page."
    from fontTools import subset
    lib = site/"site_libs"/"bootstrap-icons"; css = lib/"bootstrap-icons.min.css"
    if not css.exists(): return
    texts = [p.read_text() for p in [*site.rglob("*.html"), *(site/"site_libs").glob("smalldocs.*")]]; used = set(re.findall(r"\bbi-[a-z0-9-]+", " ".join(texts)))
    head, rules = css.read_text(), {}
    for name, code in re.findall(r'\.(bi-[a-z0-9-]+)::before\{content:"\\([0-9a-f]+)"\}', head): rules[name] = code
    keep = {n: rules[n] for n in sorted(used & rules.keys())}
    first = re.sub(r'\.bi-[a-z0-9-]+::before\{content:"\\[0-9a-f]+"\}', "", head)
    options = subset.Options(flavor="woff"); font = subset.load_font(str(lib/"fonts"/"bootstrap-icons.woff"), options)
    cut = subset.Subsetter(options); cut.populate(unicodes=[int(c, 16) for c in keep.values()]); cut.subset(font); subset.save_font(font, str(lib/"fonts"/"bootstrap-icons.woff"), options)
    first = re.sub(r'url\("?[^)]*?woff2[^)]*\) format\("woff2"\),', "", first); (lib/"fonts"/"bootstrap-icons.woff2").unlink(missing_ok=True)
    css.write_text(first + "".join(f'.{n}::before{{content:"\\{c}"}}' for n, c in keep.items()))

def main():
    if "--sidebar" in sys.argv: return sidebar()
    if "--names" in sys.argv: return name_figures(ROOT/"_docs")     # after Quarto
    proc = process()
    done = subprocess.run([str(Path(sys.executable).parent/"smalldocs"), "render", "--quiet", str(proc)], capture_output=True, text=True)
    lines = [l for l in (done.stdout + done.stderr).split("\n") if l and not re.search(r"output-file is not read|html-math-method", l)]
    if lines: print("\n".join(lines))
    if done.returncode: sys.exit(done.returncode)
    site = ROOT/"_docs"
    shutil.rmtree(site, ignore_errors=True); shutil.move(proc/"_docs", site)
    short_names(site); ship_katex(site); name_figures(site); no_fonts(site); few_icons(site)
    print(f"The site is in {site.relative_to(ROOT)}: open {site.relative_to(ROOT)}/index.html")

if __name__ == "__main__": main()
