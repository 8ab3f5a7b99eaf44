"""Somebody draws on a phone; mirrors show it; the lock opens."""

import functools
import re
import shutil
import time

from playwright.sync_api import expect

from conftest import PHONE
from server import DEMO, ROOT

# Each tells what it shows, when the frame that shows it is drawn. A pad's SVG is in its shadow.
WATCH = """(root) => { const told = new Set();
  const tell = (what) => {
    if (told.has(what)) return;
    told.add(what);
    requestAnimationFrame(() => window.shown(what)); };
  const look = () => {
    if (root.id === 'bolt') return root.classList.contains('open') && tell('open');
    tell(`${root.dataset.phase} ${root.querySelectorAll('.lit').length}`); };
  new MutationObserver(look).observe(
    root, {subtree: true, attributes: true, attributeFilter: ['class', 'data-phase']}); }"""
def pads(screen, *paths, **options):
    screens = [screen(path, **options) for path in paths]
    for one in screens:
        one.wait_until_connected()
    return screens


def wait_for_lock(lock):
    expect(lock.page.locator("#status")).to_have_text("Connected.")


class Watch:
    """When pages showed what, by this process's clock: what it takes to tell is in it too."""

    def __init__(self, pages):
        self.times = {}
        for name, (one, selector) in pages.items():
            one.page.expose_function("shown", functools.partial(self._shown, name))
            one.page.locator(selector).evaluate(WATCH)

    def _shown(self, name, what):
        self.times.setdefault((name, what), time.monotonic())

    def wait(self, page, *shown):
        """Gives the time at which the last of these was shown."""
        deadline = time.monotonic() + 10
        while not all(one in self.times for one in shown):
            assert time.monotonic() < deadline, self.times
            page.wait_for_timeout(1)
        return max(self.times[one] for one in shown)


def test_a_touch_on_a_phone_opens_the_lock_and_shows_on_two_mirrors_within_the_same_second(screen):
    (pad,) = pads(screen, "/pad.html?name=Ana", **PHONE)
    mirrors = pads(screen, "/mirror.html", "/mirror.html")
    lock = screen("/lock.html")
    wait_for_lock(lock)
    finger = pad.finger()
    # The first stroke is for the machines: pages compile their scripts, the server wakes its threads.
    finger.draw(*[pad.place(node) for node in DEMO])
    expect(lock.page.locator("#bolt")).to_have_class("card bolt open")
    expect(lock.page.locator("#state")).to_have_text("Closed", timeout=10_000)
    for one in mirrors:
        one.wait_for_phase("idle")
    places = [pad.place(node) for node in DEMO]
    mirror = "drawbolt-pad svg"
    watch = Watch({"left": (mirrors[0], mirror), "right": (mirrors[1], mirror), "lock": (lock, "#bolt")})
    pressed = time.monotonic()
    finger.send("touchStart", places[0])
    lit = watch.wait(pad.page, ("left", "drawing 1"), ("right", "drawing 1"))
    for place in places[1:]:
        finger.send("touchMove", place)
    lifted = time.monotonic()
    finger.send("touchEnd")
    done = watch.wait(pad.page, ("left", "accepted 5"), ("right", "accepted 5"), ("lock", "open"))
    assert lit - pressed < 1 and done - lifted < 1, watch.times
    expect(pad.status).to_have_text("Accepted. The lock is open.")
    expect(mirrors[0].page.locator("#viewers")).to_have_text("2 watching")


def test_a_lock_page_that_does_not_say_so_stays_closed_for_a_demo_grant(screen, start, tmp_path):
    own = shutil.copytree(ROOT / "web", tmp_path / "web")
    page = own / "lock.html"
    page.write_text(page.read_text().replace(" data-accepts-demo>", ">"))
    server = start("--web-root", str(own))
    (pad,) = pads(screen, "/pad.html", at=server)
    lock = screen("/lock.html", at=server)
    wait_for_lock(lock)
    pad.draw(DEMO)
    expect(lock.page.locator("#why")).to_have_text("A grant was refused: it is for demonstrations only")
    expect(lock.page.locator("#state")).to_have_text("Closed")


def test_a_fast_swipe_of_three_samples_misses_no_node(screen):
    (pad,) = pads(screen, "/pad.html?room=board:swipe", **PHONE)
    pad.finger().draw(pad.place(0), pad.place(2), pad.place(8))
    pad.wait_for_phase("finished")
    pad.wait_for_lit((0, 1, 2, 5, 8))


