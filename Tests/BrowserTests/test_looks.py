"""How pages look: every one fits its screen, in both languages, light and dark.

Each test leaves its screenshots in the folder that SCREENSHOT_FOLDER names, or in pytest's own
temporary one, for people to look at.
"""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from conftest import PHONE
from server import DEMO

LYING = {**PHONE, "viewport": {"width": 844, "height": 390}}
SMALL = {**PHONE, "viewport": {"width": 320, "height": 568}}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
SCREENS = {"phone": PHONE, "lying": LYING, "small": SMALL, "desktop": DESKTOP}
PAGES = ("index", "pad", "mirror", "lock")

# On a phone a page that is too wide makes the layout wider too, so only the screen's own width tells.
HORIZONTAL = "() => [document.documentElement.scrollWidth, screen.width]"
VERTICAL = "() => document.documentElement.scrollHeight"
INSIDE = """() => { const box = document.querySelector('drawbolt-pad').shadowRoot
  .querySelector('svg').getBoundingClientRect();
  return box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth; }"""


@pytest.fixture
def pictures(tmp_path):
    folder = Path(os.environ.get("SCREENSHOT_FOLDER") or tmp_path / "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def wait_until_drawn(one, page):
    if page in ("pad", "mirror"):
        one.wait_until_connected()
    elif page == "lock":
        one.page.wait_for_selector("#status[data-status=connected]")
    else:
        one.page.wait_for_function("() => document.querySelector('#language').textContent !== ''")


@pytest.mark.parametrize("language", ("en", "zh-CN"))
@pytest.mark.parametrize("size", SCREENS)
def test_no_page_is_wider_than_its_screen_and_every_pad_is_seen_whole(
        screen, pictures, size, language):
    for scheme in ("light", "dark"):
        for page in PAGES:
            options = {**SCREENS[size], "locale": language, "color_scheme": scheme}
            one = screen(f"/{page}.html", **options)
            wait_until_drawn(one, page)
            one.page.screenshot(path=pictures / f"{size}-{language}-{scheme}-{page}.png")
            width, room = one.page.evaluate(HORIZONTAL)
            assert width <= room, page
            if page in ("pad", "mirror"):
                assert one.page.evaluate(INSIDE), page
            if size == "desktop" and page != "index":
                assert one.page.evaluate(VERTICAL) <= SCREENS[size]["viewport"]["height"], page
            one.close()


def test_each_page_has_a_title_in_its_own_language(screen):
    for language, word in (("en", "Lock"), ("zh-CN", "锁")):
        one = screen("/lock.html", locale=language)
        assert one.page.title() == f"Drawbolt: {word}"


def test_a_lost_connection_does_not_look_like_a_wrong_pattern(screen, pictures):
    pad = screen("/pad.html", **PHONE)
    pad.wait_until_connected()
    pad.draw((0, 1, 2, 4))
    pad.wait_for_phase("rejected")
    red = pad.status.evaluate("status => getComputedStyle(status).color")
    pad.context.set_offline(True)
    pad.page.wait_for_selector("drawbolt-pad .status[data-phase=off]")
    assert pad.status.evaluate("status => getComputedStyle(status).color") != red
    pad.page.screenshot(path=pictures / "phone-offline.png")


def test_a_pad_that_was_refused_says_so_and_forgets_it_when_it_is_no_longer_true(screen):
    first = screen("/pad.html?room=board:both&name=Ana")
    second = screen("/pad.html?room=board:both")
    for one in (first, second):
        one.wait_until_connected()
    mouse = first.page.mouse
    mouse.move(*first.place(0))
    mouse.down()
    mouse.move(*first.place(1), steps=3)
    second.wait_for_lit((0, 1))
    second.draw((6, 7))
    expect(second.status).to_have_text("Ana is drawing.")
    second.wait_for_lit((0, 1))
    mouse.up()
    # The refusal is forgotten at once, and in the end there is nothing to say.
    expect(second.status).to_have_text("Done.", timeout=2000)
    for one in (first, second):
        expect(one.status).to_have_text("Draw something.")
        one.wait_for_lit((0, 1))


def test_forced_colours_leave_every_dot_and_the_line_to_be_seen(screen, pictures):
    for scheme in ("light", "dark"):
        pad = screen(f"/pad.html?room=board:{scheme}", forced_colors="active", color_scheme=scheme)
        pad.wait_until_connected()
        pad.draw(DEMO)
        pad.wait_for_phase("finished")
        pad.page.screenshot(path=pictures / f"desktop-forced-{scheme}.png")
        ground = pad.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        for part, colour in ((".node:not(.lit) .dot", "fill"), (".lit .dot", "fill"), (".line", "stroke")):
            seen = pad.page.locator(f"drawbolt-pad svg {part}").first.evaluate(
                "(element, colour) => getComputedStyle(element)[colour]", colour)
            assert seen not in (ground, "none"), part
