"""The protocol's description for machines says the same as the golden messages."""

import json

import pytest
import yaml
from jsonschema import Draft7Validator

from server import ROOT

DESCRIPTION = yaml.safe_load((ROOT / "web" / "asyncapi.yaml").read_text())
MESSAGES = DESCRIPTION["components"]["messages"]
VECTORS = json.loads((ROOT / "Tests" / "Vectors" / "wire.json").read_text())
GOLDEN = {vector["name"]: json.loads(vector["text"])
          for vector in VECTORS["client"] + VECTORS["server"]}


def payload(name):
    """The schema of a message; the state's is kept elsewhere."""
    schema = MESSAGES[name]["payload"]
    return DESCRIPTION["components"]["schemas"]["state"] if "$ref" in schema else schema


NAMES = {payload(name)["properties"]["type"]["const"]: name for name in MESSAGES}


def validator(kind):
    return Draft7Validator({
        "$ref": f"#/components/messages/{NAMES[kind]}/payload",
        "components": DESCRIPTION["components"]})


def test_every_message_has_a_schema_that_is_one_and_a_golden_message():
    for name in MESSAGES:
        Draft7Validator.check_schema(payload(name))
    assert set(NAMES) == {message["type"] for message in GOLDEN.values()}
    listed = DESCRIPTION["channels"]["ws"]["messages"]
    assert set(listed) == set(MESSAGES)
    for name, reference in listed.items():
        assert reference == {"$ref": f"#/components/messages/{name}"}


def test_every_message_belongs_to_an_operation():
    operations = DESCRIPTION["operations"].values()
    used = [reference["$ref"].rsplit("/", 1)[1] for operation in operations
            for reference in operation["messages"] + operation.get("reply", {}).get("messages", [])]
    assert set(used) == set(MESSAGES)


@pytest.mark.parametrize("name", GOLDEN)
def test_a_golden_message_fits_its_schema_which_knows_all_of_its_fields(name):
    message = GOLDEN[name]
    validator(message["type"]).validate(message)
    assert set(message) <= set(payload(NAMES[message["type"]])["properties"])


@pytest.mark.parametrize("name", GOLDEN)
def test_a_golden_message_without_a_field_that_it_must_have_fits_no_more(name):
    message = GOLDEN[name]
    for field in payload(NAMES[message["type"]])["required"]:
        rest = {key: value for key, value in message.items() if key != field}
        assert not validator(message["type"]).is_valid(rest), field


# Bytes of UTF-8, single characters and the upper end of a number in a text are said in words only.
BEYOND_SCHEMAS = {
    "name of 66 bytes in 33 letters", "name with a line break", "name with a reversal",
    "name with half a surrogate pair", "give to m4294967296", "points: time 1e999"}


def test_texts_with_a_field_that_is_missing_or_wrong_fit_no_schema():
    refused, taken = set(), set()
    for vector in VECTORS["errors"]:
        if "text" not in vector or not vector["error"].startswith(("missing ", "invalid ")):
            continue
        try:
            message = json.loads(vector["text"])
        except ValueError:
            continue
        # Clients must take what a newer server says, and no schema knows a type that there is not.
        if vector.get("lenient") or message.get("type") not in NAMES:
            continue
        (taken if validator(message["type"]).is_valid(message) else refused).add(vector["name"])
    assert taken == BEYOND_SCHEMAS
    assert len(refused) > 50
