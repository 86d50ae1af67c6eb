"""nbs/images/rooms.svg: which rooms there are and which use which, drawn from the imports. With --check, fail when the drawing is out of date."""
import ast, sys
from collections import Counter
from pathlib import Path
from docs import ROOMS, ROOT

FILE = ROOT/"nbs"/"images"/"rooms.svg"
DOES = {"Words": "how concrete a word is, which words can be replaced, which one is", "Negatives": "the caption rewritten, the picture painted, kept as a ConcreteBatch",
        "The loss": "why a hard negative starves, and the margin that feeds it", "Training": "any open_clip model, the papers' recipes, a loop that resumes",
        "Evaluation": "benchmarks with ties, chance and intervals", "Analysis": "what concreteness has to do with it; long captions; audits",
        "Figures and widgets": "every figure and table of the papers; sliders", "Studies and commands": "whole experiments; the command concrete-jungle"}
LEFT, WIDE, HIGH, GAP = 150, 700, 48, 10   # of a box, in pixels

def rooms():
    "Module -> its group, in order."
    names = [p.stem.split("_", 1) for p in sorted((ROOT/"nbs").glob("[0-9]*_*.ipynb"))]
    return {name: group for number, name in names for group, span in ROOMS.items() if span[:2] <= number[:2] <= span[3:]}

def used(name):
    "Modules of the package that a module imports, anywhere in it."
    for node in ast.walk(ast.parse((ROOT/"concrete_jungle"/f"{name}.py").read_text())):
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("concrete_jungle.")): yield (node.module or node.names[0].name).split(".")[-1]

def drawing():
    "The drawing as SVG: a box a group with its rooms, and an arc from each group to each that it uses."
    group = rooms(); place = {g: i*(HIGH + GAP) + HIGH/2 + 4 for i, g in enumerate(ROOMS)}
    edges = Counter((group[a], group[b]) for a in group for b in set(used(a)) if b != "core" and group[a] != group[b])
    high = len(ROOMS)*(HIGH + GAP); out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDE + 6} {high}" font-family="system-ui, sans-serif">',
        '<defs><marker id="to" markerUnits="userSpaceOnUse" markerWidth="7" markerHeight="7" refX="6" refY="3.5" orient="auto"><path d="M0,0 L7,3.5 L0,7 Z" fill="#4269d0"/></marker></defs>',
        f'<rect width="{LEFT + WIDE + 6}" height="{high}" fill="#fff"/>']
    for (a, b), n in sorted(edges.items()):
        y, to = place[a] - 6, place[b] + 8; far = (place[a] - place[b])*.27 + 20
        out.append(f'<path d="M{LEFT},{y} C{LEFT-far},{y} {LEFT-far},{to} {LEFT-2},{to}" fill="none" stroke="#4269d0" stroke-opacity=".55" stroke-width="{min(.7 + .25*n, 2.6):.2f}" marker-end="url(#to)"><title>{a} uses {b}: {n} imports</title></path>')
    for g, y in place.items():
        top = y - HIGH/2
        out.append(f'<rect x="{LEFT}" y="{top}" width="{WIDE}" height="{HIGH}" rx="6" fill="#f4f6fb" stroke="#c5cde0"/><text x="{LEFT+12}" y="{top+19}" font-size="14" font-weight="600" fill="#222">{g}'
                   f'<tspan dx="10" font-size="12.5" font-weight="400" fill="#555">{DOES[g]}</tspan></text>')
        out.append(f'<text x="{LEFT+12}" y="{top+38}" font-size="12" fill="#27408b" xml:space="preserve">{"  ".join(n for n in group if group[n] == g)}</text>')
    return "\n".join(out) + "\n</svg>\n"

if __name__ == "__main__":
    new = drawing()
    if "--check" not in sys.argv: FILE.write_text(new)
    elif not FILE.exists() or FILE.read_text() != new: sys.exit("nbs/images/rooms.svg differs from the imports; run: python .ci/rooms.py")
