import assert from "node:assert/strict";
import { test } from "node:test";
import { PadSession } from "../../web/pad-session.js";
import { FakeClock, golden } from "./fakes.js";

const { pad } = golden("welcomeBoard");
const { columns, rows } = pad.hit;
const at = (node) => ({ x: columns[node % 3], y: rows[Math.floor(node / 3)] });

/** A session, its clock, and the words of a server in short. */
function makeSession(changes = {}) {
  const clock = new FakeClock();
  const session = new PadSession({ ...pad, ...changes }, () => clock.now());
  const state = (phase, path = [], { stroke = 7, x = 0, y = 0, tail = false, hidden = false } = {}) =>
    session.takeState({ type: "state", version: 1, phase, stroke, path, x, y, tail, hidden });
  const verdict = (outcome, { stroke = 7, retryAfterMs = 0 } = {}) =>
    session.takeVerdict({ type: "verdict", stroke, outcome, retryAfterMs });
  const draw = (...nodes) => {
    session.press(7, at(nodes[0]));
    session.move(nodes.slice(1).map(at));
  };
  return { clock, session, state, verdict, draw, seen: () => session.picture };
}

test("nothing is seen before anything is known", () => {
  assert.deepEqual(makeSession().seen(), { path: [], phase: "idle", tail: null });
});

test("the own stroke is seen at once, with its tail to the finger", () => {
  const { session, draw, seen } = makeSession();
  const steps = session.press(7, at(0));
  assert.deepEqual(steps.map(({ type }) => type), ["pressed", "entered"]);
  draw(0, 2);
  session.move([{ x: 7000, y: 2500 }]);
  assert.deepEqual(seen(), { path: [0, 1, 2], phase: "drawing", tail: { x: 7000, y: 2500 } });
  assert.equal(session.isDrawing, true);
  session.release({ x: 7000, y: 2500 });
  assert.deepEqual(seen(), { path: [0, 1, 2], phase: "checking", tail: null });
  assert.equal(session.isDrawing, false);
});

test("the echo stands while the server's path is a beginning of it", () => {
  const { draw, state, seen } = makeSession();
  draw(0, 1, 2, 5);
  for (const path of [[], [0], [0, 1], [0, 1, 2, 5]]) {
    state("drawing", path);
    assert.deepEqual(seen().path, [0, 1, 2, 5]);
  }
});

test("where the server's path is another one, the server's is seen", () => {
  const { session, draw, state, seen } = makeSession();
  draw(0, 1, 2);
  state("drawing", [0, 4], { x: 5, y: 6, tail: true });
  assert.deepEqual(seen(), { path: [0, 4], phase: "drawing", tail: { x: 5, y: 6 } });
  assert.deepEqual(session.move([at(5)]), []);
  assert.deepEqual(seen().path, [0, 4]);
});

test("a path longer than the echo is another one too", () => {
  const { draw, state, seen } = makeSession();
  draw(0, 1);
  state("drawing", [0, 1, 2]);
  assert.deepEqual(seen().path, [0, 1, 2]);
});

test("states of other strokes and hidden ones leave the echo alone", () => {
  const { draw, state, seen } = makeSession();
  draw(0, 1);
  state("accepted", [3, 4], { stroke: 6 });
  state("idle", [], { stroke: 0 });
  state("rejected", [], { stroke: 0, hidden: true });
  assert.deepEqual(seen().path, [0, 1]);
  assert.equal(seen().phase, "drawing");
});

test("every end of the stroke is shown for three seconds, then the room as it is", () => {
  for (const phase of ["accepted", "rejected", "tooShort", "unavailable", "finished"]) {
    const { clock, session, draw, state, seen } = makeSession();
    draw(0, 1, 2, 5);
    session.release();
    state("checking", [0, 1, 2, 5]);
    assert.equal(seen().phase, "checking");
    state(phase, [0, 1, 2, 5]);
    state("idle", [], { stroke: 0 });
    assert.deepEqual(seen(), { path: [0, 1, 2, 5], phase, tail: null });
    assert.equal(session.changesAfter, 3000);
    clock.pass(2999);
    assert.equal(seen().phase, phase);
    clock.pass(1);
    assert.deepEqual(seen(), { path: [], phase: "idle", tail: null });
    assert.equal(session.changesAfter, Infinity);
  }
});

test("a verdict ends the stroke where no state tells of it", () => {
  const { session, draw, verdict, seen } = makeSession();
  draw(0, 1, 2, 5);
  session.release();
  verdict("rejected");
  assert.deepEqual(seen(), { path: [0, 1, 2, 5], phase: "rejected", tail: null });
  assert.equal(session.stroke, 0);
  assert.equal(session.lockedFor, 0);
});

