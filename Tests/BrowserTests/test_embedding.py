"""The pad in pages that are not the server's own."""

import functools
import http.server
import re
import shutil
import threading

import pytest
from playwright.sync_api import expect

from server import DEMO, ROOT

README = (ROOT / "README.md").read_text()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Site:
    """A folder served as it is, by somebody else's server."""

    def __init__(self, folder):
        handler = functools.partial(Quiet, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.port = self.server.server_port
        self.site = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def other(tmp_path):
    (tmp_path / "site").mkdir()
    site = Site(tmp_path / "site")
    yield site
    site.stop()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def readme_page(port):
    """The page that the README gives to other sites, for a server on `port`."""
    block = blocks("html")[1]
    assert ":8080/" in block
    return "<!doctype html>\n<title>Ours</title>\n<link rel=\"icon\" href=\"data:,\">\n" + block.replace(":8080/", f":{port}/")


def test_a_page_beside_the_servers_own_works_as_the_readme_says(screen, start, tmp_path):
    own = shutil.copytree(ROOT / "web", tmp_path / "web")
    (own / "ours.html").write_text(
        "<!doctype html>\n<title>Ours</title>\n<link rel=\"icon\" href=\"favicon.svg\">\n<script type=\"module\" src=\"ours.js\"></script>\n"
        + blocks("html")[0])
    (own / "ours.js").write_text(blocks("js")[0])
    server = start("--web-root", str(own))
    ours, pad = screen("/ours.html", at=server), screen("/pad.html?room=board:lesson", at=server)
    pad.wait_until_connected()
    ours.wait_until_connected()
    with ours.page.expect_console_message(lambda said: said.text.startswith("finished")):
        pad.draw((0, 1))
    ours.draw(DEMO)
    ours.wait_for_phase("accepted")


def test_a_page_of_another_site_draws_as_the_readme_says(screen, start, other, tmp_path):
    origins = re.search(r"--origins (\S+)", README).group(1)
    server = start("--origins", origins.replace(":9000", f":{other.port}"))
    (tmp_path / "site/index.html").write_text(readme_page(server.port))
    pad = screen("/index.html", at=other)
    pad.wait_until_connected()
    pad.draw(DEMO)
    expect(pad.status).to_have_text("Accepted, but no lock took it up.")


def test_a_page_of_a_site_that_is_not_listed_stays_out(screen, server, other, tmp_path):
    (tmp_path / "site/index.html").write_text(readme_page(server.port))
    pad = screen("/index.html", at=other)
    expect(pad.status).to_have_text("Connection lost. Trying again …")
    assert pad.page.evaluate("() => document.querySelector('drawbolt-pad').client.welcome") is None


def test_a_site_brings_its_own_copy_of_the_element(screen, start, other, tmp_path):
    shutil.copytree(ROOT / "web", tmp_path / "site/drawbolt")
    server = start("--origins", other.site)
    page = readme_page(server.port).replace(f"{server.site}/pad-element.js", "drawbolt/pad-element.js")
    (tmp_path / "site/index.html").write_text(page)
    screen("/index.html", at=other).wait_until_connected()


def test_a_site_may_join_the_board_that_lists_it_and_no_other(screen, start, other, tmp_path):
    server = start("--boards", f"[{{ name: 'ours', origins: ['{other.site}'] }}, {{ name: '*' }}]")
    for room in ("board:ours", "board:others"):
        (tmp_path / "site/index.html").write_text(readme_page(server.port).replace("demo", room))
        pad = screen("/index.html", at=other)
        if room == "board:ours":
            pad.wait_until_connected()
        else:
            expect(pad.status).to_have_text("There is no board “others” here.")


def test_a_site_may_frame_the_pads_page_only_if_it_is_listed(screen, start, other, tmp_path):
    for flags, is_shown in ((["--frame-ancestors", other.site], True), ([], False)):
        server = start(*flags)
        (tmp_path / "site/index.html").write_text(
            "<!doctype html>\n<title>Ours</title>\n<link rel=\"icon\" href=\"data:,\">\n"
            f"<iframe src=\"{server.site}/pad.html?room=board:lesson\" height=\"600\"></iframe>")
        one = screen("/index.html", at=other)
        pad = one.page.frame_locator("iframe").locator("drawbolt-pad svg .node")
        if is_shown:
            expect(pad.first).to_be_visible()
        else:
            one.page.wait_for_function("() => document.readyState === 'complete'")
            expect(pad).to_have_count(0)
            one.complaints.clear()


def test_the_element_is_told_by_as_what_it_is_and_leaves_the_role_to_aria(screen):
    page = screen("/index.html").page
    page.evaluate("""async () => {
      await import('/pad-element.js');
      for (const attributes of [{role: 'group'}, {as: 'viewer'}]) {
        const pad = document.createElement('drawbolt-pad');
        pad.setAttribute('room', 'board:as');
        for (const [name, value] of Object.entries(attributes)) pad.setAttribute(name, value);
        document.body.append(pad); } }""")
    page.wait_for_function(
        "() => [...document.querySelectorAll('drawbolt-pad')].every(({client}) => client.welcome)")
    assert page.evaluate("""() => [...document.querySelectorAll('drawbolt-pad')].map((pad) =>
      [pad.getAttribute('role'), pad.client.welcome.role])""") == [["group", "controller"], [None, "viewer"]]
