"""Wrong patterns, lost networks, restarts, and what a mirror may not see."""

from playwright.sync_api import expect

from server import DEMO, Server
from test_drawing import pads

# Different codes: the same one again is not counted twice.
FIVE_WRONG = ((0, 1, 2, 5), (0, 1, 2, 4), (0, 3, 6, 7), (2, 5, 8, 7), (6, 7, 8, 5))

# What the server answers, and every picture of a pad that is locked out in which something is lit.
WATCH_REFUSAL = """() => { Object.assign(window, {verdicts: [], flickers: []});
  const pad = document.querySelector('drawbolt-pad');
  const svg = pad.shadowRoot.querySelector('svg');
  pad.client.addEventListener('verdict', ({detail}) => window.verdicts.push(detail));
  new MutationObserver(() => { if (svg.querySelector('.lit')) window.flickers.push(svg.dataset.phase); })
    .observe(svg, {subtree: true, attributes: true, attributeFilter: ['class', 'data-phase']}); }"""


def draw_until_locked_out(pad):
    for wrong in FIVE_WRONG:
        pad.draw(wrong)
        pad.page.wait_for_function(
            "() => document.querySelector('drawbolt-pad').shadowRoot.querySelector('.status')"
            ".dataset.phase.match(/rejected|lockedOut/)")
    expect(pad.status).to_contain_text("Too many wrong patterns. Try again in")


def test_five_wrong_patterns_start_a_countdown_that_outlives_a_reload_and_a_restart(
        browser, screen, server):
    (pad,) = pads(screen, "/pad.html")
    (mirror,) = pads(screen, "/mirror.html")
    draw_until_locked_out(pad)
    pad.page.reload()
    expect(pad.status).to_contain_text("Too many wrong patterns. Try again in")
    # Both, since the room goes idle on each when its state arrives there.
    for screen_of_room in (mirror, pad):
        screen_of_room.page.wait_for_function(
            "() => document.querySelector('drawbolt-pad').shadowRoot.querySelector('svg')"
            ".dataset.phase === 'idle'", timeout=15_000)
    expect(mirror.status).to_have_text("Nobody is drawing.")
    mirror.page.evaluate("""() => { window.states = 0;
      document.querySelector('drawbolt-pad').client.addEventListener('state', () => { window.states += 1; }); }""")
    # The server refuses it, and tells nobody else; nor does the pad show anything of it.
    pad.page.evaluate(WATCH_REFUSAL)
    pad.draw(DEMO)
    pad.page.wait_for_function("() => window.verdicts.length === 1")
    (verdict,) = pad.page.evaluate("() => window.verdicts")
    assert verdict["outcome"] == "lockedOut" and 0 < verdict["retryAfterMs"] <= 60_000
    assert pad.page.evaluate("() => window.flickers") == []
    expect(pad.status).to_contain_text("Too many wrong patterns. Try again in")
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


def test_a_pad_that_counts_down_stops_when_the_lock_is_reset_and_takes_the_next_stroke(screen, server):
    (pad,) = pads(screen, "/pad.html")
    draw_until_locked_out(pad)
    server.run("lock", "reset", "demo")
    expect(pad.status).to_have_text("Draw the pattern.", timeout=20_000)
    pad.page.evaluate(WATCH_REFUSAL)
    pad.draw(DEMO)
    pad.wait_for_phase("accepted")
    expect(pad.status).to_contain_text("Accepted")


def test_a_lock_that_is_shut_for_good_is_never_counted_down(screen):
    (pad,) = pads(screen, "/pad.html")
    pad.page.evaluate("""() => { window.said = [];
      const pad = document.querySelector('drawbolt-pad');
      const status = pad.shadowRoot.querySelector('.status');
      pad.client.dispatchEvent(new CustomEvent('verdict', {detail: {type: 'verdict', stroke: 1,
        outcome: 'lockedOut', retryAfterMs: 2 ** 32 - 1, failures: 20, actuators: 0}}));
      const look = () => window.said.push(status.textContent) < 30 && requestAnimationFrame(look);
      look(); }""")
    pad.page.wait_for_function("() => window.said.length === 30")
    assert set(pad.page.evaluate("() => window.said")) == {
        "Too many wrong patterns. Ask whoever looks after the lock."}


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
