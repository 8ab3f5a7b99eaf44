"""A server under all that a day brings, for a while: what it holds must stay as it was.

TRIAL_SOAK_SECONDS says how long; `make soak` takes half an hour.
"""

import asyncio
import os
import random
import time
from contextlib import suppress

import websockets

from members import Closed, descriptors, enter, eventually, is_empty, member, metric, resident
from server import DEMO

SECONDS = float(os.environ.get("TRIAL_SOAK_SECONDS", "20"))
SEED = int(os.environ.get("TRIAL_SEED", random.randrange(1 << 32)))
BOARDS, VISITORS = 8, 24
GONE = (Closed, OSError, websockets.ConnectionClosed, websockets.InvalidHandshake)


async def teach(address, board, end):
    """Draws stroke after stroke, and comes back now and then."""
    while time.monotonic() < end:
        async with member(address, board, "controller") as drawer:
            for stroke in range(1, 40):
                if time.monotonic() >= end:
                    return
                await drawer.draw((0, 1, 2, 5, 8), stroke)
                # Whoever holds the pen sees the end of what they drew.
                await drawer.wait_for_phase("finished")


async def visit(address, chance, end):
    """Joins some board, looks on for a while or not at all, and leaves in one way or another."""
    while time.monotonic() < end:
        board = f"board:soak{chance.randrange(BOARDS)}"
        more = {"maxRate": chance.choice((1, 30, 240))} if chance.random() < 0.5 else {}
        viewer = await enter(address, board, "viewer", acks=chance.random() < 0.5, **more)
        try:
            async with asyncio.timeout(chance.uniform(0, 2)):
                if chance.random() < 0.3:
                    # Slow: it reads nothing, and what it is sent piles up or is withheld.
                    viewer.socket.transport.pause_reading()
                    await asyncio.sleep(60)
                while True:
                    state = await viewer.wait_for("state")
                    await viewer.say("ack", version=state["version"])
        except TimeoutError:
            pass
        if chance.random() < 0.5:
            viewer.socket.transport.abort()
        else:
            viewer.socket.transport.resume_reading()
            await viewer.socket.close()


async def open_the_demo(address, end):
    """The right code, again and again, each time as somebody new."""
    while time.monotonic() < end:
        async with member(address, "demo", "controller") as drawer:
            assert (await drawer.attempt(DEMO))["outcome"] in ("accepted", "unavailable")


async def days_work(address, seconds, chance):
    end = time.monotonic() + seconds

    async def again_and_again(job, *rest):
        while time.monotonic() < end:
            with suppress(*GONE):
                await job(address, *rest, end)

    async with asyncio.TaskGroup() as group:
        for number in range(BOARDS):
            group.create_task(again_and_again(teach, f"board:soak{number}"))
        for _ in range(VISITORS):
            group.create_task(again_and_again(visit, random.Random(chance.random())))
        group.create_task(again_and_again(open_the_demo))


def test_memory_descriptors_and_rooms_are_the_same_after_a_day_s_work(start):
    print(f"TRIAL_SEED={SEED}")
    chance = random.Random(SEED)
    server = start("--limits-grace-time", "1s")
    # What only the first ones cost is not what each one costs.
    asyncio.run(days_work(server.socket, SECONDS / 4, chance))
    assert eventually(lambda: is_empty(server))
    before = descriptors(server), resident(server)
    asyncio.run(days_work(server.socket, SECONDS, chance))
    assert eventually(lambda: is_empty(server))
    assert eventually(lambda: descriptors(server) <= before[0])
    grown = resident(server) - before[1]
    print(f"{metric(server, 'upgraded_total'):.0f} connections, {grown:+} KiB")
    # An allocator keeps some of what a crowd left behind; a leak grows with the time.
    assert grown < 4096
    assert not any(" error " in line for line in server.log)
