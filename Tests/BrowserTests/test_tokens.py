"""Tokens of a library that nobody here wrote, in both directions, and all forgeries that it can make."""

import base64
import hmac
import json
import subprocess
import time

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from server import PROGRAM

SECRET = bytes(range(1, 41))
SEED = bytes([7] * 32)
PAIR = Ed25519PrivateKey.from_private_bytes(SEED)
PUBLIC = PAIR.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
SIGNERS = {"shop": ("HS256", SECRET), "door": ("EdDSA", PAIR)}
REFUSED = 4401


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@pytest.fixture
def keys(tmp_path):
    """The configuration's list, as text."""
    for name, secret in (("shop", SECRET), ("door", SEED)):
        file = tmp_path / f"{name}.key"
        file.write_text(base64url(secret) + "\n")
        file.chmod(0o600)
    return json.dumps([
        {"kid": "shop", "algorithm": "HS256", "secretFile": str(tmp_path / "shop.key"),
         "roles": ["controller", "viewer"], "rooms": ["board:lesson", "board:b-*"],
         "longestLife": "1h"},
        {"kid": "door", "algorithm": "EdDSA", "publicKey": base64url(PUBLIC),
         "secretFile": str(tmp_path / "door.key"), "roles": ["viewer"], "rooms": ["board:*"],
         "longestLife": "1h"}])


@pytest.fixture
def server(start, keys):
    return start("--token-keys", keys)


def claims(**changes):
    now = int(time.time())
    all_claims = {"sub": "ana", "room": "board:lesson", "role": "viewer", "aud": "drawbolt",
                  "jti": "t1", "nbf": now - 10, "exp": now + 600, **changes}
    return {name: value for name, value in all_claims.items() if value is not None}


def token(kid="shop", algorithm=None, key=None, headers=None, **changes):
    own_algorithm, own_key = SIGNERS.get(kid, SIGNERS["shop"])
    return jwt.encode(claims(**changes), own_key if key is None else key,
                      algorithm=algorithm or own_algorithm, headers={"kid": kid, **(headers or {})})


def answer(server, shown, room="board:lesson", role="viewer"):
    """`welcome`, or the close code."""
    with connect(server.socket, subprotocols=["drawbolt.v1.json"]) as socket:
        socket.send(json.dumps({"type": "hello", "room": room, "role": role, "token": shown}))
        try:
            while True:
                message = json.loads(socket.recv(timeout=20))
                if message["type"] == "welcome":
                    return message
        except ConnectionClosed as closed:
            return closed.rcvd.code


@pytest.mark.parametrize("kid", ["shop", "door"])
def test_a_token_of_pyjwt_is_taken(server, kid):
    welcome = answer(server, token(kid, name="Ana", shared=True, iat=int(time.time()), iss="me"))
    assert (welcome["room"], welcome["role"]) == ("board:lesson", "viewer")


def test_pyjwt_takes_a_minted_token(server, keys):
    for kid, key in (("shop", SECRET), ("door", PAIR.public_key())):
        minted = server.run("token", "mint", "--token-keys", keys, "--kid", kid, "--room",
                            "board:lesson", "--role", "viewer", "--name", "Ünal", "--life", "5m")
        minted = minted.strip()
        said = jwt.decode(minted, key, algorithms=[SIGNERS[kid][0]], audience="drawbolt",
                          options={"require": ["sub", "exp", "nbf", "aud", "jti"]})
        assert (said["room"], said["role"], said["name"]) == ("board:lesson", "viewer", "Ünal")
        assert said["exp"] - said["nbf"] == 300 and len(said["jti"]) == 32
        assert jwt.get_unverified_header(minted) == {
            "alg": SIGNERS[kid][0], "typ": "JWT", "kid": kid}
        assert answer(server, minted)["role"] == "viewer"


def by_hand(header, body, key=SECRET, digest="sha256"):
    signed = ".".join(base64url(part.encode()) for part in (header, body))
    return signed + "." + base64url(hmac.digest(key, signed.encode(), digest))


