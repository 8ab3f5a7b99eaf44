"""What all browser tests share: a server of their own, one browser, and a hand that draws."""

import shutil

import pytest
from playwright.sync_api import sync_playwright

from server import Server

PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "has_touch": True,
         "is_mobile": True}
# Several pages are on the screen at once, as they are for people; none may be slowed down as hidden.
FLAGS = ["--no-sandbox", "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
         "--disable-backgrounding-occluded-windows"]


@pytest.fixture(scope="session")
def browser():
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def start(tmp_path):
    """Starts servers with data of their own, and stops them at the end."""
    servers = []

    def start_server(*flags):
        servers.append(Server(tmp_path / f"data-{len(servers)}", 0, *flags))
        return servers[-1]

    yield start_server
    for one in servers:
        one.stop()


@pytest.fixture
def server(start):
    return start()


class Screen:
    """One page in a browser context of its own; whatever it complains about fails the test."""

    def __init__(self, browser, server, path, **options):
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.complaints = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._console)
        self.page.expose_function(
            "complain", lambda violation: self.complaints.append(violation))
        self.page.add_init_script(
            "addEventListener('securitypolicyviolation', (event) =>"
            " complain(`${event.violatedDirective}: ${event.blockedURI}`))")
        self.url = server.site + path
        self.page.goto(self.url)

    def _console(self, message):
        # A lost connection is reported by the browser itself; the tests cause some.
        if message.type == "error" and "WebSocket" not in message.text:
            self.complaints.append(message.text)

    @property
    def svg(self):
        return self.page.locator("drawbolt-pad svg")

    @property
    def status(self):
        return self.page.locator("drawbolt-pad .status")

    def phase(self):
        return self.svg.get_attribute("data-phase")

    def wait_for_phase(self, *phases, timeout=10_000):
        self.page.wait_for_function(
            "phases => phases.includes(document.querySelector('drawbolt-pad').shadowRoot"
            ".querySelector('svg').dataset.phase)", arg=list(phases), timeout=timeout)

    def wait_until_connected(self, timeout=15_000):
        self.page.wait_for_function(
            "() => document.querySelector('drawbolt-pad').client.status === 'connected'"
            " && document.querySelector('drawbolt-pad').shadowRoot.querySelector('svg .node')",
            timeout=timeout)

    def lit(self):
        return self.page.evaluate(
            "() => [...document.querySelector('drawbolt-pad').shadowRoot.querySelectorAll('.node')]"
            ".flatMap((node, index) => node.classList.contains('lit') ? [index] : [])")

    def wait_for_lit(self, nodes, timeout=10_000):
        self.page.wait_for_function(
            "nodes => JSON.stringify([...document.querySelector('drawbolt-pad').shadowRoot"
            ".querySelectorAll('.node')].flatMap((node, index) => node.classList.contains('lit')"
            " ? [index] : [])) === JSON.stringify(nodes)", arg=sorted(nodes), timeout=timeout)

    def place(self, node):
        """Where a node's centre is on the page, however the pad is scrolled, zoomed or turned."""
        return tuple(self.page.evaluate(
            "node => { const root = document.querySelector('drawbolt-pad').shadowRoot;"
            " const box = root.querySelectorAll('.node')[node].querySelector('.dot')"
            ".getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; }", node))

    def finger(self):
        return Finger(self)

    def draw(self, nodes, steps=4):
        """Draws with the mouse, which needs no touch screen."""
        mouse = self.page.mouse
        mouse.move(*self.place(nodes[0]))
        mouse.down()
        for node in nodes[1:]:
            mouse.move(*self.place(node), steps=steps)
        mouse.up()

    def close(self):
        self.context.close()


class Finger:
    """Touches by the browser's own input events, as a touch screen makes them."""

    def __init__(self, screen):
        self.session = screen.context.new_cdp_session(screen.page)

    def send(self, kind, *points, first=0):
        """One event of fingers that are numbered from `first`; a `touchEnd` lifts those it lists, or all."""
        self.session.send("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [
                {"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points, first)]})

    def draw(self, *places):
        self.send("touchStart", places[0])
        for place in places[1:]:
            self.send("touchMove", place)
        self.send("touchEnd")


@pytest.fixture
def screen(browser, server):
    screens = []

    def open_screen(path, at=server, **options):
        screens.append(Screen(browser, at, path, **options))
        return screens[-1]

    yield open_screen
    complaints = [complaint for screen in screens for complaint in screen.complaints]
    for one in screens:
        one.close()
    assert complaints == []
