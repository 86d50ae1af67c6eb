"""Every widget and every page in a real browser: python .ci/browser.py [--only PART] (make test-browser).

Playwright drives Debian's Chromium. Screenshots go to build/browser/; look at them."""
import argparse, sys
from browser_docs import test_docs
from browser_tools import OUT, RESULTS, ROOT, WORK, chromium
from browser_widgets import APPS, WIDGETS, mine_batch, test_app, test_voila

def make_folders():
    "Where the servers run and the screenshots go; JupyterLab asks for no news."
    for folder in (WORK, OUT/"home", OUT/"config"): folder.mkdir(parents=True, exist_ok=True)
    settings = OUT/"config"/"lab"/"user-settings"/"@jupyterlab"/"apputils-extension"
    settings.mkdir(parents=True, exist_ok=True)
    (settings/"notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')

def test(browser, only):
    "All of it, or the part that is named."
    if only in (None, *APPS, "BatchBrowser"): mine_batch()
    for app in APPS:
        if only in (None, app, *WIDGETS): test_app(browser, app, only)
    if only in (None, "voila"): test_voila(browser)
    if only in (None, "docs"): test_docs(browser)

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="lab, notebook, voila, docs or a widget's name")
    only = parser.parse_args().only
    make_folders()
    with chromium() as browser: test(browser, only)
    bad = [name for name, why in RESULTS if why]
    print(f"{len(RESULTS)-len(bad)} passed, {len(bad)} failed; screenshots in {OUT.relative_to(ROOT)}")
    sys.exit(bool(bad))

if __name__ == "__main__": main()
