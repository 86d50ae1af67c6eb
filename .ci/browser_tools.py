"""What the browser tests share: Chromium, a server to look at, a page that keeps its faults, clicks and waits with names."""
import contextlib, os, shutil, socket, subprocess, sys, time, traceback, urllib.error, urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT, SITE, BIN = ROOT/"build"/"browser", ROOT/"_docs", Path(sys.executable).parent
WORK = OUT/"work"   # where the servers run
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]
SOON, LONG = 20_000, 120_000   # milliseconds for what answers at once, and for what trains or mines
RESULTS = []   # (step, why it failed or "")

# ---- Chromium ----

def executable():
    "Where Chromium is; leaves where it is not."
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name): return found
    sys.exit("Chromium is not installed, so nothing was tested in a browser; on Debian or Ubuntu: sudo apt-get install -y chromium")

@contextlib.contextmanager
def chromium():
    "A running Chromium."
    path = executable()
    from playwright.sync_api import sync_playwright
    with sync_playwright() as pw:
        browser = pw.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()

@contextlib.contextmanager
def step(name):
    "Run a check, note how it went, go on."
    start = time.time()
    try:
        yield
        RESULTS.append((name, ""))
        print(f"passed  {name} ({time.time()-start:.0f} s)", flush=True)
    except Exception as e:
        RESULTS.append((name, str(e)))
        print(f"FAILED  {name}: {type(e).__name__}: {str(e)[:1500]}", flush=True)
        traceback.print_exc(limit=-3)

class Page:
    "A page whose console errors and failed requests are kept."
    def __init__(self, browser, width=1280, height=900):
        self.context = browser.new_context(viewport=dict(width=width, height=height), permissions=["clipboard-read", "clipboard-write"])
        self.page, self.faults = self.context.new_page(), []
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda e: self.faults.append(f"error: {str(e)[:200]}"))
        self.page.on("response", self.got)
    def heard(self, message):
        where = message.location.get("url", "")[:120]
        if message.type == "error": self.faults.append(f"console: {message.text[:200]} ({where})")
    def got(self, response):
        if response.status >= 400: self.faults.append(f"{response.status}: {response.url[:150]}")
    def shot(self, name, whole=False): self.page.screenshot(path=OUT/f"{name}.png", full_page=whole)
    def close(self): self.context.close()

@contextlib.contextmanager
def opened(browser, name):
    "A page of its own; a screenshot when what is done with it fails."
    p = Page(browser)
    try: yield p
    except BaseException:
        p.shot(f"failed-{name}")
        raise
    finally: p.close()

# ---- servers ----

def free_port():
    "A port that nobody listens on."
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]

def data():
    "Where the open photographs lie, if anywhere."
    for d in (os.environ.get("CONCRETE_JUNGLE_DATA"), ROOT.parent/"shared"/"data", Path.home()/".cache"/"concrete_jungle"):
        if d and (Path(d)/"coco_free"/"photos.json").exists(): return Path(d)

def environment():
    "This process' environment with a home, settings and data of the test's own."
    own = dict(PYTHONPATH=ROOT, HOME=OUT/"home", JUPYTER_CONFIG_DIR=OUT/"config", IPYTHONDIR=OUT/"ipython")
    env = {**os.environ, **{k: str(v) for k, v in own.items()}, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    env.setdefault("CONCRETE_JUNGLE_DATA", str(data() or ""))
    return {k: v for k, v in env.items() if v}

def wait_until_answers(process, url, log):
    "Ask until the server answers, whatever it says; two minutes at least."
    for _ in range(240):
        if process.poll() is not None: raise RuntimeError(f"{log.stem} ended: {log.read_text()[-800:]}")
        try: return urllib.request.urlopen(url, timeout=120).close()
        except urllib.error.HTTPError: return
        except OSError: time.sleep(.5)

@contextlib.contextmanager
def server(words, path=""):
    "A command's server on a free port, stopped at the end; yields its address."
    port, log = free_port(), OUT/f"{words[0]}.log"
    url = f"http://127.0.0.1:{port}/"
    command = [str(w).replace("{port}", str(port)) for w in (BIN/words[0], *words[1:])]
    with open(log, "w") as out:
        process = subprocess.Popen(command, cwd=WORK, env=environment(), stdout=out, stderr=out)
        try:
            wait_until_answers(process, url + path, log)
            yield url
        finally:
            process.terminate()
            process.wait(20)

# ---- clicks and waits ----

def shown(page, text, timeout=LONG):
    "Wait until a text stands on the page, in one place or more."
    page.get_by_text(text).first.wait_for(timeout=timeout)

def says(page, text, timeout=SOON):
    "Wait until a text stands on the page, in one place."
    page.get_by_text(text).wait_for(timeout=timeout)

def click(page, name):
    "Press the button of that name."
    page.get_by_role("button", name=name).click()

def fill(page, label, text):
    "Type into the field of that label, and Enter."
    page.get_by_label(label, exact=True).fill(text)
    page.keyboard.press("Enter")

def slider(page, label):
    "The slider beside a labelled number field."
    return page.locator(".widget-hbox", has=page.get_by_label(label, exact=True)).last.get_by_role("slider").first

def drag(page, knob, by):
    "Drag a slider's handle so many pixels to the right, in small steps."
    knob.scroll_into_view_if_needed()
    page.wait_for_timeout(200)
    box = knob.bounding_box()
    x, y = box["x"] + box["width"]/2, box["y"] + box["height"]/2
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 7):
        page.mouse.move(x + by*k/6, y)
        page.wait_for_timeout(60)
    page.mouse.up()

def note(page):
    "What the explorer says under its picture."
    return page.locator(".cj-note").inner_text()

def note_changes(page, before, timeout=SOON):
    "Wait until the explorer says something else."
    page.wait_for_function("b => document.querySelector('.cj-note').innerText !== b", arg=before, timeout=timeout)

def pixels(picture):
    "Width of a picture that has loaded; 0 for one that has not."
    return picture.evaluate("i => i.naturalWidth")
