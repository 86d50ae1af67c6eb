"""README.md is nbs/index.ipynb as Markdown. With --check, fail when they differ."""
import sys
from pathlib import Path
import nbformat

ROOT = Path(__file__).resolve().parents[1]

def shown(out):
    "An output as Markdown: its own, or its text in a block."
    data = out.get("data", {})
    text = "".join(data.get("text/markdown") or data.get("text/plain") or out.get("text", ""))
    if "text/markdown" in data: return text
    return f"```\n{text.strip()}\n```" if text.strip() else ""

def part(cell):
    "A cell as Markdown; code with what it shows."
    if cell.cell_type == "markdown": return cell.source.replace("](images/", "](nbs/images/")
    lines = [l for l in cell.source.split("\n") if not l.startswith("#|")]
    if "#| hide" in cell.source or not lines: return ""
    code = "\n".join(lines).strip()
    return "\n\n".join([f"```python\n{code}\n```", *filter(None, map(shown, cell.outputs))])

def markdown():
    "The whole page."
    nb = nbformat.read(ROOT/"nbs"/"index.ipynb", 4)
    body = "\n\n".join(filter(None, map(part, nb.cells)))
    return f"<!-- Made from nbs/index.ipynb by .ci/readme.py; edit that. -->\n\n{body}\n"

if __name__ == "__main__":
    path, new = ROOT/"README.md", markdown()
    if "--check" not in sys.argv: path.write_text(new)
    elif not path.exists() or path.read_text() != new: sys.exit("README.md differs from nbs/index.ipynb; run: python .ci/readme.py")
