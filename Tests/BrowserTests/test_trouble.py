"""Wrong patterns, lost networks, restarts, and what a mirror may not see."""

from playwright.sync_api import expect

from server import DEMO, WRONG, Server
from test_drawing import pads


def draw_wrong(pad, times):
    for _ in range(times):
        pad.draw(WRONG)
        pad.wait_for_phase("rejected", "lockedOut")
        pad.wait_for_phase("idle", "lockedOut", timeout=15_000)


def test_five_wrong_patterns_start_a_countdown_that_outlives_a_reload_and_a_restart(
        browser, screen, server):
    (pad,) = pads(screen, "/pad.html")
    (mirror,) = pads(screen, "/mirror.html")
    # Different codes: the same one again is not counted twice.
    for wrong in ((0, 1, 2, 5), (0, 1, 2, 4), (0, 3, 6, 7), (2, 5, 8, 7), (6, 7, 8, 5)):
        pad.draw(wrong)
        pad.page.wait_for_function(
            "() => document.querySelector('drawbolt-pad').shadowRoot.querySelector('.status')"
            ".dataset.phase.match(/rejected|lockedOut/)")
    expect(pad.status).to_contain_text("Too many wrong patterns. Try again in")
    pad.page.reload()
    expect(pad.status).to_contain_text("Too many wrong patterns. Try again in")
    mirror.page.wait_for_function(
        "() => document.querySelector('drawbolt-pad').shadowRoot.querySelector('svg')"
        ".dataset.phase === 'idle'", timeout=15_000)
    expect(mirror.status).to_have_text("Nobody is drawing.")
    mirror.page.evaluate("""() => { window.states = 0;
      document.querySelector('drawbolt-pad').client.addEventListener('state', () => { window.states += 1; }); }""")
    pad.draw(DEMO)
    expect(pad.status).to_contain_text("Too many wrong patterns. Try again in")
    # Past the pad's own refusal, by its connection: the server refuses it, and tells nobody else.
    verdict = pad.page.evaluate("""() => new Promise((resolve) => {
      const { client } = document.querySelector('drawbolt-pad');
      client.addEventListener('verdict', ({detail}) => resolve(detail), {once: true});
      client.press({x: 4096, y: 1365, time: 0});
      client.move([{x: 4096, y: 6827, time: 9}]);
      client.release(); })""")
    assert verdict["outcome"] == "lockedOut" and 0 < verdict["retryAfterMs"] <= 60_000
    # What a mirror of the same room hears after that, it would have heard the stroke before.
    (late,) = pads(screen, "/mirror.html")
    expect(mirror.page.locator("#viewers")).to_have_text("2 watching")
    assert mirror.page.evaluate("() => window.states") == 0
    expect(mirror.status).to_have_text("Nobody is drawing.")
    late.close()
    server.stop()
    again = Server(server.data, server.port)
    try:
        pad.wait_until_connected(timeout=30_000)
        expect(pad.status).to_contain_text("Too many wrong patterns. Try again in")
        mirror.wait_until_connected(timeout=30_000)
        expect(mirror.status).to_have_text("Nobody is drawing.")
    finally:
        again.stop()


def test_pad_and_mirror_come_back_after_five_seconds_offline(screen):
    (pad,) = pads(screen, "/pad.html?room=board:offline")
    (mirror,) = pads(screen, "/mirror.html?room=board:offline")
    for one in (pad, mirror):
        one.context.set_offline(True)
        expect(one.status).to_contain_text("Connection lost")
    mirror.page.wait_for_timeout(5000)
    for one in (pad, mirror):
        one.context.set_offline(False)
        one.wait_until_connected()
    pad.draw((0, 1, 2, 5))
    mirror.wait_for_phase("finished")
    mirror.wait_for_lit((0, 1, 2, 5))


def test_a_mirror_that_joins_in_mid_stroke_shows_it_at_once(screen):
    (pad,) = pads(screen, "/pad.html?room=board:late&name=Ana")
    mouse = pad.page.mouse
    mouse.move(*pad.place(0))
    mouse.down()
    mouse.move(*pad.place(2), steps=4)
    (mirror,) = pads(screen, "/mirror.html?room=board:late")
    mirror.wait_for_lit((0, 1, 2))
    expect(mirror.status).to_have_text("Ana is drawing.")
    mouse.up()
    mirror.wait_for_phase("finished")


def test_members_come_back_after_the_server_was_killed(browser, screen, server):
    (pad,) = pads(screen, "/pad.html")
    (mirror,) = pads(screen, "/mirror.html")
    server.kill()
    expect(pad.status).to_contain_text("Connection lost")
    again = Server(server.data, server.port)
    try:
        for one in (pad, mirror):
            one.wait_until_connected(timeout=30_000)
        pad.draw(DEMO)
        mirror.wait_for_phase("accepted")
    finally:
        again.stop()
    # The fixture stops the killed one too.
    server.process.returncode = 0


def test_a_stealth_lock_shows_a_mirror_nothing_but_how_it_ended(screen, server):
    server.run("lock", "add", "door")
    server.run("secret", "add", "door", text="1-2-3-6-9-8-5\n")
    (pad,) = pads(screen, "/pad.html?room=door&name=Ana")
    (mirror,) = pads(screen, "/mirror.html?room=door")
    mirror.page.evaluate("""() => { window.states = [];
      const { client } = document.querySelector('drawbolt-pad');
      for (const type of ['state', 'pen', 'verdict', 'members']) {
        client.addEventListener(type, ({detail}) => window.states.push(detail)); } }""")
    pad.draw((0, 2, 8, 7, 4))
    pad.wait_for_phase("accepted")
    mirror.wait_for_phase("accepted")
    mirror.wait_for_phase("idle")
    seen = [state for state in mirror.page.evaluate("() => window.states") if state["type"] == "state"]
    assert [state["phase"] for state in seen] == ["accepted", "idle"]
    assert all(state["path"] == [] and state["stroke"] == 0 and state["x"] == 0 for state in seen)
    others = [state for state in mirror.page.evaluate("() => window.states") if state["type"] != "state"]
    assert all(message["type"] == "members" and "Ana" not in str(message) for message in others)
