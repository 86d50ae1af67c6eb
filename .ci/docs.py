"""Build the docs site into _docs without Quarto: nbdev processes the notebooks, smalldocs lays them out.

The published site is built by `nbdev_docs` (Quarto) from the same notebooks and the same _quarto.yml."""
import re, shutil, subprocess, sys, tarfile, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NBS, SITE = ROOT/"nbs", ROOT/"_docs"
KATEX = "0.16.22"

# ---- the sidebar ----

TUTORIALS = ("start", "own_photos", "choosing_a_margin", "captioners", "mined", "evaluating", "figures", "one_gpu", "long_captions",
             "cluster", "cost")   # in this order; others follow
ROOMS = {"Words": "00-03", "Negatives": "04-08", "The loss": "09-10", "Training": "11-12", "Evaluation": "13-15", "Analysis": "16-17",
         "Figures and widgets": "18-19", "Studies and commands": "20-21"}
ABOUT = ("promises.qmd", "benchmarks.qmd", "gallery.qmd", "glossary.qmd", "changelog.qmd", "citing.qmd", "99_checks.ipynb")

def in_group(file, span):
    "Whether a room's number lies in a span such as 04-08."
    first, last = span.split("-")
    return first <= file[:2] <= last

def tutorials():
    "The tutorials, as a newcomer reads them."
    names = sorted(p.stem for p in (NBS/"tutorials").glob("*.ipynb"))
    return [f"tutorials/{n}.ipynb" for n in sorted(names, key=lambda n: TUTORIALS.index(n) if n in TUTORIALS else len(TUTORIALS))]

def sections():
    "Section -> its files: tutorials, rooms by what they are for, the pages about the package."
    rooms = sorted(p.name for p in NBS.glob("[0-9]*.ipynb"))
    groups = {name: [r for r in rooms if in_group(r, span)] for name, span in ROOMS.items()}
    return {"Tutorials": tutorials(), **groups, "About": [f for f in ABOUT if (NBS/f).exists()]}

def notebooks():
    "Every notebook, relative to nbs."
    return {str(p.relative_to(NBS)) for p in NBS.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts}

def sidebar():
    "nbs/sidebar.yml: start, then the sections. nbdev leaves it alone (custom_sidebar)."
    import yaml
    first, rest = ["index.ipynb", "explore.ipynb"], sections()
    if left := sorted(notebooks() - {*first, *(f for files in rest.values() for f in files)}):
        sys.exit(f"no place in the sidebar for {', '.join(left)}; give it one in .ci/docs.py")
    contents = [*first, *(dict(section=name, contents=files) for name, files in rest.items())]
    (NBS/"sidebar.yml").write_text(yaml.safe_dump({"website": {"sidebar": {"contents": contents}}}, sort_keys=False))

# ---- the site ----

def process():
    "What nbdev_docs does before it calls Quarto; the notebooks land in _proc, whose path comes back."
    from nbdev.doclinks import _build_modidx
    from nbdev.quarto import refresh_quarto_yml
    from nbdev.serve import proc_nbs
    refresh_quarto_yml()
    _build_modidx()
    sidebar()
    return proc_nbs(force=True)

def lay_out(processed):
    "smalldocs makes _docs of the processed notebooks; what it says is shown, but for two settings that it does not read."
    command = [str(Path(sys.executable).parent/"smalldocs"), "render", "--quiet", str(processed)]
    done = subprocess.run(command, capture_output=True, text=True)
    known = r"output-file is not read|html-math-method"
    lines = [l for l in (done.stdout + done.stderr).split("\n") if l and not re.search(known, l)]
    if lines: print("\n".join(lines))
    if done.returncode: sys.exit(done.returncode)
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.move(processed/"_docs", SITE)

def edit(path, change):
    "Rewrite a file where a function of its text changes it."
    text = path.read_text()
    new = change(text)
    if new != text: path.write_text(new)

def short_names():
    "nbdev links core.html where smalldocs writes 00_core.html: rename the pages and mend every link."
    pages = {p.name: re.sub(r"^\d+[a-z]?_", "", p.name) for p in SITE.rglob("[0-9]*.html")}
    if not pages: return
    for old, new in pages.items():
        for p in SITE.rglob(old): p.rename(p.with_name(new))
    longest_first = sorted(pages, key=len, reverse=True)
    pattern = re.compile(r"(?<![\w-])(" + "|".join(re.escape(p.removesuffix(".html")) for p in longest_first) + r")\.html")
    for p in [*SITE.rglob("*.html"), *SITE.glob("search.json"), *SITE.glob("sitemap.xml")]:
        edit(p, lambda text: pattern.sub(lambda m: pages[m[0]], text))

# ---- KaTeX beside the pages ----

def fetch_katex(to):
    "KaTeX from the npm registry; whether it came."
    if not shutil.which("npm"): return print("npm is not installed: the pages take KaTeX from its CDN")
    with tempfile.TemporaryDirectory() as d:
        done = subprocess.run(["npm", "pack", f"katex@{KATEX}", "--silent"], cwd=d, capture_output=True, text=True)
        if done.returncode: return print(f"npm pack katex failed, the pages take KaTeX from its CDN: {done.stderr.strip()[-200:]}")
        with tarfile.open(next(Path(d).glob("*.tgz"))) as t: t.extractall(d, filter="data")
        shutil.copytree(Path(d)/"package"/"dist", to, dirs_exist_ok=True)
    return True

