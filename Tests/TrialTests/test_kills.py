"""`kill -9` of the real server at random moments, with drawers and actuators at work.

TRIAL_KILLS says how often; `make faults` does it fifty times.
"""

import asyncio
import os
import random
import secrets
from contextlib import suppress
from dataclasses import dataclass, field

import websockets

from members import Closed, member, rows
from server import DEMO

KILLS = int(os.environ.get("TRIAL_KILLS", "3"))
SEED = int(os.environ.get("TRIAL_SEED", random.randrange(1 << 32)))
# All different, since the same wrong code again takes its own reservation back.
WRONG = [(0, 1, 2, 5), (0, 1, 2, 4), (0, 1, 4, 3), (0, 3, 6, 7), (0, 3, 4, 5)]
RIGHT = (1, 4, 7, 8, 5, 2)
USES = 100_000
GONE = (Closed, OSError, websockets.ConnectionClosed, websockets.InvalidHandshake, TimeoutError)


@dataclass
class Told:
    """What members were told before the kill, which nothing may take back."""

    rejected: int = 0
    failures: int = 0
    accepted: int = 0
    grants: list = field(default_factory=list)


async def guess(address, told):
    """Wrong codes at `door`, one after the other, until its delay begins."""
    async with member(address, "door", "controller") as drawer:
        for stroke, code in enumerate(WRONG, 1):
            verdict = await drawer.attempt(code, stroke)
            if verdict["outcome"] == "rejected":
                told.rejected += 1
                told.failures = max(told.failures, verdict["failures"])


async def open_again_and_again(address, told):
    """The right code at `gate`, for as long as the server lives."""
    async with member(address, "gate", "controller") as drawer:
        for stroke in range(1, 10_000):
            verdict = await drawer.attempt(RIGHT, stroke)
            told.accepted += verdict["outcome"] == "accepted"


async def actuate(address, told):
    """Claims every grant of `gate`, and those that an earlier actuator had already."""
    async with member(address, "gate", "actuator") as device:
        for grant in told.grants:
            await device.say("grant.claim", id=grant, nonce=secrets.token_hex(16))
            answer = await device.wait_for("grant", "error")
            assert answer["type"] == "error" and answer["code"] == "unknownGrant", "granted twice"
        while True:
            offer = await device.wait_for("grant.offer")
            await device.say("grant.claim", id=offer["id"], nonce=secrets.token_hex(16))
            grant = await device.wait_for("grant")
            told.grants.append(grant["id"])


async def work(address, told):
    async def until_the_end(job):
        with suppress(*GONE):
            await job(address, told)

    async with asyncio.TaskGroup() as group:
        for job in (guess, open_again_and_again, actuate):
            group.create_task(until_the_end(job))


async def work_until_killed(server, told, moment):
    working = asyncio.create_task(work(server.socket, told))
    await asyncio.sleep(moment)
    server.kill()
    await working


def count(data, statement, *values):
    return rows(data, statement, *values)[0][0] or 0


def failures(data, lock):
    return count(data, "SELECT max(failures) FROM bucket WHERE lock = ?", lock)


def audited(data, lock, outcome):
    return count(data, "SELECT count(*) FROM audit WHERE lock = ? AND outcome = ?", lock, outcome)


def check_after_kill(data, told):
    """What was told is written down, and the file is whole."""
    assert rows(data, "PRAGMA integrity_check") == [("ok",)]
    assert failures(data, "door") >= told.failures
    assert audited(data, "door", "rejected") >= told.rejected
    accepted = audited(data, "gate", "accepted")
    assert accepted >= told.accepted
    spent = USES - count(data, "SELECT uses_left FROM secret WHERE lock = 'gate'")
    # What is accepted before the actuator is there spends no use.
    assert len(told.grants) == len(set(told.grants)) <= spent <= accepted


def check_after_start(data, before):
    """The start has judged nothing: what hung in the air is audited as such and stays counted."""
    hanging, counted, abandoned = before
    assert count(data, "SELECT count(*) FROM attempt") == 0
    assert failures(data, "door") == counted
    assert count(data, "SELECT count(*) FROM audit WHERE outcome = 'abandoned'") == (
        abandoned + hanging)
    assert rows(data, "SELECT lock, number FROM secret ORDER BY lock") == [
        ("demo", 1), ("door", 1), ("gate", 1)]


async def verdict_at(address, lock, code):
    async with member(address, lock, "controller") as drawer:
        return (await drawer.attempt(code))["outcome"]


def test_kills_give_no_attempt_back_lose_no_secret_and_repeat_no_grant(start, tmp_path):
    print(f"TRIAL_SEED={SEED}")  # Shown if it fails.
    chance = random.Random(SEED)
    data = tmp_path / "data"
    server = start(data=data)
    for lock, more in (("door", ()), ("gate", ("--uses", str(USES)))):
        server.run("lock", "add", lock)
        server.run("secret", "add", lock, *more, text="2-5-8-9-6-3\n")
    told = Told()
    for _ in range(KILLS):
        asyncio.run(work_until_killed(server, told, chance.uniform(0, 1.5)))
        check_after_kill(data, told)
        before = (
            count(data, "SELECT count(*) FROM attempt"), failures(data, "door"),
            count(data, "SELECT count(*) FROM audit WHERE outcome = 'abandoned'"))
        server = start(data=data)
        check_after_start(data, before)
        server.run("lock", "reset", "door")
        server.run("lock", "reset", "gate")
        told.failures = 0
    for lock, code in (("demo", DEMO), ("door", RIGHT), ("gate", RIGHT)):
        assert asyncio.run(verdict_at(server.socket, lock, code)) == "accepted"
