"""A restart under a crowd. TRIAL_CROWD says how large it is; 2000 by hand."""

import asyncio
import os
import signal
import time

import websockets

from members import Closed, enter, member, metric, wait_for

CROWD = int(os.environ.get("TRIAL_CROWD", "200"))
# The transport's accepts a second per address do not hold on loopback under --dev.
AT_ONCE = 50


async def enter_all(address, count):
    """So many viewers of one board, some of them connecting at the same time."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def enter_one():
        async with gate:
            return await enter(address, "board:crowd", "viewer")

    return await asyncio.gather(*(enter_one() for _ in range(count)))


async def farewell(viewer):
    """The last state, the reason, the close code and when it came."""
    state, goaway = viewer.welcome["state"], None
    try:
        while True:
            message = await wait_for(viewer.socket, "state", "goaway")
            if message["type"] == "state":
                state = message
            else:
                goaway = message
    except (Closed, websockets.ConnectionClosed):
        return state, goaway, viewer.socket.close_code, time.monotonic()


async def crowd_at_the_stop(server):
    async with member(server.socket, "board:crowd", "controller") as drawer:
        viewers = await enter_all(server.socket, CROWD)
        await drawer.say("samples", stroke=1, action="press", points=[[0, 0.1667, 0.1667]])
        for viewer in viewers:
            await viewer.wait_for_phase("drawing")
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        return began, await asyncio.gather(*(farewell(viewer) for viewer in viewers))


async def crowd_comes_back(server):
    viewers = await enter_all(server.socket, CROWD)
    async with member(server.socket, "board:crowd", "controller") as drawer:
        await drawer.draw((0, 1, 2, 5))
        for viewer in viewers:
            assert (await viewer.wait_for_phase("finished"))["path"] == [0, 1, 2, 5]
        assert metric(server, "members") == CROWD + 1
    await asyncio.gather(*(viewer.socket.close() for viewer in viewers))


def test_a_crowd_is_told_of_a_restart_within_a_second_and_all_come_back(start):
    server = start()
    began, farewells = asyncio.run(crowd_at_the_stop(server))
    # This one thread reads all of them, and others work beside it: time to read is not the server's.
    slack = CROWD / 500
    for state, goaway, code, when in farewells:
        assert state["phase"] == "cancelled" and state["path"] == []
        assert goaway["reason"] == "restart" and goaway["reconnectAfterMs"] > 0
        assert code == 1012
        assert when - began < 1 + slack
    assert server.process.wait(timeout=10) == 0
    again = start(port=server.port)
    asyncio.run(crowd_comes_back(again))
    again.stop()
