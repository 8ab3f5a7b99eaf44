"""Strangers who draw at all locks at once keep nobody out whose device is trusted."""

import asyncio
import json
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from members import enter, eventually, metric
from server import DEMO

LOCKS = 100
STRANGERS = 200
GUESSES = [(0, 1, 2, 5), (0, 1, 2, 4), (0, 1, 4, 3)]
OWNERS_ATTEMPTS = 12


def add_locks(server):
    """By the HTTP interface, since a hundred commands would take longer than what is tried."""
    token = server.run("admin", "add", "trial").strip()
    root = server.addresses["metrics"].removesuffix("/metrics") + "/api/v1"

    def add(number):
        request = urllib.request.Request(
            f"{root}/locks", json.dumps({"id": f"door{number}"}).encode(),
            {"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert answer.status == 201

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(LOCKS)))


async def guess(server, number, beginning, outcomes):
    """A stranger at one of the locks: two at each."""
    stranger = await enter(server.socket, f"door{number % LOCKS}", "controller")
    try:
        await beginning.wait()
        for stroke, code in enumerate(GUESSES, 1):
            outcomes.append((await stranger.attempt(code, stroke))["outcome"])
    finally:
        await stranger.socket.close()


async def crowd(server):
    """How long each of the owner's attempts took meanwhile, in seconds, and what strangers were told."""
    owner = await enter(server.socket, "demo", "controller")
    assert (await owner.attempt(DEMO))["outcome"] == "accepted"
    beginning, outcomes = asyncio.Event(), []
    strangers = [asyncio.create_task(guess(server, number, beginning, outcomes))
                 for number in range(STRANGERS)]
    # All are there before the first of them draws.
    assert await asyncio.to_thread(eventually, lambda: metric(server, "members") == STRANGERS + 1)
    beginning.set()
    times = []
    for stroke in range(2, 2 + OWNERS_ATTEMPTS):
        start = time.monotonic()
        verdict = await owner.attempt(DEMO, stroke)
        times.append(time.monotonic() - start)
        assert verdict["outcome"] == "accepted", verdict
    under_way = sum(not task.done() for task in strangers)
    await asyncio.gather(*strangers)
    await owner.socket.close()
    return times, outcomes, under_way


def test_a_trusted_device_opens_while_two_hundred_strangers_draw_at_a_hundred_locks(start):
    server = start("--admin-api", "on", "--limits-verdict-time", "5s")
    add_locks(server)
    times, outcomes, under_way = asyncio.run(crowd(server))
    print(f"\n{STRANGERS} strangers, {LOCKS} locks: the owner's {len(times)} attempts took "
          f"{sorted(times)[len(times) // 2] * 1000:.0f} ms in the middle, {max(times) * 1000:.0f} at most; "
          f"strangers: { {one: outcomes.count(one) for one in sorted(set(outcomes))} }")
    # The queue was full: more was drawn than could be judged in time.
    assert "unavailable" in outcomes and under_way > 0
    assert set(outcomes) <= {"rejected", "unavailable", "lockedOut"}
