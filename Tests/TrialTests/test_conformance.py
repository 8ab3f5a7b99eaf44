"""The Autobahn cases against Drawbolt's own transport, which only echoes here."""

import asyncio
import re
import subprocess
from contextlib import asynccontextmanager

import kosoku
import pytest

from server import PROGRAM

# The library answers the first and the last of many pings, as RFC 6455 §5.5.3 lets it.
COALESCED_PONGS = {"2.10", "2.11"}
FINE = {"OK", "NON-STRICT", "INFORMATIONAL"}


@pytest.fixture
def echo():
    """The port of an echoing server."""
    process = subprocess.Popen(
        [PROGRAM + "-lab", "echo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield int(re.search(r":(\d+)/ws", process.stdout.readline()).group(1))
        process.stdin.close()
        assert process.wait(timeout=30) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(timeout=10)


async def copy(reader, writer):
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.close()


@asynccontextmanager
async def relay(port):
    """Stands before the server and lends the suite, which speaks none, a subprotocol.

    Only the two heads of the handshake are changed. It keeps the server's answers to look at.
    """
    answers = []

    async def serve(reader, writer):
        inner, outer = await asyncio.open_connection("127.0.0.1", port)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            head = re.sub(rb"(?im)^host:.*\r$", b"Host: 127.0.0.1:%d\r" % port, head)
            outer.write(head[:-2] + b"Sec-WebSocket-Protocol: drawbolt.echo\r\n\r\n")
            answer = await inner.readuntil(b"\r\n\r\n")
            answers.append(answer.decode())
            writer.write(re.sub(rb"(?im)^sec-websocket-protocol:.*\r\n", b"", answer))
            await asyncio.gather(copy(reader, outer), copy(inner, writer))
        finally:
            outer.close()
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1], answers


async def run_suite(port, *cases):
    async with relay(port) as (front, answers):
        try:
            results = await kosoku.run_fuzzingclient(
                f"ws://127.0.0.1:{front}/ws", list(cases), concurrency=4)
        except kosoku.FailureError as failure:
            results = failure.results
    return results, answers


@pytest.mark.parametrize("group, count", [
    (("1.*", "2.*", "3.*", "4.*", "5.*"), 64), (("6.*", "7.*"), 180), (("9.*", "10.*"), 55)])
def test_every_case_is_fine_but_the_two_of_coalesced_pongs(echo, group, count):
    results, _ = asyncio.run(run_suite(echo, *group))
    assert len(results) >= count
    bad = {result.case_id: (result.behavior.value, result.behavior_close.value, result.result)
           for result in results
           if not {result.behavior.value, result.behavior_close.value} <= FINE}
    assert set(bad) <= COALESCED_PONGS, bad


def test_no_extension_is_agreed_to_when_one_is_offered(echo):
    results, answers = asyncio.run(run_suite(echo, "12.1.1"))
    assert "permessage-deflate" in results[0].http_request.lower()
    assert answers and not any("extensions" in answer.lower() for answer in answers)
