#!/usr/bin/env python3
"""
The page, as a browser shows it: index.html in headless Chromium, light, dark and on a phone. Nothing in the console,
nothing fetched from anywhere but the page's own directory, all pictures there, no link to nowhere, nothing wider than a
phone, text that can be read on its background, headings in order, and the tables with all their rows and marks. And the
file itself: every element is closed, in order, and nothing of the template is left.
Needs chromium and chromedriver; speaks WebDriver, JSON over HTTP.

  page.py DIRECTORY
"""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from common import expect, finish, read

VIEWS = {"light": (1100, "light"), "dark": (1100, "dark"), "phone": (390, "light")}

LOOK = r"""
const style = getComputedStyle(document.body);
const all = (selector) => [...document.querySelectorAll(selector)];
for (const details of all('details')) details.open = true;
return {
    background: style.backgroundColor, ink: style.color,
    width: innerWidth, content: document.documentElement.scrollWidth,
    images: document.images.length,
    missing: [...document.images].filter((i) => !i.complete || i.naturalWidth === 0).map((i) => i.alt),
    unnamed: [...document.images].filter((i) => i.alt === '').length,
    links: all('[href], [src]').map((e) => e.getAttribute('href') ?? e.getAttribute('src')).map((s) => s.slice(0, 200)),
    ids: all('[id]').map((e) => e.id),
    headings: all('h1, h2, h3, h4, h5, h6').map((e) => [Number(e.tagName[1]), e.textContent]),
    tables: all('table').map((t) => [t.tBodies[0].rows.length, t.querySelectorAll('td.wrong').length,
        [...t.rows].filter((r) => r.cells.length !== t.rows[0].cells.length).length]),
    title: document.title, language: document.documentElement.lang,
};
"""


