"""Members behind a bad network: whatever it does, all of them come to the newest state."""

import asyncio
import os
import random
from contextlib import AsyncExitStack

import pytest

from members import member
from network import Link, Unavailable

SEED = int(os.environ.get("TRIAL_SEED", random.randrange(1 << 32)))
BOARD, LAST = "board:far", [0, 1, 2, 5, 8]
VIEWERS = 4
BLACKOUT = 10
# Some strokes a second, as a hand draws: one that draws as fast as it is answered comes to its limit.
PAUSE = 0.05


@pytest.fixture
def link():
    print(f"TRIAL_SEED={SEED}")
    try:
        link = Link(SEED)
    except Unavailable as reason:
        pytest.skip(str(reason))
    yield link
    print(f"netem: {link.has_netem}; {link.carried} packets, {link.lost} of them lost here")
    link.close()


@pytest.fixture
def server(start, link):
    with link.server.inside():
        return start()


async def enter_all(stack, address):
    return [
        await stack.enter_async_context(member(address, BOARD, "viewer", acks=True))
        for _ in range(VIEWERS)]


async def scribble(drawer, stroke):
    """A stroke of many messages, none of which waits for an answer."""
    places = drawer.welcome["pad"]["nodes"]
    first = places[0]
    await drawer.say("samples", stroke=stroke, action="press", points=[[0, first["x"], first["y"]]])
    for step in range(60):
        place = places[step % 9]
        await drawer.say("samples", stroke=stroke, action="move", points=[[8, place["x"], place["y"]]])
    await drawer.say("samples", stroke=stroke, action="release", points=[])


async def newest(viewer):
    """Acknowledges all that comes until the last stroke is shown."""
    while True:
        state = await viewer.wait_for("state")
        await viewer.say("ack", version=state["version"])
        if state["phase"] == "finished" and state["path"] == LAST:
            return


async def draw_in(link, server, weather):
    async with asyncio.timeout(60), AsyncExitStack() as stack:
        with link.members.inside():
            viewers = await enter_all(stack, server.socket)
            drawer = await stack.enter_async_context(member(server.socket, BOARD, "controller"))
        link.weather(**weather)
        watching = [asyncio.create_task(newest(viewer)) for viewer in (*viewers, drawer)]
        for stroke in range(1, 5):
            await scribble(drawer, stroke)
        await drawer.draw(LAST, 5)
        await asyncio.gather(*watching)
        link.weather()


@pytest.mark.parametrize("weather", [
    {"loss": 5}, {"delay": 0.3}, {"delay": 0.05, "reorder": 25},
    {"loss": 5, "delay": 0.1, "reorder": 10}], ids=["loss", "delay", "reorder", "all"])
def test_members_come_to_the_newest_state_whatever_becomes_of_packets(link, server, weather):
    asyncio.run(draw_in(link, server, weather))
    assert link.has_netem or link.lost > 0 or "loss" not in weather


async def draw_through_a_blackout(link, server):
    async with asyncio.timeout(90), AsyncExitStack() as stack:
        with link.members.inside():
            viewers = await enter_all(stack, server.socket)
        with link.server.inside():
            drawer = await stack.enter_async_context(member(server.socket, BOARD, "controller"))
        watching = [asyncio.create_task(newest(viewer)) for viewer in viewers]
        link.weather(loss=100)
        light = asyncio.get_running_loop().time() + BLACKOUT
        stroke = 0
        while asyncio.get_running_loop().time() < light:
            stroke += 1
            await drawer.draw((0, 1, 2, 5), stroke)
            await drawer.wait_for_phase("finished")
            await asyncio.sleep(PAUSE)
        await drawer.draw(LAST, stroke + 1)
        await drawer.wait_for_phase("finished")
        assert not any(watch.done() for watch in watching)
        link.weather()
        await asyncio.gather(*watching)


def test_members_come_to_the_newest_state_after_ten_seconds_without_any_packet(link, server):
    asyncio.run(draw_through_a_blackout(link, server))
