"""Garbage in place of requests and frames: the server lives, and members beside it notice nothing.

TRIAL_GARBAGE says how many connections bring some; TRIAL_SEED repeats a run.
"""

import asyncio
import base64
import json
import os
import random
import struct
from collections import Counter
from contextlib import AsyncExitStack, suppress

from members import descriptors, eventually, is_empty, member, resident
from server import ROOT

ROUNDS = int(os.environ.get("TRIAL_GARBAGE", "1500"))
SEED = int(os.environ.get("TRIAL_SEED", random.randrange(1 << 32)))
AT_ONCE = 16
BOARD = "board:garden"
MESSAGES = [
    (1, message["text"].encode()) if "hex" not in message else (2, bytes.fromhex(message["hex"]))
    for message in json.loads((ROOT / "Tests/Vectors/wire.json").read_text())["client"]]
NASTY = [0, 1, 125, 126, 127, 128, 255, 256, 65535, 65536, (1 << 31) - 1, 1 << 32, (1 << 63) - 1,
         1 << 63, (1 << 64) - 1]


def request(port, chance):
    """An upgrade to one of the subprotocols."""
    key = base64.b64encode(chance.randbytes(16)).decode()
    kind = chance.choice(("json", "binary"))
    return (f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\n"
            f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
            f"Sec-WebSocket-Protocol: drawbolt.v1.{kind}\r\n\r\n").encode()


def spoilt(data, chance):
    """The bytes with a few of them changed, gone, doubled or put elsewhere."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(data) + 1)
        count = min(chance.choice((1, 1, 2, 8, 40)), len(data) - place)
        part = data[place:place + count]
        match chance.randrange(5):
            case 0:
                data[place:place + count] = chance.randbytes(count)
            case 1:
                del data[place:place + count]
            case 2:
                data[place:place] = part * chance.choice((1, 2, 50))
            case 3:
                data[place:place] = chance.choice((b"\0", b"\r\n", b"\r\n\r\n", b":", b" ", b"\xff", b"%00"))
            case _:
                elsewhere = chance.randrange(len(data) + 1)
                data[elsewhere:elsewhere] = part
    return bytes(data)


def frame(opcode, payload, chance, odd=False):
    """A frame of a client; an odd one lies about its length, its mask, its kind or its place."""
    first, length, masked = 0x80 | opcode, len(payload), True
    if odd:
        first ^= chance.choice((0, 0x80, 0x40, 0x20, 0x10, 0x08, 0x0F))
        length = chance.choice((length, length, *NASTY))
        masked = chance.random() < 0.9
    mark = 0x80 if masked else 0
    if length < 126 and not (odd and chance.random() < 0.2):
        head = bytes([first, mark | length])
    elif length < 65536:
        head = bytes([first, mark | 126]) + struct.pack(">H", length)
    else:
        head = bytes([first, mark | 127]) + struct.pack(">Q", length)
    mask = chance.randbytes(4) if masked else b"\0\0\0\0"
    return head + (mask if masked else b"") + bytes(
        byte ^ mask[place % 4] for place, byte in enumerate(payload))


def frames(chance):
    """A conversation that goes wrong sooner or later."""
    if chance.random() < 0.7:
        hello = {"type": "hello", "room": f"board:{chance.randrange(4)}",
                 "role": chance.choice(("controller", "viewer", "actuator"))}
        yield frame(1, json.dumps(hello).encode(), chance)
    for _ in range(chance.randrange(1, 12)):
        opcode, payload = chance.choice(MESSAGES)
        kind = chance.randrange(6)
        if kind == 0:
            opcode, payload = chance.choice((8, 9, 10)), chance.randbytes(chance.choice((0, 1, 2, 125, 126)))
        elif kind < 3 and payload:
            payload = spoilt(payload, chance)
        elif kind == 3:
            yield chance.randbytes(chance.randrange(1, 40))
        yield frame(opcode, payload, chance, odd=chance.random() < 0.2)


async def visit(port, chance, seen):
    """One connection that brings garbage, hears what it gets for that, and goes as it likes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        async with asyncio.timeout(chance.choice((0.02, 0.1, 0.3))):
            head = request(port, chance)
            if chance.random() < 0.5:
                writer.write(chance.choice((spoilt(head, chance), chance.randbytes(chance.randrange(1, 3000)))))
                if chance.random() < 0.3:
                    writer.write_eof()
            else:
                writer.write(head)
                seen[await reader.readuntil(b"\r\n")] += 1
                for part in frames(chance):
                    writer.write(part)
                    await writer.drain()
            answer = await reader.read(12)
            seen[answer if answer[:5] == b"HTTP/" else b"frames"] += 1
            while await reader.read(65536):
                pass
    except (TimeoutError, OSError, asyncio.IncompleteReadError):
        seen[b"cut short"] += 1
    finally:
        writer.transport.abort() if chance.random() < 0.5 else writer.close()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(1):
                await writer.wait_closed()


async def garbage(port, chance, rounds):
    """All the visits, some at once."""
    seen, visits = Counter(), iter(range(rounds))

    async def some():
        for _ in visits:
            await visit(port, random.Random(chance.getrandbits(64)), seen)

    await asyncio.gather(*(some() for _ in range(AT_ONCE)))
    return seen


async def garden(server, chance, rounds):
    """Two members who draw and watch as long as garbage comes; nothing may escape them."""
    async with AsyncExitStack() as stack:
        drawer, viewer = [
            await stack.enter_async_context(member(server.socket, BOARD, role))
            for role in ("controller", "viewer")]
        rubbish = asyncio.create_task(garbage(server.port, chance, rounds))
        stroke = 0
        while not rubbish.done():
            stroke += 1
            path = [0, 1, 2, 5, 8] if stroke % 2 else [6, 3, 0, 1, 2]
            await drawer.draw(path, stroke)
            for one in (drawer, viewer):
                assert (await one.wait_for_phase("finished"))["path"] == path
        return rubbish.result(), stroke


def test_garbage_kills_nothing_holds_nothing_and_is_not_noticed_by_others(start):
    print(f"TRIAL_SEED={SEED}")
    chance = random.Random(SEED)
    server = start("--limits-grace-time", "1s")
    asyncio.run(garden(server, chance, ROUNDS // 3))
    assert eventually(lambda: is_empty(server))
    before = descriptors(server), resident(server)
    seen, strokes = asyncio.run(garden(server, chance, ROUNDS))
    assert eventually(lambda: is_empty(server))
    assert eventually(lambda: descriptors(server) <= before[0])
    grown = resident(server) - before[1]
    print(f"{strokes} strokes beside {dict(seen)}, {grown:+} KiB")
    assert seen[b"HTTP/1.1 101 Switching Protocols\r\n"] > 0 and seen[b"HTTP/1.1 400"] > 0
    assert strokes > 1 and grown < 4096
    assert not any(" error " in line for line in server.log)
    # The end is in order: a sanitizer that found something would say so here.
    server.stop()
