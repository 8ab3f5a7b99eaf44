"""Clocks that jump and servers that are started again: what was counted stays counted."""

import asyncio
import struct
import subprocess
from pathlib import Path

import pytest

from members import member, metric
from server import DEMO, WRONG

SOURCE = Path(__file__).with_name("clocks.c")
DAY = 86_400
LOCK = "demo"


class Clocks:
    """What servers that are started by `command` take for the time: the real one and some seconds."""

    def __init__(self, folder):
        library = folder / "clocks.so"
        subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, SOURCE],
                       check=True)
        self.file = open(folder / "offsets", "wb+", buffering=0)
        self.wall = self.sleep = 0
        self.write()
        self.command = ["env", f"LD_PRELOAD={library}", f"CLOCK_OFFSETS={self.file.name}"]

    def write(self):
        self.file.seek(0)
        self.file.write(struct.pack("=qq", self.wall, self.sleep))

    def set_wall(self, seconds):
        """Somebody sets the time of day."""
        self.wall = seconds
        self.write()

    def pass_time(self, seconds):
        """Time passes for all clocks, as in a machine that sleeps."""
        self.wall += seconds
        self.sleep += seconds
        self.write()


@pytest.fixture
def clocks(tmp_path):
    clocks = Clocks(tmp_path)
    yield clocks
    clocks.file.close()


async def draw_once(server, nodes, **more):
    """Somebody comes, draws and goes; the verdict, and the welcome before it."""
    async with member(server.socket, LOCK, "controller", **more) as drawer:
        return await drawer.attempt(nodes), drawer.welcome


async def be_locked_out(server):
    """Wrong codes up to the first delay."""
    for _ in range(5):
        verdict, _ = await draw_once(server, WRONG)
        assert verdict["outcome"] == "rejected"
    return verdict


async def open_with(server, **more):
    """A right code, its grant claimed; the drawer's device."""
    async with (member(server.socket, LOCK, "actuator") as actuator,
                member(server.socket, LOCK, "controller", **more) as drawer):
        await drawer.draw(DEMO)
        offer = await actuator.wait_for("grant.offer")
        await actuator.say("grant.claim", id=offer["id"], nonce="5a" * 16)
        assert (await actuator.wait_for("grant"))["id"] == offer["id"]
        assert (await drawer.wait_for("verdict"))["outcome"] == "accepted"
        return more.get("device") or (await drawer.wait_for("device"))["token"]


async def jump(start, clocks, seconds):
    server = start(before=clocks.command)
    device = await open_with(server)
    verdict = await be_locked_out(server)
    assert 50_000 < verdict["retryAfterMs"] <= 60_000
    before = verdict["retryAfterMs"]
    clocks.set_wall(seconds)
    verdict, welcome = await draw_once(server, DEMO)
    assert verdict["outcome"] == "lockedOut"
    assert 0 < verdict["retryAfterMs"] <= welcome["retryAfterMs"] <= before
    # The jump takes nothing from the owner either: a grant is had in its five seconds.
    await open_with(server, device=device)
    server.stop()
    again = start(before=clocks.command, data=server.data)
    verdict, _ = await draw_once(again, DEMO)
    assert verdict["outcome"] == "lockedOut" and 0 < verdict["retryAfterMs"] <= before
    await open_with(again, device=device)


@pytest.mark.parametrize("seconds", [DAY, -DAY])
def test_a_wall_clock_that_jumps_a_day_frees_nobody_and_locks_nobody_out(start, clocks, seconds):
    asyncio.run(jump(start, clocks, seconds))


async def guess_on(start, clocks):
    server = start(before=clocks.command)
    await be_locked_out(server)
    # The delays after five failures and after six; the one after seven is a quarter of an hour.
    for failures, waited in ((6, 61), (7, 301), (8, 901)):
        clocks.pass_time(waited)
        verdict, welcome = await draw_once(server, WRONG)
        assert verdict["failures"] == failures and welcome["retryAfterMs"] == 0
        assert metric(server, "alarms_total") == (failures >= 7)
    server.stop()
    alarms = [line for line in server.log if " alarm " in line]
    assert len(alarms) == 1 and "lock=demo" in alarms[0] and "failures=7" in alarms[0]


def test_guessing_that_comes_to_a_quarter_of_an_hour_raises_one_alarm(start, clocks):
    asyncio.run(guess_on(start, clocks))


async def claim(actuator, offer, nonce):
    """The answer to a claim, a grant or an error."""
    await actuator.say("grant.claim", id=offer, nonce=nonce * 16)
    return await actuator.wait_for("grant", "error")


async def claim_across_kills(start, before):
    server = start()
    async with (member(server.socket, LOCK, "actuator") as actuator,
                member(server.socket, LOCK, "controller") as drawer):
        await drawer.draw(DEMO)
        offer = (await actuator.wait_for("grant.offer"))["id"]
        answers = [await claim(actuator, offer, "11")] if before else []
        server.kill()
    again = start(data=server.data)
    async with member(again.socket, LOCK, "actuator") as actuator:
        answers += [await claim(actuator, offer, nonce) for nonce in ("22", "33")]
    # A room that begins anew knows of no offer: nothing opens that nobody waits for any more.
    kinds = [answer["type"] for answer in answers]
    assert kinds == (["grant"] if before else []) + ["error", "error"]


@pytest.mark.parametrize("before", [True, False], ids=["after the claim", "before it"])
def test_a_grant_is_not_had_again_when_server_and_actuator_start_again(start, before):
    asyncio.run(claim_across_kills(start, before))
