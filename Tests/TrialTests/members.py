"""Members of rooms for trials, on python websockets and the JSON subprotocol."""

import json
import os
import sqlite3
import time
import urllib.request
from contextlib import asynccontextmanager, closing

import websockets


class Closed(Exception):
    """The server ended the connection before what was waited for."""


class Member:
    """One member of a room."""

    def __init__(self, socket, welcome):
        self.socket = socket
        self.welcome = welcome

    async def say(self, kind, **fields):
        await self.socket.send(json.dumps({"type": kind} | fields))

    async def wait_for(self, *kinds):
        """The next message of one of these types."""
        return await wait_for(self.socket, *kinds)

    async def wait_for_phase(self, phase):
        """The next state of this phase; others repeat the last one after some silence."""
        while True:
            state = await self.wait_for("state")
            if state["phase"] == phase:
                return state

    async def draw(self, nodes, stroke=1):
        """A whole stroke through the centres of these nodes."""
        places = self.welcome["pad"]["nodes"]
        points = [[8, places[node]["x"], places[node]["y"]] for node in nodes]
        for action, part in (("press", points[:1]), ("move", points[1:]), ("release", [])):
            await self.say("samples", stroke=stroke, action=action, points=part)

    async def attempt(self, nodes, stroke=1):
        """Draws, and waits for what the drawer is told."""
        await self.draw(nodes, stroke)
        while True:
            verdict = await self.wait_for("verdict")
            if verdict["stroke"] == stroke:
                return verdict


async def wait_for(socket, *kinds):
    async for text in socket:
        message = json.loads(text)
        if message["type"] in kinds:
            return message
    raise Closed(f"before {kinds}: {socket.close_code}")


async def enter(address, room, role, **more):
    """A new member; whoever calls closes its socket."""
    socket = await websockets.connect(
        address, subprotocols=["drawbolt.v1.json"], ping_interval=None, open_timeout=60,
        close_timeout=2)
    try:
        await socket.send(json.dumps({"type": "hello", "room": room, "role": role} | more))
        return Member(socket, await wait_for(socket, "welcome"))
    except BaseException:
        await socket.close()
        raise


@asynccontextmanager
async def member(address, room, role, **more):
    """A member for as long as the block runs."""
    entered = await enter(address, room, role, **more)
    try:
        yield entered
    finally:
        await entered.socket.close()


def rows(data, statement, *values):
    """All rows that the database answers with, read beside the server."""
    with closing(sqlite3.connect(data / "drawbolt.sqlite", timeout=60)) as database:
        return database.execute(statement, values).fetchall()


def metric(server, name):
    """One of the server's figures."""
    with urllib.request.urlopen(server.addresses["metrics"], timeout=60) as answer:
        for line in answer.read().decode().splitlines():
            if line.startswith(f"drawbolt_{name} "):
                return float(line.split()[1])
    raise KeyError(name)


def resident(server):
    """Its resident memory in KiB."""
    with open(f"/proc/{server.process.pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def is_empty(server):
    """A lock's room stays for half a minute, for drawers who come back for their verdict."""
    return metric(server, "members") == 0 and metric(server, "rooms") == 0


def eventually(holds, seconds=60):
    """Asks until it holds; only a failing test waits so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        # Without a pause half a minute of asking uses up all ports for connections.
        time.sleep(0.05)
    return False