def test_a_pad_that_is_scrolled_zoomed_and_turned_follows_the_finger(screen):
    (pad,) = pads(screen, "/pad.html?room=board:turned")
    for style in ("margin-top: 900px", "zoom: 0.6", "transform: rotate(90deg) scale(0.7)",
                  "transform: skewX(12deg) translate(30px, 10px)"):
        pad.page.evaluate("style => { document.querySelector('#stage').style.cssText = style; }", style)
        pad.svg.scroll_into_view_if_needed()
        pad.draw((0, 4, 8, 5))
        pad.wait_for_phase("finished")
        pad.wait_for_lit((0, 4, 5, 8))
        pad.draw((2, 1))
        pad.wait_for_lit((1, 2))


def test_the_first_of_two_fingers_draws_and_the_second_changes_nothing(screen):
    (pad,) = pads(screen, "/pad.html?room=board:two", **PHONE)
    finger = pad.finger()
    first, stray = pad.place(0), pad.place(6)
    finger.send("touchStart", first)
    finger.send("touchStart", first, stray)
    finger.send("touchMove", pad.place(1), pad.place(7))
    finger.send("touchMove", pad.place(2), pad.place(8))
    pad.page.evaluate("""() => { window.lifted = 0;
      addEventListener('pointerup', () => { window.lifted += 1; }); }""")
    finger.send("touchEnd", pad.place(8), first=1)
    pad.page.wait_for_function("() => window.lifted === 1")
    pad.wait_for_lit((0, 1, 2))
    assert pad.phase() == "drawing"
    finger.send("touchMove", pad.place(5))
    finger.send("touchEnd")
    pad.wait_for_phase("finished")
    pad.wait_for_lit((0, 1, 2, 5))


def test_a_touch_that_the_system_cancels_is_discarded(screen):
    (pad,) = pads(screen, "/pad.html?room=board:cancel", **PHONE)
    (mirror,) = pads(screen, "/mirror.html?room=board:cancel")
    finger = pad.finger()
    finger.send("touchStart", pad.place(0))
    finger.send("touchMove", pad.place(2))
    mirror.wait_for_lit((0, 1, 2))
    finger.send("touchCancel")
    mirror.wait_for_phase("cancelled")
    pad.wait_for_lit(())


def test_leaving_the_pad_goes_on_and_releasing_outside_ends_it(screen):
    (pad,) = pads(screen, "/pad.html?room=board:leave")
    mouse = pad.page.mouse
    mouse.move(*pad.place(3))
    mouse.down()
    mouse.move(*pad.place(4), steps=3)
    mouse.move(2, 2, steps=3)
    pad.wait_for_phase("drawing")
    mouse.move(*pad.place(1), steps=3)
    mouse.move(2, 2, steps=3)
    mouse.up()
    pad.wait_for_phase("finished")
    assert {1, 3, 4} <= set(pad.lit())


SPOKEN = """() => { window.spoken = [];
  const root = document.querySelector('drawbolt-pad').shadowRoot;
  for (const area of root.querySelectorAll('[aria-live], [role=status]')) {
    new MutationObserver(() => window.spoken.push(area.textContent))
      .observe(area, {childList: true, characterData: true, subtree: true}); } }"""


def test_the_keyboard_opens_the_lock_and_nothing_spoken_tells_the_code(screen):
    (pad,) = pads(screen, "/pad.html")
    pad.svg.focus()
    pad.page.evaluate(SPOKEN)
    for key in ("2", "5", "8", "9", "6", "Enter"):
        pad.page.keyboard.press(key)
    pad.wait_for_phase("accepted")
    spoken = pad.page.evaluate("() => window.spoken")
    # How many, and never which: of the numbers one to five each comes in this order, and no other.
    assert re.findall(r"\d+", " ".join(spoken)) == ["1", "2", "3", "4", "5"]
    assert not re.search("row|column", " ".join(spoken), re.IGNORECASE)
    pad.page.keyboard.press("1")
    pad.page.keyboard.press("Escape")
    pad.wait_for_lit(())


def test_arrows_tell_where_the_keyboard_is_and_space_only_how_many_dots_there_are(screen):
    (pad,) = pads(screen, "/pad.html?room=board:arrows")
    pad.svg.focus()
    pad.page.evaluate(SPOKEN)
    for key, said in (("ArrowRight", "Row 1, column 2."), ("Space", "Dots: 1."),
                      ("ArrowDown", "Row 2, column 2."), ("Space", "Dots: 2.")):
        pad.page.keyboard.press(key)
        pad.page.wait_for_function("said => window.spoken.at(-1) === said", arg=said)
    pad.page.keyboard.press("Enter")
    pad.wait_for_phase("finished")
    pad.wait_for_lit((1, 4))


