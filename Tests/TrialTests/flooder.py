"""One who floods a server, as a process of its own: `flooder.py KIND PORT`, until it is killed.

It prints a line once the flood has begun. Whenever the server ends a connection it opens another.
"""

import base64
import json
import os
import socket
import ssl
import struct
import sys
from contextlib import suppress

MOST_OPEN = 2000


def frame(opcode, payload=b"", final=True):
    """A frame whose mask changes nothing."""
    length = len(payload)
    head = bytes([0x80 * final | opcode, 0x80 | length]) if length < 126 else (
        bytes([0x80 * final | opcode, 0x80 | 126]) + struct.pack(">H", length))
    return head + bytes(4) + payload


def text(message):
    return frame(1, json.dumps(message).encode())


def hello(role):
    return text({"type": "hello", "room": f"board:flood{os.getpid()}", "role": role})


def points(action, count):
    return text({"type": "samples", "stroke": 1, "action": action, "points": [[1, 0.3, 0.4]] * count})


# What is sent once, and what is sent again and again.
TALK = {
    "samples": (hello("controller") + points("press", 1), points("move", 40) * 20),
    "pens": (hello("controller"), text({"type": "pen.request"}) * 50 + text({"type": "pen.release"}) * 50),
    "pings": (hello("viewer"), frame(9, b"x") * 200),
    "fragments": (hello("viewer") + frame(1, b"", final=False), frame(0, b"", final=False) * 500),
}


def upgraded(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=2)
    key = base64.b64encode(os.urandom(16)).decode()
    connection.sendall(
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
        "Sec-WebSocket-Protocol: drawbolt.v1.json\r\n\r\n".encode())
    connection.recv(4096)
    return connection


def talk(kind, port):
    once, again = TALK[kind]
    with upgraded(port) as connection:
        connection.sendall(once)
        connection.settimeout(0.5)
        while True:
            connection.sendall(again)


def joins(port):
    with upgraded(port) as connection:
        connection.sendall(hello("viewer"))
        connection.recv(4096)


def idlers(port, first):
    """Opens sockets that never finish what they began; the oldest goes for one more."""
    waiting = []
    while True:
        with suppress(OSError):
            connection = socket.create_connection(("127.0.0.1", port), timeout=2)
            waiting.append(connection)
            connection.sendall(first)
        if len(waiting) > MOST_OPEN:
            waiting.pop(0).close()


def client_hello():
    coming, going = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context()
    with suppress(ssl.SSLWantReadError):
        context.wrap_bio(coming, going, server_hostname="localhost").do_handshake()
    return going.read()


def hellos(port, first):
    """Lets the server sign a handshake, and goes."""
    with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
        connection.sendall(first)
        connection.recv(64)


def flood(kind, port):
    match kind:
        case "joins": joins(port)
        case "half-open": idlers(port, b"GET /ws HTTP/1.1\r\nHost: ")
        case "tls hellos": hellos(port, client_hello())
        case "tls half-open": idlers(port, client_hello()[:40])
        case _: talk(kind, port)


if __name__ == "__main__":
    print("floods", flush=True)
    while True:
        with suppress(OSError):
            flood(sys.argv[1], int(sys.argv[2]))
