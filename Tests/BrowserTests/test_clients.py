"""Clients that nobody here wrote, in both subprotocols, and all that the README has one type."""

import asyncio
import json
import os
import re
import signal
import struct
import subprocess
import sys
import threading
from pathlib import Path

import websockets

from server import DEMO, PROGRAM, ROOT, WRONG


def hello(role, room="demo"):
    return json.dumps({"type": "hello", "room": room, "role": role, "name": "Ana"})


async def wait_for(socket, kind):
    async for text in socket:
        if isinstance(text, str) and json.loads(text)["type"] == kind:
            return json.loads(text)
    raise AssertionError(f"closed before {kind}")


async def draw_as_json(address, nodes, room="demo"):
    async with websockets.connect(address, subprotocols=["drawbolt.v1.json"]) as socket:
        assert "Origin" not in socket.request.headers
        await socket.send(hello("controller", room))
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


def test_the_python_session_in_the_readme_ends_with_accepted(server):
    readme = (ROOT / "README.md").read_text()
    session = re.search(r"<<'PY'\n(.*?)\nPY\n", readme, re.DOTALL).group(1)
    assert "127.0.0.1:8080" in session
    session = session.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
    output = subprocess.run(
        [sys.executable, "-c", session], capture_output=True, text=True, check=True, timeout=30).stdout
    last = json.loads(output.splitlines()[-1])
    assert last["type"] == "verdict" and last["outcome"] == "accepted"


def test_the_wsdump_session_in_the_readme_ends_with_the_verdict_that_it_shows(server):
    readme = (ROOT / "README.md").read_text()
    command, shown = re.search(r"\$ venv/bin/(wsdump .*?)\n(.*?)```", readme, re.DOTALL).groups()
    assert "127.0.0.1:8080" in command
    words = command.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}").split()
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name(words[0])), *words[1:]], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"})
    limit = threading.Timer(30, process.kill)
    limit.start()
    try:
        for line in shown.splitlines():
            if line.startswith("> "):
                process.stdin.write(line.removeprefix("> ") + "\n")
                process.stdin.flush()
            else:
                wanted = line.removeprefix("< ").removesuffix("…}")
                assert any(wanted in said for said in process.stdout), line
    finally:
        limit.cancel()
        process.kill()
        process.wait(timeout=10)


def test_the_commands_in_the_readme_enrol_a_lock_and_serve_it(tmp_path):
    readme = (ROOT / "README.md").read_text()
    part = readme[readme.index("## Add a lock"):readme.index("## From a terminal")]
    scripts = re.findall(r"```sh\n(.*?)```", part, re.DOTALL)
    drawing = re.search(r"```\n([ .\d\n]+)```", part).group(1)
    commands = "".join(scripts)
    assert commands.splitlines()[-1].startswith("drawbolt serve")
    # The same words but for ports that nobody else has, and the drawing beside the line.
    commands = f"""drawbolt() {{ if [ "$1" = serve ]; then exec '{PROGRAM}' "$@"; fi; '{PROGRAM}' "$@"; }}
        {commands.removesuffix(commands.splitlines()[-1] + chr(10))}
        drawbolt secret add front-door --owner eve <<'END'\n{drawing}END
        drawbolt secret revoke front-door 1
        drawbolt lock reset front-door
        {commands.splitlines()[-1]}"""
    environment = os.environ | {
        "HOME": str(tmp_path), "DRAWBOLT_LISTEN": "127.0.0.1:0", "DRAWBOLT_ADMIN": "127.0.0.1:0",
        "DRAWBOLT_WEB_ROOT": str(ROOT / "web")}
    process = subprocess.Popen(
        ["bash", "-euc", commands], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        text = ""
        for line in process.stdout:
            text += line
            if site := re.search(r"  http://(\S+?)/$", line.rstrip()):
                break
        assert "Enrolled secret 2 of front-door" in text and "The configuration is good" in text
        address = f"ws://{site.group(1)}/ws"
        verdict = asyncio.run(draw_as_json(address, (1, 4, 7, 8, 5, 2), "front-door"))
        assert verdict["outcome"] == "accepted"
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=10) == 0