class Browser:
    """A session of its own, with a profile that is thrown away"""

    def __init__(self, driver, browser):
        self.profile = tempfile.TemporaryDirectory(prefix="podium-page-", ignore_cleanup_errors=True)
        self.process = subprocess.Popen([driver, "--port=0"], text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        self.base = None
        for line in self.process.stdout:
            port = re.search(r"started successfully on port (\d+)", line)
            if port:
                self.base = "http://127.0.0.1:" + port[1]
                break
        if self.base is None:
            sys.exit("page.py: chromedriver does not start")
        arguments = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + self.profile.name]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # which root must do without
        options = {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                   "goog:chromeOptions": {"binary": browser, "args": arguments}}
        self.session = ""
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": options}})
        self.session = "/session/" + session["sessionId"]

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.base + self.session + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            sys.exit("page.py: chromedriver says: " + json.load(error)["value"]["message"].split("\n")[0])

    def develop(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def run(self, script):
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def show(self, url, width, scheme):
        self.develop("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.develop("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                     mobile=width < 500)
        self.call("POST", "/url", {"url": url})

    def close(self):
        try:
            if self.session:
                self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()
            self.profile.cleanup()


def luminance(colour):
    """Of "rgb(r, g, b)", 0 to 1, as the Web Content Accessibility Guidelines define it"""
    parts = [int(part) / 255 for part in re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", colour).groups()]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def check_colours(name, seen):
    background, ink = luminance(seen["background"]), luminance(seen["ink"])
    dark = VIEWS[name][1] == "dark"
    expect(background < 0.05 if dark else background > 0.9, name, "has a background of luminance", background)
    contrast = (max(background, ink) + 0.05) / (min(background, ink) + 0.05)
    expect(contrast >= 7, name, "has text of contrast", contrast)  # level AAA


def check_links(name, directory, seen):
    expect(len(seen["ids"]) == len(set(seen["ids"])), name, "uses an id twice:", seen["ids"])
    files = set()
    for link in seen["links"]:
        if link.startswith("#"):
            expect(link[1:] in seen["ids"], name, "has no target for", link)
        elif not link.startswith("data:"):
            expect(re.fullmatch(r"[a-z0-9-]+\.(csv|svg|png|md)", link), name, "links to", link)
            expect(os.path.isfile(os.path.join(directory, link)), name, "links to a file that is not there:", link)
            files.add(link)
    data = {file for file in os.listdir(directory) if file.endswith((".csv", ".svg", ".png"))}
    expect(files >= data, name, "does not link to", data - files)


def check_headings(name, seen):
    levels = [level for level, _ in seen["headings"]]
    expect(levels[:1] == [1] and levels.count(1) == 1, name, "has headings of levels", levels)
    expect(all(b <= a + 1 for a, b in zip(levels, levels[1:])), name, "skips a level of headings:", levels)
    expect(all(text.strip() for _, text in seen["headings"]), name, "has an empty heading")


def check_tables(name, directory, seen):
    wanted = []
    for file, columns in (("table1.csv", 5), ("table2.csv", 6)):
        rows = read(directory, file)
        wanted.append([len(rows) // columns, sum(row["wrong"] == "yes" for row in rows), 0])
    for file in ("privacy", "high-privacy", "low-privacy", "simulation", "ages", "truncated-noise"):
        wanted.append([len(read(directory, file + ".csv")), 0, 0])
    expect(seen["tables"] == wanted, name, "has tables of [rows, marks, uneven rows]", seen["tables"], "not", wanted)


def check_fetched(name, browser, directory):
    """What the page asked for (a new tab asks for its own things). First for itself, or else nothing was recorded."""
    page = directory.as_uri() + "/index.html"
    events = [json.loads(entry["message"])["message"] for entry in browser.log("performance")]
    urls = [event["params"]["request"]["url"] for event in events
            if event["method"] == "Network.requestWillBeSent" and event["params"]["documentURL"] == page]
    expect(page in urls, name, "was not seen to be loaded")
    for url in urls:
        expect(url == page or url.startswith("data:"), name, "fetches", url[:200])


def check_view(name, browser, directory):
    browser.show(directory.as_uri() + "/index.html", *VIEWS[name])
    for _ in range(100):  # a picture in the page itself may be decoded after the page is there
        seen = browser.run(LOOK)
        if not seen["missing"]:
            break
        time.sleep(0.1)
    for entry in browser.log("browser"):
        expect(entry["level"] not in ("SEVERE", "WARNING"), name, "says in the console:", entry["message"])
    expect(seen["images"] == 6, name, "has", seen["images"], "images")
    expect(not seen["missing"], name, "does not show", seen["missing"])
    expect(seen["unnamed"] == 0, name, "has images without a text instead")
    expect(seen["width"] == VIEWS[name][0], name, "is", seen["width"], "wide")
    expect(seen["content"] <= seen["width"], name, "is wider than its window:", seen["content"])
    expect(seen["title"] != "" and seen["language"] == "en", name, "has no title or language")
    check_colours(name, seen)
    check_links(name, directory, seen)
    check_headings(name, seen)
    check_tables(name, directory, seen)
    check_fetched(name, browser, directory)


class Markup(html.parser.HTMLParser):
    """Elements that are open; a browser would close them where it sees fit"""
    EMPTY = {"br", "img", "link", "meta"}

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        top = self.open.pop() if self.open else None
        expect(tag == top, "line %d closes %s in %s" % (self.getpos()[0], tag, top))


def check_markup(directory):
    text = (directory / "index.html").read_text(encoding="utf-8")
    markup = Markup()
    markup.feed(text)
    markup.close()
    expect(not markup.open, "the page does not close", markup.open)
    for left in ("{{", "}}", "<!--", "-->"):
        expect(left not in text, "the page has", left)


def installed(program):
    path = shutil.which(program)
    if path is None:
        sys.exit("page.py: %s is not installed: apt install chromium chromium-driver" % program)
    return path


def main():
    directory = pathlib.Path(sys.argv[1]).resolve(strict=True)
    browser = Browser(installed("chromedriver"), installed("chromium"))
    try:
        for name in VIEWS:
            check_view(name, browser, directory)
    finally:
        browser.close()
    check_markup(directory)
    finish("page")


main()