test("the state's end, then its verdict, keep the path", () => {
  const { session, draw, state, verdict, seen } = makeSession();
  draw(0, 1, 2, 5);
  session.release();
  state("accepted", [0, 1, 2, 5]);
  verdict("accepted");
  assert.deepEqual(seen(), { path: [0, 1, 2, 5], phase: "accepted", tail: null });
});

test("a stealth lock's bare end state does not wipe what the drawer drew", () => {
  const { session, draw, state, seen } = makeSession();
  draw(0, 1, 2, 5);
  session.release();
  state("accepted", []);
  assert.deepEqual(seen().path, [0, 1, 2, 5]);
});

test("a wrong pattern too many counts down to the millisecond", () => {
  const { clock, session, draw, verdict } = makeSession();
  draw(0, 1, 2, 5);
  session.release();
  verdict("rejected", { retryAfterMs: 60_000 });
  assert.equal(session.lockedFor, 60_000);
  clock.pass(59_999);
  assert.equal(session.lockedFor, 1);
  assert.equal(session.changesAfter, 1);
  clock.pass(1);
  assert.equal(session.lockedFor, 0);
});

test("a stroke while locked out shows no path", () => {
  const { draw, verdict, seen } = makeSession();
  draw(0, 1, 2, 5);
  verdict("lockedOut", { retryAfterMs: 1000 });
  assert.deepEqual(seen(), { path: [], phase: "lockedOut", tail: null });
});

test("the verdict of an older stroke does not touch the newer one", () => {
  const { session, draw, verdict, seen } = makeSession();
  draw(0, 1, 2, 5);
  session.release();
  session.press(8, at(6));
  session.move([at(7)]);
  verdict("rejected");
  assert.deepEqual(seen().path, [6, 7]);
  assert.equal(seen().phase, "drawing");
  assert.equal(session.stroke, 8);
});

test("a new press clears the last result at once", () => {
  const { session, draw, state, seen } = makeSession();
  draw(0, 1, 2, 5);
  session.release();
  state("rejected", [0, 1, 2, 5]);
  session.press(8, at(4));
  assert.deepEqual(seen(), { path: [4], phase: "drawing", tail: at(4) });
});

test("somebody else's new stroke ends the showing of the own result", () => {
  const { session, draw, state, seen } = makeSession();
  draw(0, 1, 2, 5);
  session.release();
  state("finished", [0, 1, 2, 5]);
  state("drawing", [3], { stroke: 90 });
  assert.deepEqual(seen(), { path: [3], phase: "drawing", tail: null });
});

test("a cancelled stroke is gone at once", () => {
  const { session, draw, state, seen } = makeSession();
  draw(0, 1, 2, 5);
  session.cancel();
  assert.deepEqual(seen(), { path: [], phase: "cancelled", tail: null });
  state("drawing", [0, 1]);
  assert.equal(seen().phase, "cancelled");
});

test("where a cancel submits, the stroke waits for its verdict", () => {
  const { session, draw, verdict, seen } = makeSession({ cancel: "submit" });
  draw(0, 1, 2, 5);
  session.cancel();
  assert.deepEqual(seen(), { path: [0, 1, 2, 5], phase: "checking", tail: null });
  verdict("accepted");
  assert.equal(seen().phase, "accepted");
});

test("the server's cancel ends the stroke under the finger", () => {
  const { session, draw, state, seen } = makeSession();
  draw(0, 1);
  state("cancelled", []);
  assert.equal(session.stroke, 0);
  assert.deepEqual(seen(), { path: [], phase: "cancelled", tail: null });
});

test("a verdict that never comes is given up after eight seconds", () => {
  const { clock, session, draw, seen } = makeSession();
  draw(0, 1, 2, 5);
  session.release();
  assert.equal(session.changesAfter, 8000);
  clock.pass(7999);
  assert.equal(seen().phase, "checking");
  clock.pass(1);
  assert.equal(seen().phase, "unavailable");
});

test("what is dropped with the connection is seen no more", () => {
  const { session, draw, seen } = makeSession();
  draw(0, 1);
  session.drop();
  assert.deepEqual(session.move([at(2)]), []);
  session.release();
  session.cancel();
  assert.deepEqual(seen(), { path: [], phase: "idle", tail: null });
});

test("a mirror shows the room with its tail", () => {
  const { state, seen } = makeSession();
  state("drawing", [0, 1], { x: 9, y: 8, tail: true });
  assert.deepEqual(seen(), { path: [0, 1], phase: "drawing", tail: { x: 9, y: 8 } });
  state("drawing", [], { stroke: 0, x: 9, y: 8, tail: true, hidden: true });
  assert.equal(seen().tail, null);
});
