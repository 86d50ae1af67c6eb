"""nbs/images/rooms.svg: which rooms there are and which use which, drawn from the imports.
With --check, fail when the drawing is out of date."""
import ast, sys
from collections import Counter
from docs import ROOMS, ROOT, in_group

FILE = ROOT/"nbs"/"images"/"rooms.svg"
DOES = {
    "Words": "how concrete a word is, which words can be replaced, which one is",
    "Negatives": "the caption rewritten, the picture painted, kept as a ConcreteBatch",
    "The loss": "why a hard negative starves, and the margin that feeds it",
    "Training": "any open_clip model, the papers' recipes, a loop that resumes",
    "Evaluation": "benchmarks with ties, chance and intervals",
    "Analysis": "what concreteness has to do with it; long captions; audits",
    "Figures and widgets": "every figure and table of the papers; sliders",
    "Studies and commands": "whole experiments; the command concrete-jungle"}
LEFT, WIDE, HIGH, GAP = 150, 700, 48, 10   # of a box, in pixels
BLUE = "#4269d0"

# ---- what is drawn ----

def rooms():
    "Module -> its group, in order."
    files = sorted(p.stem for p in (ROOT/"nbs").glob("[0-9]*_*.ipynb"))
    return {file.split("_", 1)[1]: group for file in files for group, span in ROOMS.items() if in_group(file, span)}

def used(name):
    "Modules of the package that a module imports, anywhere in it."
    found = set()
    for node in ast.walk(ast.parse((ROOT/"concrete_jungle"/f"{name}.py").read_text())):
        if not isinstance(node, ast.ImportFrom): continue
        ours = node.level or (node.module or "").startswith("concrete_jungle.")
        if ours: found.add((node.module or node.names[0].name).split(".")[-1])
    return found

def uses(group):
    "(group, group that it uses) -> how many imports; core, which all use, is left out."
    return Counter((group[a], group[b]) for a in group for b in used(a) if b != "core" and group[a] != group[b])

# ---- how ----

def frame(high):
    "The opening tag, the arrow's head and a white ground."
    wide = LEFT + WIDE + 6
    marker = 'id="to" markerUnits="userSpaceOnUse" markerWidth="7" markerHeight="7" refX="6" refY="3.5" orient="auto"'
    return [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="system-ui, sans-serif">',
            f'<defs><marker {marker}><path d="M0,0 L7,3.5 L0,7 Z" fill="{BLUE}"/></marker></defs>',
            f'<rect width="{wide}" height="{high}" fill="#fff"/>']

def arc(user, other, n, place):
    "An arrow from a group to one that it uses, wider for more imports."
    y, to = place[user] - 6, place[other] + 8
    x = LEFT - ((place[user] - place[other])*.27 + 20)
    width = min(.7 + .25*n, 2.6)
    line = f'stroke="{BLUE}" stroke-opacity=".55" stroke-width="{width:.2f}" marker-end="url(#to)"'
    return (f'<path d="M{LEFT},{y} C{x},{y} {x},{to} {LEFT-2},{to}" fill="none" {line}>'
            f'<title>{user} uses {other}: {n} imports</title></path>')

def box(name, names, y):
    "A group: what it is for, and its rooms."
    top, x = y - HIGH/2, LEFT + 12
    does = f'<tspan dx="10" font-size="12.5" font-weight="400" fill="#555">{DOES[name]}</tspan>'
    return [f'<rect x="{LEFT}" y="{top}" width="{WIDE}" height="{HIGH}" rx="6" fill="#f4f6fb" stroke="#c5cde0"/>'
            f'<text x="{x}" y="{top+19}" font-size="14" font-weight="600" fill="#222">{name}{does}</text>',
            f'<text x="{x}" y="{top+38}" font-size="12" fill="#27408b" xml:space="preserve">{"  ".join(names)}</text>']

def drawing():
    "The drawing as SVG: a box a group with its rooms, and an arc from each group to each that it uses."
    group = rooms()
    place = {name: i*(HIGH + GAP) + HIGH/2 + 4 for i, name in enumerate(ROOMS)}
    out = frame(len(ROOMS)*(HIGH + GAP))
    out += [arc(user, other, n, place) for (user, other), n in sorted(uses(group).items())]
    for name, y in place.items(): out += box(name, [r for r in group if group[r] == name], y)
    return "\n".join(out) + "\n</svg>\n"

if __name__ == "__main__":
    new = drawing()
    if "--check" not in sys.argv: FILE.write_text(new)
    elif not FILE.exists() or FILE.read_text() != new:
        sys.exit("nbs/images/rooms.svg differs from the imports; run: python .ci/rooms.py")
