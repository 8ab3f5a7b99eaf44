"""What the machine can do to a server: it says so, opens nothing meanwhile, and goes on by itself."""

import asyncio
import os
import resource
import socket
import sqlite3
import subprocess
from contextlib import closing, contextmanager

import pytest

from members import enter, member, metric, rows
from server import DEMO, PROGRAM, ROOT, WRONG


@contextmanager
def drawer_at(server, lock="demo"):
    """Somebody who draws at a lock, from one test step to the next; their last act is to go."""
    runner = asyncio.Runner()
    drawer = runner.run(enter(server.socket, lock, "controller"))
    strokes = iter(range(1, 1000))
    try:
        yield lambda code: runner.run(drawer.attempt(code, next(strokes)))["outcome"]
    finally:
        runner.run(drawer.socket.close())
        runner.close()


def refusal(data):
    """The exit code and the one line of a server that does not start on these data."""
    done = subprocess.run(
        [PROGRAM, "serve", "--dev", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
         "--data-directory", str(data), "--web-root", str(ROOT / "web")],
        capture_output=True, text=True, timeout=60)
    assert done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
    return done.returncode, done.stderr


@pytest.fixture
def small_disk(tmp_path):
    """A disk of four megabytes; only root can make one."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("a disk of its own can be made by root only")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place):
    """Takes all the space that is left."""
    with open(place / "filler", "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            return


def failed_writes(server):
    return metric(server, "store_failures_total")


def test_a_full_disk_opens_nothing_and_space_again_is_enough(start, small_disk):
    server = start(data=small_disk / "data")
    with drawer_at(server) as draw:
        assert draw(DEMO) == "accepted"
        fill(small_disk)
        # Some commits still find room in the pages that the log has already.
        refused = [draw(DEMO) for _ in range(40)]
        assert set(refused[-10:]) == {"unavailable"}
        assert failed_writes(server) > 0
        assert any(" error storeFailed " in line and "SQLite 13" in line for line in server.log)
        assert draw(WRONG) == "unavailable"
        (small_disk / "filler").unlink()
        assert draw(DEMO) == "accepted"
    assert rows(server.data, "PRAGMA integrity_check") == [("ok",)]


def test_a_database_that_another_process_holds_opens_nothing_until_it_is_let_go(start):
    server = start()
    with drawer_at(server) as draw:
        with closing(sqlite3.connect(server.data / "drawbolt.sqlite")) as other:
            other.execute("BEGIN IMMEDIATE")
            assert draw(DEMO) == "unavailable"
            assert failed_writes(server) > 0
            other.execute("ROLLBACK")
        assert draw(DEMO) == "accepted"
    server.stop()


def test_a_read_only_disk_is_told_at_the_start(start, small_disk):
    start(data=small_disk / "data").stop()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    code, line = refusal(small_disk / "data")
    assert code not in (0, 1) and str(small_disk) in line
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    start(data=small_disk / "data").stop()


@pytest.mark.parametrize("keep", [0, 100, 4096])
def test_a_corrupt_database_is_told_at_the_start_and_never_made_anew(start, keep):
    server = start()
    server.stop()
    path = server.data / "drawbolt.sqlite"
    whole = path.read_bytes()
    damaged = whole[:keep] + bytes(byte ^ 0xa5 for byte in whole[keep:])
    path.write_bytes(damaged)
    code, line = refusal(server.data)
    assert code not in (0, 1) and "the database failed (SQLite " in line
    assert path.read_bytes() == damaged
    path.write_bytes(whole)
    start(data=server.data).stop()


def test_a_database_that_is_spoilt_while_it_is_served_opens_nothing(start):
    server = start()
    with drawer_at(server) as draw:
        assert draw(DEMO) == "accepted"
        with closing(sqlite3.connect(server.data / "drawbolt.sqlite", timeout=60)) as other:
            # Every page goes into the file and none stays in the log.
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            other.execute("UPDATE secret SET sealed = zeroblob(48), nonce = zeroblob(24)")
            other.commit()
        assert draw(DEMO) != "accepted"
        assert draw(WRONG) != "accepted"
    server.stop()


@pytest.mark.parametrize("damage", [
    lambda key: b"", lambda key: key[:-1], lambda key: bytes(byte ^ 1 for byte in key)])
def test_a_corrupt_key_file_is_told_at_the_start_and_never_made_anew(start, damage):
    server = start()
    server.stop()
    path = server.data / "server.key"
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    code, line = refusal(server.data)
    assert code not in (0, 1) and "key" in line
    assert path.read_bytes() == damage(whole)
    path.write_bytes(whole)
    start(data=server.data).stop()


def test_a_server_out_of_descriptors_judges_for_its_members_and_takes_others_in_later(start):
    server = start()
    process = server.process.pid
    with drawer_at(server) as draw:
        usual = resource.prlimit(process, resource.RLIMIT_NOFILE)
        used = len(os.listdir(f"/proc/{process}/fd"))
        resource.prlimit(process, resource.RLIMIT_NOFILE, (used, usual[1]))
        with closing(socket.create_connection(("127.0.0.1", server.port))) as waiting:
            waiting.sendall(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
            assert draw(DEMO) == "accepted"
            resource.prlimit(process, resource.RLIMIT_NOFILE, usual)
            # The kernel kept whoever came meanwhile.
            waiting.settimeout(60)
            assert waiting.recv(64).startswith(b"HTTP/1.1 200 ")
    server.stop()


def test_a_server_that_gets_no_memory_for_a_hash_opens_nothing_until_it_does(start):
    server = start()
    server.run("lock", "add", "heavy", "--hash-mebibytes", "128")
    server.run("secret", "add", "heavy", text="2-5-8-9-6-3\n")
    process = server.process.pid
    with drawer_at(server, "heavy") as draw:
        usual = resource.prlimit(process, resource.RLIMIT_AS)
        with open(f"/proc/{process}/statm") as file:
            size = int(file.read().split()[0]) * resource.getpagesize()
        resource.prlimit(process, resource.RLIMIT_AS, (size + (32 << 20), usual[1]))
        assert draw((1, 4, 7, 8, 5, 2)) == "unavailable"
        assert draw(WRONG) == "unavailable"
        resource.prlimit(process, resource.RLIMIT_AS, usual)
        assert draw((1, 4, 7, 8, 5, 2)) == "accepted"
