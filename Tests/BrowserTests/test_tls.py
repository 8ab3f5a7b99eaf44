"""The server behind a certificate: clients nobody here wrote, old ones, scanners, and a new certificate."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
import http.client
import os
import re
import signal
import socket
import ssl
import subprocess
import time
from xml.etree import ElementTree

import pytest
import websockets

from server import DEMO, PROGRAM, ROOT
from test_clients import hello, wait_for


def in_own_thread(work):
    """Runs it on a loop of its own: Playwright's runs in this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def make_pair(folder, name):
    """A certificate that is its own issuer, and its key."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "30", "-subj", f"/CN={name}",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    return certificate, key


@pytest.fixture
def pair(tmp_path):
    return make_pair(tmp_path, "first")


@pytest.fixture
def server(start, pair):
    return start("--tls-certificate", str(pair[0]), "--tls-key", str(pair[1]))


@pytest.fixture
def trust(pair):
    return ssl.create_default_context(cafile=str(pair[0]))


def get(server, trust, path):
    connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=trust, timeout=30)
    connection.request("GET", path)
    response = connection.getresponse()
    return response.status, response.headers, response.read()


def shown(server):
    """Who the server says it is to whoever connects now."""
    certificate = ssl.get_server_certificate(("127.0.0.1", server.port))
    return subprocess.run(["openssl", "x509", "-noout", "-subject"], input=certificate, text=True,
                          capture_output=True, check=True).stdout.strip()


def wait_for_log(server, words, count=1):
    end = time.monotonic() + 60
    while sum(words in line for line in server.log) < count:
        assert time.monotonic() < end, "".join(server.log)
        time.sleep(0.02)


def s_client(server, *flags, text="Q\n"):
    return subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{server.port}", *flags], input=text,
        capture_output=True, text=True, timeout=60)


async def draw(server, trust):
    async with websockets.connect(
            server.socket, ssl=trust, subprotocols=["drawbolt.v1.json"]) as client:
        await client.send(hello("controller"))
        welcome = await wait_for(client, "welcome")
        places = welcome["pad"]["nodes"]
        points = [[16, places[node]["x"], places[node]["y"]] for node in DEMO]
        for action, part in (("press", points[:1]), ("move", points[1:]), ("release", [])):
            await client.send(
                f'{{"type":"samples","stroke":1,"action":"{action}","points":{part}}}')
        return await wait_for(client, "verdict")


def test_a_client_that_trusts_the_certificate_draws_the_demo_pattern_by_wss(server, trust):
    assert server.site.startswith("https://") and server.socket.startswith("wss://")
    assert in_own_thread(draw(server, trust))["outcome"] == "accepted"


def test_a_browser_draws_on_a_page_that_came_by_https(server, screen):
    mirror = screen("/mirror.html?room=board:tls", ignore_https_errors=True)
    pad = screen("/pad.html?room=board:tls", ignore_https_errors=True)
    for one in (mirror, pad):
        one.wait_until_connected()
    pad.draw(DEMO)
    mirror.wait_for_phase("finished")
    mirror.wait_for_lit(DEMO)


def test_every_file_comes_whole(server, trust):
    for path in (ROOT / "web").glob("*.*"):
        assert get(server, trust, f"/{path.name}")[2] == path.read_bytes(), path


def test_on_a_developers_machine_browsers_are_not_told_to_insist_on_tls(server, trust):
    status, headers, _ = get(server, trust, "/healthz")
    assert status == 200 and headers["Strict-Transport-Security"] is None


@pytest.mark.parametrize("version", ["tls1", "tls1_1"])
def test_old_versions_are_refused(server, version):
    run = s_client(server, f"-{version}", "-cipher", "ALL@SECLEVEL=0")
    assert run.returncode != 0 and "alert protocol version" in run.stderr


@pytest.mark.parametrize("version", ["tls1_2", "tls1_3"])
def test_new_versions_are_spoken_and_a_ticket_brings_a_client_back(server, version, tmp_path):
    ticket = str(tmp_path / "ticket")
    ask = f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n"
    first = s_client(server, f"-{version}", "-ign_eof", "-sess_out", ticket, text=ask)
    assert "New, TLSv1." in first.stdout and "HTTP/1.1 200 OK" in first.stdout
    assert "Reused, TLSv1." in s_client(server, f"-{version}", "-sess_in", ticket).stdout


@pytest.mark.parametrize("cipher", [
    "AES128-SHA", "AES256-GCM-SHA384", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384",
    "DHE-RSA-AES128-GCM-SHA256", "aNULL:eNULL"])
def test_ciphers_without_forward_secrecy_or_authentication_are_refused(server, cipher):
    assert s_client(server, "-tls1_2", "-cipher", f"{cipher}:@SECLEVEL=0").returncode != 0


def test_a_client_may_not_negotiate_anew(server):
    # A line with R alone asks for it; the server's end follows.
    run = s_client(server, "-tls1_2", text="R\n")
    assert "no renegotiation" in run.stderr


def test_a_scanner_finds_nothing_to_complain_of(server):
    report = subprocess.run(
        ["sslscan", "--no-colour", "--xml=-", f"127.0.0.1:{server.port}"], capture_output=True,
        check=True, timeout=120).stdout
    found = ElementTree.fromstring(report).find("ssltest")
    enabled = {f'{one.get("type")} {one.get("version")}' for one in found.iter("protocol")
               if one.get("enabled") == "1"}
    assert enabled == {"tls 1.2", "tls 1.3"}
    # Some builds of the scanner have no compression to try.
    compression = found.find("compression")
    assert compression is None or compression.get("supported") == "0"
    renegotiation = found.find("renegotiation")
    assert renegotiation.get("supported") == "0" or renegotiation.get("secure") == "1"
    assert all(one.get("vulnerable") == "0" for one in found.iter("heartbleed"))
    assert {one.get("strength") for one in found.iter("cipher")} <= {"strong", "acceptable"}
    for one in found.iter("cipher"):
        assert re.search("GCM|CHACHA20|TLS_AES", one.get("cipher")), one.get("cipher")
        assert int(one.get("bits")) >= 128
    assert {one.get("name").split()[0] for one in found.iter("group")} <= {"x25519", "secp256r1"}


def test_a_new_certificate_is_shown_after_sighup_and_who_is_there_stays(server, pair, trust, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    certificate, key = make_pair(other, "second")

    async def stay():
        async with websockets.connect(
                server.socket, ssl=trust, subprotocols=["drawbolt.v1.json"]) as client:
            await client.send(hello("viewer"))
            await wait_for(client, "welcome")
            certificate.replace(pair[0])
            key.replace(pair[1])
            server.process.send_signal(signal.SIGHUP)
            await asyncio.to_thread(wait_for_log, server, "certificateLoaded", 2)
            assert await asyncio.to_thread(shown, server) == "subject=CN = second"
            await (await client.ping())

    assert shown(server) == "subject=CN = first"
    in_own_thread(stay())


def test_a_certificate_that_is_no_good_leaves_the_old_one_and_is_logged(server, pair):
    pair[0].write_text("-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n")
    server.process.send_signal(signal.SIGHUP)
    wait_for_log(server, " error certificateRefused reason=")
    assert shown(server) == "subject=CN = first"
    pair[0].unlink()
    server.process.send_signal(signal.SIGHUP)
    wait_for_log(server, "No such file or directory")
    os.chmod(pair[1], 0o644)
    assert shown(server) == "subject=CN = first"


def test_a_stop_reaches_members_behind_tls_in_time(server, trust):
    async def stay():
        async with websockets.connect(
                server.socket, ssl=trust, subprotocols=["drawbolt.v1.json"]) as client:
            await client.send(hello("viewer"))
            await wait_for(client, "welcome")
            server.process.send_signal(signal.SIGTERM)
            await wait_for(client, "goaway")
            await client.wait_closed()
            return client.close_code

    assert in_own_thread(stay()) == 1012


def test_a_stop_does_not_wait_for_handshakes_that_nobody_finishes(server):
    mute = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
    server.stop()
    assert len(mute) == 20


def test_a_pair_that_does_not_belong_together_is_one_line(pair, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    _, key = make_pair(other, "other")
    run = subprocess.run(
        [PROGRAM, "serve", "--dev", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
         "--data-directory", str(tmp_path / "none"), "--tls-certificate", str(pair[0]),
         "--tls-key", str(key)], capture_output=True, text=True, timeout=60)
    assert run.returncode == 78
    assert run.stderr == (f"drawbolt: the key in {key} is not that of the certificate in {pair[0]}; "
                          "name two files that belong together\n")
