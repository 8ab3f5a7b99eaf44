"""A bad network between two namespaces of this machine: it loses, delays, reorders and cuts.

The server has one namespace and its members have another; a pair of TUN devices joins them. Where the
kernel has `tc netem` that makes the weather, and elsewhere the thread that carries the packets does.
"""

import ctypes
import fcntl
import heapq
import itertools
import os
import random
import select
import struct
import subprocess
import threading
import time
from contextlib import contextmanager

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x1, 0x1000
DEVICE = "link0"
HERE = "/proc/thread-self/ns/net"


class Unavailable(Exception):
    """This machine lets us make no network; the text says why."""


def must(result):
    if result != 0:
        raise Unavailable(f"no network namespace: {os.strerror(ctypes.get_errno())}")


@contextmanager
def namespace_of(descriptor):
    """What this thread opens or starts meanwhile is in that namespace."""
    here = os.open(HERE, os.O_RDONLY)
    try:
        must(LIBC.setns(descriptor, CLONE_NEWNET))
        yield
    finally:
        LIBC.setns(here, CLONE_NEWNET)
        os.close(here)


def new_namespace():
    here = os.open(HERE, os.O_RDONLY)
    try:
        must(LIBC.unshare(CLONE_NEWNET))
        return os.open(HERE, os.O_RDONLY)
    finally:
        LIBC.setns(here, CLONE_NEWNET)
        os.close(here)


def run(command):
    done = subprocess.run(command.split(), capture_output=True, text=True)
    if done.returncode != 0:
        raise Unavailable(f"{command}: {done.stderr.strip()}")


class End:
    """One end of the link: a namespace and its device."""

    def __init__(self, address, *commands):
        self.namespace = new_namespace()
        try:
            with namespace_of(self.namespace):
                self.device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
                fcntl.ioctl(self.device, TUNSETIFF,
                            struct.pack("16sH22x", DEVICE.encode(), IFF_TUN | IFF_NO_PI))
                run(f"ip address add {address}/24 dev {DEVICE}")
                run(f"ip link set {DEVICE} up")
                # The server of a demo listens on loopback only, so loopback is what the link leads to.
                with open(f"/proc/sys/net/ipv4/conf/{DEVICE}/route_localnet", "w") as file:
                    file.write("1")
                for command in commands:
                    run(command)
        except OSError as error:
            raise Unavailable(f"no TUN device: {error}") from error

    def inside(self):
        return namespace_of(self.namespace)

    def close(self):
        os.close(self.device)
        os.close(self.namespace)


class Link:
    """Two ends and what is between them; fair until told otherwise."""

    def __init__(self, seed):
        if os.geteuid() != 0:
            raise Unavailable("only root can make network namespaces")
        self.chance = random.Random(seed)
        self.server = End("192.0.2.2", "ip link set lo up")
        # Its own loopback stays down, or 127.0.0.1 would lead to nobody.
        self.members = End("192.0.2.1", f"ip route add 127.0.0.0/8 dev {DEVICE}")
        self.has_netem = self._has_netem()
        self.loss = self.delay = self.reorder = 0
        self.lost = self.carried = 0
        self._stop_read, self._stop_write = os.pipe()
        self._carrier = threading.Thread(target=self._carry, daemon=True)
        self._carrier.start()

    def weather(self, loss=0, delay=0, reorder=0):
        """So many per cent are lost, all but `reorder` per cent of the others take `delay` seconds."""
        if not self.has_netem:
            self.loss, self.delay, self.reorder = loss, delay, reorder
            return
        words = f"loss {loss}% delay {delay * 1000:.0f}ms" + (f" reorder {reorder}%" if reorder else "")
        for end in (self.server, self.members):
            with end.inside():
                run(f"tc qdisc replace dev {DEVICE} root netem limit 10000 {words}")

    def _has_netem(self):
        with self.members.inside():
            try:
                run(f"tc qdisc add dev {DEVICE} root netem")
                return True
            except (Unavailable, FileNotFoundError):
                return False

    def _carry(self):
        ends = self.server.device, self.members.device
        order, waiting = itertools.count(), []
        while True:
            now = time.monotonic()
            while waiting and waiting[0][0] <= now:
                _, _, device, packet = heapq.heappop(waiting)
                try:
                    os.write(device, packet)
                except BlockingIOError:
                    self.lost += 1
            patience = max(0, waiting[0][0] - now) if waiting else None
            ready, _, _ = select.select([*ends, self._stop_read], [], [], patience)
            if self._stop_read in ready:
                return
            for device in ready:
                packet = os.read(device, 65536)
                self.carried += 1
                if self.chance.random() * 100 < self.loss:
                    self.lost += 1
                    continue
                early = self.chance.random() * 100 < self.reorder
                due = time.monotonic() + (0 if early else self.delay)
                heapq.heappush(waiting, (due, next(order), ends[device == ends[0]], packet))

    def close(self):
        os.write(self._stop_write, b"x")
        self._carrier.join()
        for end in (self.server, self.members):
            end.close()
        os.close(self._stop_read)
        os.close(self._stop_write)