def forgeries():
    now = int(time.time())
    body = json.dumps(claims())
    header = '{"alg":"HS256","typ":"JWT","kid":"shop"}'
    good = token()
    yield "none", jwt.encode(claims(), None, algorithm="none", headers={"kid": "shop"})
    yield "none with the signature of a good one", (
        token(algorithm="none", key="") + good.rsplit(".", 1)[1])
    yield "another hash", by_hand(header.replace("HS256", "HS512"), body, digest="sha512")
    yield "HMAC with the public key", token("door", algorithm="HS256", key=PUBLIC)
    yield "HMAC named EdDSA, with the public key", by_hand(
        '{"alg":"EdDSA","typ":"JWT","kid":"door"}', body, PUBLIC)
    yield "a pair's signature under the secret's name", jwt.encode(
        claims(), PAIR, algorithm="EdDSA", headers={"kid": "shop"})
    yield "another pair", token("door", key=Ed25519PrivateKey.from_private_bytes(bytes(32)))
    yield "another secret", token(key=SECRET[:-1])
    yield "an empty secret", by_hand(header, body, b"")
    yield "an unknown key", token("other")
    yield "a key by path", token("../../etc/passwd")
    yield "no kid", jwt.encode(claims(), SECRET, algorithm="HS256")
    yield "crit", token(headers={"crit": ["exp"]})
    yield "a key of its own", token(headers={"jwk": {"kty": "oct", "k": base64url(SECRET)}})
    yield "another type", token(headers={"typ": "at+jwt"})
    yield "padding", good + "="
    yield "padding inside", good.replace(".", "=.", 1)
    yield "left-over bits", good[:-1] + chr(ord(good[-1]) + 1)
    yield "a doubled claim", by_hand(header, body[:-1] + ',"role":"controller"}')
    yield "a doubled field of the header", by_hand(header[:-1] + ',"alg":"HS256"}', body)
    yield "expired by a second", token(nbf=now - 60, exp=now - 1)
    yield "expires now", token(nbf=now - 60, exp=int(time.time()))
    yield "not valid yet", token(nbf=now + 300)
    yield "lives too long", token(nbf=now - 10, exp=now + 3700)
    yield "no end", token(exp=None)
    yield "no beginning", token(nbf=None)
    yield "no number", token(jti=None)
    yield "no audience", token(aud=None)
    yield "another audience", token(aud="other")
    yield "a list of audiences", token(aud=["drawbolt"])
    yield "another room", token(room="board:b-1")
    yield "a room that the key may not give", token(room="board:other")
    yield "another role", token(role="controller")
    yield "a role that nobody may give", token(role="admin")
    yield "huge", token(x="x" * 2100)
    yield "only a header and a body", good.rsplit(".", 1)[0]
    yield "four parts", good + ".AA"
    yield "nothing", ""


def test_no_forgery_is_taken(server):
    assert answer(server, token())["role"] == "viewer"
    names = [name for name, forged in forgeries() if answer(server, forged) != REFUSED]
    assert names == []


def test_a_token_is_for_one_room_and_role(server):
    good = token("shop", role="controller")
    assert answer(server, good, role="controller")["role"] == "controller"
    for room, role in (("board:lesson", "viewer"), ("board:lesson", "admin"), ("board:b-1", "controller"),
                       ("lesson", "controller")):
        assert answer(server, good, room, role) == REFUSED


def test_a_forged_token_is_told_from_a_good_one_by_the_command_too(server, keys):
    def check(shown):
        return subprocess.run(
            [PROGRAM, "token", "check", "--token-keys", keys, "--dev", "--data-directory",
             str(server.data)], input=shown, capture_output=True, text=True, check=False)

    assert check(token("door")).returncode == 0
    wrong = check(token(aud="other"))
    assert (wrong.returncode, wrong.stderr) == (
        65, "drawbolt: the token is refused: its aud is not tokenAudience\n")


@pytest.mark.parametrize("page", ["pad.html", "mirror.html"])
def test_a_page_takes_its_token_from_the_fragment_and_strips_it(server, screen, page):
    role = "controller" if page == "pad.html" else "viewer"
    one = screen(f"/{page}?room=board:lesson#token={token(role=role)}", at=server)
    one.wait_until_connected()
    assert one.page.url == f"{server.site}/{page}?room=board:lesson"
    assert "token" not in one.page.content()
    for link in one.page.locator("a").all():
        assert "token" not in (link.get_attribute("href") or "")


def test_a_link_with_another_token_is_followed_on_the_same_page(server, screen):
    one = screen(f"/pad.html?room=board:lesson#token={token(aud='other', role='controller')}",
                 at=server)
    one.page.wait_for_function(
        "() => document.querySelector('drawbolt-pad').client.status === 'disconnected'")
    one.page.goto(f"{one.page.url}#token={token(role='controller')}")
    one.wait_until_connected()
    assert one.page.url == f"{server.site}/pad.html?room=board:lesson"