def test_a_mouse_click_says_no_place_and_a_dot_that_is_used_is_said_to_be(screen):
    (pad,) = pads(screen, "/pad.html?room=board:click")
    pad.page.evaluate(SPOKEN)
    # A stroke does not take the focus, but a click that begins none does.
    pad.page.mouse.click(*pad.place(4), button="right")
    assert pad.svg.evaluate("svg => svg === svg.getRootNode().activeElement")
    assert not re.search("Row", " ".join(pad.page.evaluate("() => window.spoken")))
    for key, said in (("1", "Dots: 1."), ("2", "Dots: 2."), ("1", "Used already. Dots: 2.")):
        pad.page.keyboard.press(key)
        pad.page.wait_for_function("said => window.spoken.at(-1) === said", arg=said)
    assert pad.status.get_attribute("aria-hidden") == "true"


def test_a_tap_beside_the_dots_says_nothing(screen):
    for path in ("/pad.html?room=board:tap", "/pad.html"):
        (pad,) = pads(screen, path)
        pad.page.evaluate(SPOKEN)
        x, y = pad.place(0)
        ends = pad.page.evaluate("""() => { window.ends = 0;
          document.querySelector('drawbolt-pad').client.addEventListener('state', ({detail}) => {
            window.ends += detail.phase === 'cancelled'; }); return window.ends; }""")
        pad.page.mouse.click((x + pad.place(4)[0]) / 2, (y + pad.place(4)[1]) / 2)
        pad.page.wait_for_function("ends => window.ends > ends", arg=ends)
        assert pad.phase() == "idle"
        assert "Cancelled." not in pad.page.evaluate("() => window.spoken")


def test_an_accepted_stroke_says_at_once_that_there_is_no_lock_to_open(screen):
    (pad,) = pads(screen, "/pad.html")
    pad.draw(DEMO)
    expect(pad.status).to_have_text("Accepted, but no lock took it up.")


def test_too_few_dots_are_said_to_be_too_few(screen):
    (pad,) = pads(screen, "/pad.html")
    pad.draw((0, 1))
    pad.wait_for_phase("tooShort")
    expect(pad.status).to_have_text("Connect at least 4 dots.")


def test_pages_speak_chinese_to_those_who_read_it(screen):
    (pad,) = pads(screen, "/pad.html", locale="zh-CN")
    expect(pad.page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(pad.status).to_have_text("请绘制手势密码。")
    pad.draw((0, 1))
    expect(pad.status).to_have_text("手势密码不能少于 4 个点。")
    pad.page.locator("#language").click()
    expect(pad.page.locator("h1")).to_have_text("Draw the pattern")


def test_a_room_that_is_not_there_is_said_not_to_be_there(screen):
    for path, words in (("/pad.html?room=nope", "There is no lock “nope” here."),
                        ("/mirror.html?room=UPPER", "There is no lock “UPPER” here."),
                        ("/pad.html?room=board:", "There is no board “” here."),
                        ("/pad.html?room=nope&lang=zh-CN", "这里没有名为“nope”的锁。")):
        one = screen(path)
        expect(one.status).to_have_text(words)
        one.page.locator("#way a").click()
        expect(one.page.locator("h1")).to_have_text(re.compile("Draw here|这里画"))
    for path, words in (("/lock.html?room=nope", "There is no lock “nope” here."),
                        ("/lock.html?room=board:x", "A board never opens. It has no lock and only mirrors.")):
        lock = screen(path)
        expect(lock.page.locator("#status")).to_have_text(words)
        expect(lock.page.locator("#why a")).to_have_text("Home")


def test_the_page_of_a_board_speaks_of_no_lock_and_no_pattern(screen):
    (pad,) = pads(screen, "/pad.html?room=board:lesson")
    expect(pad.status).to_have_text("Draw something.")
    expect(pad.page.locator("h1")).to_have_text("Draw on the board")
    assert not re.search("lock|pattern", pad.page.locator("main").inner_text())


def test_every_page_has_one_heading_a_language_and_names_for_its_controls(screen):
    for path in ("/", "/pad.html", "/mirror.html", "/lock.html"):
        one = screen(path)
        expect(one.page.locator("h1")).to_have_count(1)
        assert one.page.evaluate("() => document.documentElement.lang") == "en"
        names = one.page.evaluate(
            "() => [...document.querySelectorAll('a')].map((link) => link.textContent.trim())")
        assert all(names)
