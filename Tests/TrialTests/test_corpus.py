"""Codes, tokens and keys that were used at a server are in nothing that it gives away."""

import asyncio
import base64
import json
import os
import random
import subprocess
import urllib.request

import pytest
import websockets

from members import Member, enter
from server import Server

SEED = 20
LOCKS = ["front", "back", "cellar"]
SHORT = [2, 4, 0, 3]
KEYS = {"kid": "shop", "algorithm": "HS256", "roles": ["controller", "viewer", "actuator"],
        "rooms": ["*"], "longestLife": "1h"}


def random_code(chance, count):
    """A way over a 3×3 pad on which no jump passes a node."""
    while True:
        code = [chance.randrange(9)]
        while len(code) < count:
            x, y = code[-1] % 3, code[-1] // 3
            near = [node for node in range(9) if node not in code
                    and max(abs(node % 3 - x), abs(node // 3 - y)) == 1]
            if not near:
                break
            code.append(chance.choice(near))
        if len(code) == count:
            return code


def encodings(code):
    """All forms in which a code might get about, by name; bytes each.

    Short runs of digits stand in any number, so they are looked for from seven nodes on, and bare bytes
    from five.
    """
    ones = [node + 1 for node in code]
    found = {}
    for name, nodes in (("from 0", code), ("from 1", ones)):
        for mark in ("-", ",", ", ", " ", ";", "→"):
            found[f"{name} with {mark!r}"] = mark.join(map(str, nodes)).encode()
        if len(code) >= 7:
            found[f"{name} in digits"] = "".join(map(str, nodes)).encode()
        if len(code) >= 5:
            found[f"{name} as bytes"] = bytes(nodes)
        raw = bytes(nodes)
        found[f"{name} in hexadecimal"] = raw.hex().encode()
        found[f"{name} in base64"] = base64.b64encode(raw).rstrip(b"=")[: len(raw) * 8 // 6]
    canonical = bytes([1, 3, 3, len(code), *code])
    found["canonical"] = canonical
    found["canonical in hexadecimal"] = canonical.hex().encode()
    found["canonical in base64"] = base64.b64encode(canonical).rstrip(b"=")[: len(canonical) * 8 // 6]
    return {name: form for name, form in found.items() if len(form) >= 4}


def key_encodings(key):
    """The forms of a token or key that is hexadecimal or text."""
    forms = {"as it came": key.encode()}
    try:
        forms["as bytes"] = bytes.fromhex(key)
        forms["in base64"] = base64.b64encode(forms["as bytes"]).rstrip(b"=")[:-1]
    except ValueError:
        # A JWT: its signature is what must not get about.
        forms["signature"] = key.rsplit(".", 1)[1].encode()
    return forms


def found_in(outputs, forms):
    """Which output has which form in it."""
    return [(output, form) for output, text in outputs.items() for form, wanted in forms.items()
            if wanted in text]


class Eavesdropper:
    """Somebody in the room who keeps every byte that it hears."""

    def __init__(self, address, room, role, subprotocol, token):
        self.words = {"type": "hello", "room": room, "role": role, "token": token}
        self.address, self.subprotocol = address, subprotocol
        self.heard = []

    async def __aenter__(self):
        self.socket = await websockets.connect(
            self.address, subprotocols=[self.subprotocol], ping_interval=None, open_timeout=60)
        await self.socket.send(json.dumps(self.words))
        welcome = await self.socket.recv()
        self.heard.append(welcome.encode())
        self.key = json.loads(welcome)["resume"]
        self.listening = asyncio.create_task(self.listen())
        return self

    async def listen(self):
        async for frame in self.socket:
            self.heard.append(frame if isinstance(frame, bytes) else frame.encode())

    async def __aexit__(self, *_):
        await self.socket.close()
        await self.listening

    def others(self):
        """What it heard, but for its own key."""
        return b"\n".join(self.heard).replace(self.key.encode(), b"")


async def draw_slowly(drawer, code, stroke):
    """One sample a message, so that each is a turn of the loop and a state of its own."""
    places = drawer.welcome["pad"]["nodes"]
    for index, node in enumerate(code):
        await drawer.say(
            "samples", stroke=stroke, action="press" if index == 0 else "move",
            points=[[8, places[node]["x"], places[node]["y"]]])
        await drawer.wait_for("state")
    await drawer.say("samples", stroke=stroke, action="release", points=[])
    return await drawer.wait_for("verdict")


async def use(server, lock, codes, wrong, mint):
    """Everybody comes, codes are drawn fast and slowly; what eavesdroppers heard, and all keys."""
    roles = [("viewer", "drawbolt.v1"), ("viewer", "drawbolt.v1.json"), ("actuator", "drawbolt.v1"),
             ("controller", "drawbolt.v1")]
    around = [Eavesdropper(server.socket, lock, role, form, mint(lock, role)) for role, form in roles]
    token = mint(lock, "controller")
    keys = [token]
    for one in around:
        await one.__aenter__()
    drawer = await enter(server.socket, lock, "controller", token=token)
    keys.append(drawer.welcome["resume"])
    for stroke, code in enumerate(codes, 1):
        draw = draw_slowly if stroke % 2 else Member.attempt
        verdict = await draw(drawer, code, stroke)
        assert verdict["outcome"] == ("rejected" if code in wrong else "accepted")
        if verdict["outcome"] == "accepted":
            keys.append((await drawer.wait_for("device"))["token"])
    await drawer.socket.close()
    # Comes back by its key, and by what its device is trusted by.
    again = await enter(
        server.socket, lock, "controller", token=token, resume=keys[1], device=keys[-1])
    await again.attempt(codes[-1], len(codes) + 1)
    await again.socket.close()
    for one in around:
        await one.__aexit__()
    return around, keys


@pytest.fixture(scope="module")
def used(tmp_path_factory):
    """A server that was used with a corpus of codes, and all that it gave away."""
    chance = random.Random(SEED)
    tmp_path = tmp_path_factory.mktemp("corpus")
    (tmp_path / "shop.key").write_text(base64.urlsafe_b64encode(bytes(range(40))).decode().rstrip("="))
    (tmp_path / "shop.key").chmod(0o600)
    keys_flag = json.dumps([KEYS | {"secretFile": str(tmp_path / "shop.key")}])
    server = Server(tmp_path / "data", 0, "--token-keys", keys_flag, "--log-level", "trace")

    def mint(room, role):
        return server.run("token", "mint", "--token-keys", keys_flag, "--kid", "shop",
                          "--room", room, "--role", role).strip()

    codes, tokens, outputs = [], [], {}
    for lock in LOCKS:
        right = [random_code(chance, count) for count in (5, 7, 9)]
        wrong = [SHORT] + [random_code(chance, 6)]
        server.run("lock", "add", lock)
        for code in right:
            server.run("secret", "add", lock, "--allow-weak",
                       text="-".join(str(node + 1) for node in code))
        around, keys = asyncio.run(use(server, lock, wrong + right, wrong, mint))
        codes += right + wrong
        tokens += keys + [one.key for one in around]
        for index, one in enumerate(around):
            outputs[f"{lock}: {one.words['role']} {index}"] = one.others()
    with urllib.request.urlopen(server.addresses["metrics"]) as answer:
        outputs["metrics"] = answer.read()
    server.run("backup", str(tmp_path / "backup"))
    outputs["backup"] = (tmp_path / "backup").read_bytes()
    for file in server.data.iterdir():
        if file.name.startswith("drawbolt.sqlite"):
            outputs[file.name] = file.read_bytes()
    server.stop()
    for file in server.data.iterdir():
        if file.name.startswith("drawbolt.sqlite"):
            outputs[f"{file.name} after the stop"] = file.read_bytes()
    outputs["log"] = "".join(server.log).encode()
    return codes, tokens, outputs


def test_nothing_that_was_used_is_in_any_output(used):
    codes, tokens, outputs = used
    assert len(outputs) >= 12 + 4 and all(outputs[name] for name in outputs if "-" not in name)
    assert outputs["log"].count(b"attemptJudged") == 6 * len(LOCKS)
    for code in codes:
        assert found_in(outputs, encodings(code)) == [], code
    assert len(set(tokens)) == len(tokens)
    for token in tokens:
        assert found_in(outputs, key_encodings(token)) == []


def test_the_search_finds_what_is_put_into_any_output(used):
    codes, tokens, outputs = used
    chance = random.Random(SEED + 1)
    for forms in [encodings(codes[0]), encodings(codes[2]), key_encodings(tokens[0]),
                  key_encodings(tokens[1])]:
        for name, form in forms.items():
            for output, text in outputs.items():
                place = chance.randrange(len(text) + 1)
                planted = outputs | {output: text[:place] + form + text[place:]}
                assert (output, name) in found_in(planted, forms)


def test_a_crash_in_mid_stroke_leaves_no_core(start, tmp_path):
    """What is in the memory then goes with the process."""
    server = start()
    before = set(os.listdir("."))

    async def crash():
        drawer = await enter(server.socket, "demo", "controller")
        await drawer.say("samples", stroke=1, action="press", points=[[8, 0.5, 0.5]])
        await drawer.wait_for("state")
        subprocess.run(["prlimit", "--core=unlimited", "--pid", str(server.process.pid)], check=False)
        server.process.send_signal(6)
        await drawer.socket.wait_closed()

    asyncio.run(crash())
    assert server.process.wait(timeout=60) == -6
    assert set(os.listdir(".")) == before and not list(tmp_path.rglob("core*"))
    assert not any("2-5-8" in line or "Thread" in line for line in server.log)


async def watched(server, code, slowly):
    """Every frame that a viewer of a stealth lock hears of one attempt."""
    heard = []
    async with websockets.connect(
            server.socket, subprotocols=["drawbolt.v1"], ping_interval=None) as viewer:
        await viewer.send(json.dumps({"type": "hello", "room": "quiet", "role": "viewer"}))
        await wait_for_text(viewer, "welcome")
        drawer = await enter(server.socket, "quiet", "controller")
        await wait_for_text(viewer, "members", lambda message: message["viewers"] == 1
                            and len(message["controllers"]) == 1)
        await (draw_slowly(drawer, code, 1) if slowly else drawer.attempt(code))
        # The verdict's notice, and the end of it three seconds later.
        while sum(isinstance(frame, bytes) for frame in heard) < 2:
            heard.append(await viewer.recv())
        await drawer.socket.close()
        await wait_for_text(viewer, "members", lambda message: not message["controllers"], heard)
    return heard


async def wait_for_text(socket, kind, fits=lambda _: True, heard=None):
    async for frame in socket:
        if heard is not None:
            heard.append(frame)
        if isinstance(frame, str):
            message = json.loads(frame)
            if message["type"] == kind and fits(message):
                return
    raise AssertionError(f"no {kind}")


def test_a_viewer_hears_the_same_of_four_nodes_and_of_nine_drawn_fast_or_slowly(start, tmp_path):
    chance = random.Random(SEED + 2)
    heard = []
    for count, slowly in ((4, False), (4, True), (9, False), (9, True)):
        server = start(data=tmp_path / f"{count}{slowly}")
        server.run("lock", "add", "quiet")
        heard.append(asyncio.run(watched(server, random_code(chance, count), slowly)))
    assert len(heard[0]) >= 3
    assert heard[1:] == heard[:1] * 3

