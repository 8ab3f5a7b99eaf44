"""The verifiers of the documentation's page Grants, and the program's own, say the same of every grant."""

import json
import re
import subprocess

import pytest

from server import PROGRAM, ROOT

PAGE = (ROOT / "Sources/DrawboltServer/DrawboltServer.docc/Grants.md").read_text()
VECTORS = json.loads((ROOT / "Tests/Vectors/grant.json").read_text())["grants"]
DAY = 86_400.0
LATE = "too late"
FOREIGN = "for somebody else"
UNSIGNED = "not signed"


def block(language):
    return re.search(rf"```{language}\n(.*?)```", PAGE, re.S).group(1)


def in_python(grant, welcome, nonce, age, demo, shown):
    names = {}
    exec(block("python"), names)  # noqa: S102 — the page's own text
    times = iter([1_000.0] + [1_000.0 + age] * shown)
    taker = names["GrantTaker"](welcome, demo, lambda: next(times))
    taker.claimed(grant["id"], nonce)
    return [taker.objection(grant) for _ in range(shown)][-1]


def in_javascript(grant, welcome, nonce, age, demo, shown):
    script = block("javascript") + """
      const [grant, welcome, nonce, age, acceptsDemo, shown] = JSON.parse(process.argv[1]);
      let time = 1_000_000;
      const taker = new GrantTaker(welcome, { acceptsDemo, now: () => time });
      taker.claimed(grant.id, nonce);
      time += age * 1000;
      let said;
      for (let i = 0; i < shown; i += 1) said = taker.objection(grant);
      console.log(JSON.stringify(said));
    """
    words = json.dumps([grant, welcome, nonce, age, demo, shown])
    run = subprocess.run(
        ["node", "--input-type=module", "-e", script, words], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def in_the_program(grant, welcome, nonce, age, demo, shown):
    key = welcome["grantKey"]
    run = subprocess.run(
        [PROGRAM, "grant", "verify", "--key", f"{key['id']}:{key['key']}", "--lock", welcome["room"],
         "--audience", welcome["member"], "--nonce", nonce, "--age", f"{round(age * 1000)}ms"]
        + ["--demo"] * demo,
        input=json.dumps(grant), capture_output=True, text=True)
    if run.returncode == 0:
        return None
    assert run.returncode == 65, run.stderr
    reasons = {"another claim": "no claim of ours", "older than": LATE, "demonstration": "a demonstration",
               "for the lock": FOREIGN, "another actuator": FOREIGN, "did not sign": UNSIGNED}
    return next(said for words, said in reasons.items() if words in run.stderr)


VERIFIERS = [in_python, in_javascript, in_the_program]


@pytest.fixture(params=VERIFIERS, ids=[verifier.__name__ for verifier in VERIFIERS])
def say(request):
    def say(vector, change=None, *, age=0.1, demo=None, nonce=None, shown=1, welcome=None):
        grant = json.loads(vector["text"])
        mine = {"room": grant["lock"], "member": grant["audience"], "grantKey": vector["key"]}
        mine.update(welcome or {})
        nonce = nonce or grant["nonce"]
        demo = grant["demo"] if demo is None else demo
        grant.update(change or {})
        return request.param(grant, mine, nonce, age, demo, shown)
    say.counts = request.param is not in_the_program
    return say


def other_digit(text):
    """The same hexadecimal text with another last digit."""
    return text[:-1] + ("0" if text[-1] != "0" else "1")


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_the_grants_of_the_vectors_open(say, vector):
    assert say(vector) is None


def test_a_change_of_any_field_does_not(say):
    grant = json.loads(VECTORS[0]["text"])
    signature = ("A" if grant["signature"][0] != "A" else "B") + grant["signature"][1:]
    assert say(VECTORS[0], {"signature": signature}) == UNSIGNED
    assert say(VECTORS[0], {"keyId": grant["keyId"] + 1}) == UNSIGNED
    assert say(VECTORS[0], {"id": other_digit(grant["id"])}) in (UNSIGNED, "no claim of ours")
    assert say(VECTORS[0], {"demo": True}, demo=True) == UNSIGNED
    assert say(VECTORS[0], {"nonce": other_digit(grant["nonce"])}) == "no claim of ours"
    assert say(VECTORS[0], {"lock": "back-door"}) == FOREIGN
    assert say(VECTORS[0], {"lock": "back-door"}, welcome={"room": "back-door"}) == UNSIGNED


def test_one_for_another_actuator_does_not_even_if_that_shows_it(say):
    assert say(VECTORS[0], {"audience": "m4"}) == FOREIGN
    assert say(VECTORS[0], welcome={"member": "m4"}) == FOREIGN
    assert say(VECTORS[0], {"audience": "m4"}, welcome={"member": "m4"}) == UNSIGNED


def test_one_that_was_held_for_six_seconds_does_not(say):
    assert say(VECTORS[0], age=4.999) is None
    assert say(VECTORS[0], age=5.0) == LATE
    assert say(VECTORS[0], age=6.0) == LATE


def test_the_second_showing_does_not(say):
    if not say.counts:
        pytest.skip("the program keeps nothing: its help says who forgets the nonce")
    assert say(VECTORS[0], shown=2) == "no claim of ours"


def test_a_demonstration_opens_only_where_it_is_told_to(say):
    vector = next(vector for vector in VECTORS if json.loads(vector["text"])["demo"])
    assert say(vector, demo=False) == "a demonstration"
    assert say(vector, demo=True) is None


def test_no_verifier_asks_for_the_time_of_day():
    """So that a clock that is wrong by a day changes nothing."""
    for language in ("python", "javascript"):
        for clock in ("time.time", "datetime", "Date", "perf_counter_ns"):
            assert clock not in block(language)
        assert len(block(language).strip().splitlines()) <= 40
