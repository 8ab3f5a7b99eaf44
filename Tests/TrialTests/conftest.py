"""What all trials share: servers of their own, which end with the test whatever happened."""

import pytest

from server import Server


@pytest.fixture
def start(tmp_path):
    """Starts servers; those that are given the same `data` go on with it."""
    servers = []

    def start_server(*flags, data=None, port=0, **more):
        servers.append(Server(data or tmp_path / "data", port, *flags, **more))
        return servers[-1]

    yield start_server
    for one in servers:
        if one.process.poll() is None:
            one.kill()
