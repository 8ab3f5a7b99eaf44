"""The HTTP interface of administrators, asked all that its own OpenAPI document lets one ask."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from server import Server

# What a schema can't say: fields that exclude each other (a seed preset and a grid, a lock of few codes that
# is no toy), and a code's own grammar. A check that shows five wrong tokens shuts itself out. And the audit of
# a lock that was removed stays, on purpose.
LEFT_OUT = "positive_data_acceptance,ignored_auth,use_after_free"


@pytest.fixture
def interface(tmp_path):
    server = Server(tmp_path / "data", 0, "--admin-api", "on")
    root = server.addresses["metrics"].removesuffix("/metrics") + "/api/v1"
    yield root, server.run("admin", "add", "ana").strip(), server
    server.stop()


def test_every_answer_is_as_the_document_says(interface, tmp_path):
    root, token, server = interface
    program = Path(sys.executable).with_name("schemathesis")
    asked = subprocess.run(
        [program, "run", f"{root}/openapi.json", "-H", f"Authorization: Bearer {token}",
         "--exclude-checks", LEFT_OUT, "--max-examples", "15", "--seed", "7",
         "--generation-database", "none"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert asked.returncode == 0, asked.stdout[-6000:] + asked.stderr[-2000:]
    assert "16/16" in asked.stdout
    assert server.process.poll() is None
    assert not any("error" in line for line in server.log), server.log[-10:]


def test_the_document_names_every_path_that_there_is(interface):
    root, _, _ = interface
    with urllib.request.urlopen(f"{root}/openapi.json") as answer:
        document = json.load(answer)
    assert document["openapi"] == "3.1.0"
    operations = [name for path in document["paths"].values() for name in path]
    assert len(operations) == 16
    text = json.dumps(document)
    named = {word.split('"')[0] for word in text.split("#/components/schemas/")[1:]}
    assert named <= set(document["components"]["schemas"])
