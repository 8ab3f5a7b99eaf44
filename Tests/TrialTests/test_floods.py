"""Floods: what somebody pours over the server costs others little, and the server bounded memory.

TRIAL_FLOOD_SECONDS says how long each is; `make floods` takes ten seconds and prints a table. How long
others wait is printed only, since it is this machine's affair too. A flooder is elsewhere in earnest: so
the server has a core, and the flooder runs on the members' core when they have nothing to do.
"""

import asyncio
import os
import subprocess
import sys
import time
from contextlib import AsyncExitStack, contextmanager
from itertools import cycle
from pathlib import Path

import pytest

from members import descriptors, eventually, member, metric, resident

SECONDS = float(os.environ.get("TRIAL_FLOOD_SECONDS", "1"))
KINDS = ["samples", "joins", "pens", "pings", "fragments", "half-open", "tls hellos", "tls half-open"]
VIEWERS = 3
CORES = sorted(os.sched_getaffinity(0))
# An unfinished handshake takes some 72 KiB, and `limits.tlsHandshakes` allows 1000 of them.
MOST_KIB = 96 * 1024


def on_core(number):
    """What starts a program on one of this machine's cores."""
    return ["taskset", "-c", str(CORES[number % len(CORES)])]


@pytest.fixture(autouse=True)
def members_on_a_core():
    os.sched_setaffinity(0, {CORES[0]})
    yield
    os.sched_setaffinity(0, CORES)


@contextmanager
def flooding(kind, server):
    flooder = subprocess.Popen(
        [*on_core(0), "chrt", "--idle", "0",
         sys.executable, str(Path(__file__).with_name("flooder.py")), kind, str(server.port)],
        stdout=subprocess.PIPE, text=True)
    try:
        assert flooder.stdout.readline() == "floods\n"
        yield
        assert flooder.poll() is None, "the flooder gave up"
    finally:
        flooder.kill()
        flooder.wait()
        flooder.stdout.close()


@pytest.fixture
def certificate(tmp_path, monkeypatch):
    """A certificate of this machine's own, which this process trusts."""
    names = [str(tmp_path / name) for name in ("chain.pem", "key.pem")]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-days", "1", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
         "-out", names[0], "-keyout", names[1]], check=True, capture_output=True)
    os.chmod(names[1], 0o600)
    monkeypatch.setenv("SSL_CERT_FILE", names[0])
    return ["--tls-certificate", names[0], "--tls-key", names[1]]


async def waits(members, places):
    """How long it took until a sample was shown to all, again and again."""
    times, end = [], time.monotonic() + SECONDS
    while time.monotonic() < end:
        began, place = time.monotonic(), next(places)
        await members[0].say("samples", stroke=1, action="move", points=[[4, place, place]])
        for one in members:
            while abs((await one.wait_for("state"))["x"] - place) > 0.001:
                pass
        times.append(time.monotonic() - began)
        # A hand moves a hundred times a second; more would be a flood of its own.
        await asyncio.sleep(0.01)
    return sorted(times)


def figure(times, share):
    return times[min(len(times) - 1, int(len(times) * share))] * 1000


async def lesson(server, kind):
    """The same lesson without a flood and with one; a member who is sent away fails it."""
    async with asyncio.timeout(60 + 2 * SECONDS), AsyncExitStack() as stack:
        members = [
            await stack.enter_async_context(member(server.socket, "board:lesson", role))
            for role in ("controller", *["viewer"] * VIEWERS)]
        await members[0].say("samples", stroke=1, action="press", points=[[0, 0.1667, 0.1667]])
        # No place twice in a row: a state that says nothing new is not sent.
        places = cycle(0.2 + step / 100 for step in range(50))
        calm = await waits(members, places)
        before = resident(server)
        with flooding(kind, server):
            flood = await waits(members, places)
            grown = resident(server) - before
        return calm, flood, grown


@pytest.mark.parametrize("kind", KINDS)
def test_a_flood_sends_no_other_away_and_takes_bounded_memory(start, certificate, kind):
    flags = certificate if kind.startswith("tls") else []
    server = start(*flags, before=on_core(1))
    used = descriptors(server)
    calm, flood, grown = asyncio.run(lesson(server, kind))
    print(f"{kind:14}" + "".join(
        f" p50 {figure(times, 0.5):6.2f} p99 {figure(times, 0.99):6.2f} ms" for times in (calm, flood))
        + f"  × {figure(flood, 0.99) / figure(calm, 0.99):5.2f} {grown:+7} KiB")
    assert grown < MOST_KIB
    # What the flood held is given back, and whoever comes next is let in.
    assert eventually(lambda: descriptors(server) <= used)
    assert eventually(lambda: metric(server, "members") == 0)
    server.stop()