def ship_katex():
    "Maths without a network: KaTeX lies beside the pages, where npm is installed."
    if not fetch_katex(SITE/"site_libs"/"katex"): return
    for p in SITE.rglob("*.html"):
        up = "../"*(len(p.relative_to(SITE).parts) - 1)
        def local(text):
            new = re.sub(r"https://cdn\.jsdelivr\.net/npm/katex@[^/]+/dist/", f"{up}site_libs/katex/", text)
            return re.sub(r'\s(integrity|crossorigin)="[^"]*"', "", new) if new != text else text
        edit(p, local)

# ---- a name for every figure ----

FIGURE = re.compile(r"<(?:img|svg)\b[^>]*>")
PART = re.compile(r"<h[1-4][^>]*>(?P<heading>.*?)</h[1-4]>|<p>(?P<paragraph>.*?)</p>|(?P<figure><img\b[^>]*>|<svg\b[^>]*>)", re.S)

def plain(html):
    "The words of a piece of HTML, those inside of drawings left out."
    return " ".join(re.sub(r"<svg\b.*?</svg>|<[^>]+>", "", html, flags=re.S).split())

def shortened(text):
    "At most 300 characters, cut between words."
    return text if len(text) < 300 else text[:297].rsplit(" ", 1)[0] + " …"

def named(tag, name):
    "An <img> or <svg> tag with a name, where it has none."
    if tag.startswith("<img"):
        if re.search(r'\salt="[^"]+"', tag): return tag
        return re.sub(r'\salt=""', "", tag).replace("<img", f'<img alt="{name}"', 1)
    if "aria-label" in tag or "aria-hidden" in tag: return tag
    if tag.startswith("<svg alt"): return re.sub(r'<svg alt="([^"]*)"', r'<svg role="img" aria-label="\1"', tag)
    return tag.replace("<svg", f'<svg role="img" aria-label="{name}"', 1)

class Namer:
    "Goes through a page's headings, paragraphs and figures; a figure is called by what stood last."
    def __init__(self): self.heading = self.paragraph = ""
    def name(self):
        said = self.paragraph if len(self.paragraph) > 30 else f"{self.heading}: {self.paragraph}"
        return "Figure: " + shortened(said.strip(": ").replace('"', "'"))
    def __call__(self, part):
        if part["figure"]: return named(part["figure"], self.name())
        if said := plain(part[part.lastgroup]): setattr(self, part.lastgroup, said)
        return FIGURE.sub(lambda m: named(m[0], self.name()), part[0])   # a figure within a heading or a paragraph

def name_figures():
    "A name for every figure: the cell's fig-alt, else the paragraph above it."
    def with_names(text):
        start = max(text.find("<main"), 0)
        return text[:start] + PART.sub(Namer(), text[start:])
    for page in SITE.rglob("*.html"): edit(page, with_names)

# ---- less to load ----

def no_fonts():
    "The themes ask Google for their fonts; the system's do."
    imported = r'@import\s*(?:url\((?:"https?:[^"]*"|https?:[^)]*)\)|"https?:[^"]*");?'
    for p in SITE.rglob("*.css"): edit(p, lambda text: re.sub(imported, "", text))

def used_icons():
    "The icons that the pages name."
    files = [*SITE.rglob("*.html"), *(SITE/"site_libs").glob("smalldocs.*")]
    return set(re.findall(r"\bbi-[a-z0-9-]+", " ".join(p.read_text() for p in files)))

def cut_font(file, codes):
    "Keep these characters of a font."
    from fontTools import subset
    options = subset.Options(flavor="woff")
    font, cut = subset.load_font(file, options), subset.Subsetter(options)
    cut.populate(unicodes=codes)
    cut.subset(font)
    subset.save_font(font, file, options)

def few_icons():
    "The icons that the pages use instead of all 2,000: 200 KB less on every page."
    library = SITE/"site_libs"/"bootstrap-icons"
    css, fonts = library/"bootstrap-icons.min.css", library/"fonts"
    if not css.exists(): return
    text, rule = css.read_text(), r'\.(bi-[a-z0-9-]+)::before\{content:"\\([0-9a-f]+)"\}'
    codes, used = dict(re.findall(rule, text)), used_icons()
    keep = {name: codes[name] for name in sorted(used & codes.keys())}
    cut_font(str(fonts/"bootstrap-icons.woff"), [int(c, 16) for c in keep.values()])
    (fonts/"bootstrap-icons.woff2").unlink(missing_ok=True)
    head = re.sub(r'url\("?[^)]*?woff2[^)]*\) format\("woff2"\),', "", re.sub(rule, "", text))
    css.write_text(head + "".join(f'.{name}::before{{content:"\\{code}"}}' for name, code in keep.items()))

def main():
    if "--sidebar" in sys.argv: return sidebar()
    if "--names" in sys.argv: return name_figures()     # after Quarto
    lay_out(process())
    for finish in (short_names, ship_katex, name_figures, no_fonts, few_icons): finish()
    print(f"The site is in {SITE.relative_to(ROOT)}: open {SITE.relative_to(ROOT)}/index.html")

if __name__ == "__main__": main()
