"""Clients that nobody here wrote: Python's websockets, in both subprotocols, and the README's session."""

import asyncio
import json
import re
import struct
import subprocess
import sys

import websockets

from server import DEMO, ROOT, WRONG


def hello(role, room="demo"):
    return json.dumps({"type": "hello", "room": room, "role": role, "name": "Ana"})


async def wait_for(socket, kind):
    async for text in socket:
        if isinstance(text, str) and json.loads(text)["type"] == kind:
            return json.loads(text)
    raise AssertionError(f"closed before {kind}")


async def draw_as_json(address, nodes):
    async with websockets.connect(address, subprotocols=["drawbolt.v1.json"]) as socket:
        assert "Origin" not in socket.request.headers
        await socket.send(hello("controller"))
        welcome = await wait_for(socket, "welcome")
        places = welcome["pad"]["nodes"]
        points = [[16, places[node]["x"], places[node]["y"]] for node in nodes]
        for action, part in (("press", points[:1]), ("move", points[1:]), ("release", [])):
            await socket.send(json.dumps(
                {"type": "samples", "stroke": 1, "action": action, "points": part}))
        return await wait_for(socket, "verdict")


async def draw_as_binary(address, nodes):
    async with websockets.connect(address, subprotocols=["drawbolt.v1"]) as socket:
        await socket.send(hello("controller"))
        welcome = await wait_for(socket, "welcome")
        columns, rows = (welcome["pad"]["hit"][axis] for axis in ("columns", "rows"))
        places = [(columns[node % 3], rows[node // 3]) for node in nodes]

        def frame(flags, part):
            return struct.pack("<BBHB", 1, flags, 7, len(part)) + b"".join(
                struct.pack("<Hhh", 8, x, y) for x, y in part)

        await socket.send(frame(1, places))
        await socket.send(frame(2, []))
        return await wait_for(socket, "verdict")


def test_python_websockets_draws_the_demo_pattern_as_json_and_is_accepted(server):
    verdict = asyncio.run(draw_as_json(server.socket, DEMO))
    assert verdict == {"type": "verdict", "stroke": 1, "outcome": "accepted", "retryAfterMs": 0,
                       "failures": 0, "actuators": 0}


def test_python_websockets_draws_it_in_binary_too(server):
    assert asyncio.run(draw_as_binary(server.socket, DEMO))["outcome"] == "accepted"
    assert asyncio.run(draw_as_binary(server.socket, WRONG))["outcome"] == "rejected"


def test_the_session_in_the_readme_ends_with_accepted(server):
    readme = (ROOT / "README.md").read_text()
    session = re.search(r"<<'PY'\n(.*?)\nPY\n", readme, re.DOTALL).group(1)
    assert "127.0.0.1:8080" in session
    session = session.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
    output = subprocess.run(
        [sys.executable, "-c", session], capture_output=True, text=True, check=True, timeout=30).stdout
    last = json.loads(output.splitlines()[-1])
    assert last["type"] == "verdict" and last["outcome"] == "accepted"
