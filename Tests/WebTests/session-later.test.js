// How long things stay: delays, ends and openings.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { at, clock, drawOn, freshSession, state, verdict } from "./pad-world.js";

let session;
beforeEach(() => {
  session = freshSession();
});

const draw = (nodes, stroke) => drawOn(session, nodes, stroke);

test("a delay for good stays one, however much time passes", () => {
  session.lock(2 ** 32 - 1);
  for (const passed of [0, 1, 300, 2 ** 32]) {
    clock.now = 1000 + passed;
    assert.equal(session.lockedFor, Infinity);
  }
  assert.equal(session.changesAfter, Infinity);
  session.lock(2 ** 32 - 2);
  assert.equal(session.lockedFor, 2 ** 32 - 2);
});

test("a delay that is told again does not make the countdown jump", () => {
  session.lock(60_000);
  clock.now += 10_000;
  session.lock(50_030);
  assert.equal(session.lockedFor, 50_000);
  session.lock(49_980);
  assert.equal(session.lockedFor, 49_980);
  session.lock(90_000);
  assert.equal(session.lockedFor, 90_000);
  clock.now += 90_000;
  session.lock(300);
  assert.equal(session.lockedFor, 300);
});

test("a stroke against a delay is not seen, and its refusal changes nothing but the countdown", () => {
  session.lock(60_000);
  const before = session.picture;
  draw([0, 1]);
  assert.equal(session.isDrawing, true);
  assert.deepEqual(session.picture, before);
  session.takeVerdict(verdict("lockedOut", { retryAfterMs: 300_000 }));
  assert.equal(session.isDrawing, false);
  assert.deepEqual(session.picture, before);
  assert.equal(session.lockedFor, 300_000);
});

test("the end of the last stroke stays in sight while one is refused", () => {
  draw([0, 1, 2, 5], 6);
  session.release();
  session.takeVerdict(verdict("rejected", { stroke: 6, retryAfterMs: 60_000 }));
  draw([3, 4]);
  session.takeVerdict(verdict("lockedOut", { retryAfterMs: 60_000 }));
  assert.deepEqual(session.picture, { path: [0, 1, 2, 5], phase: "rejected", tail: null });
});

test("a stroke that the server takes ends the delay and is seen", () => {
  session.lock(2 ** 32 - 1);
  draw([0, 1]);
  session.takeState(state("drawing", [0]));
  assert.equal(session.lockedFor, 0);
  assert.deepEqual(session.picture, { path: [0, 1], phase: "drawing", tail: at(1) });
  session.release();
  session.takeVerdict(verdict("accepted"));
  assert.equal(session.picture.phase, "accepted");
});

test("a stroke against a delay that is given up leaves no trace", () => {
  session.lock(60_000);
  draw([0, 1]);
  session.cancel();
  assert.deepEqual(session.picture, { path: [], phase: "idle", tail: null });
  assert.equal(session.lockedFor, 60_000);
});

test("an accepted stroke waits for its lock as long as that may take, and shows then what became of it", () => {
  draw([0, 1, 2, 5]);
  session.release();
  session.takeVerdict(verdict("accepted", { actuators: 1 }));
  assert.equal(session.opened, null);
  clock.now += 4999;
  assert.equal(session.picture.phase, "accepted");
  session.takeOpening(verdict("accepted", { actuators: 1, opened: true }));
  assert.equal(session.opened, true);
  clock.now += 2999;
  assert.equal(session.picture.phase, "accepted");
  clock.now += 1;
  assert.equal(session.picture.phase, "idle");
  assert.equal(session.opened, null);
});

test("without a lock an accepted stroke has opened none", () => {
  draw([0, 1, 2, 5]);
  session.release();
  session.takeVerdict(verdict("accepted"));
  assert.equal(session.opened, false);
});

test("what became of an older stroke is not said of a newer one", () => {
  draw([0, 1, 2, 5]);
  session.release();
  session.takeVerdict(verdict("accepted", { actuators: 1 }));
  draw([3, 4], 8);
  session.takeOpening(verdict("accepted", { actuators: 1, opened: false }));
  assert.equal(session.opened, null);
});

test("a stroke that met no node is over without a word", () => {
  session.press(7, { x: 0, y: 0 });
  session.takeState(state("drawing", []));
  session.release({ x: 0, y: 0 });
  assert.deepEqual(session.picture, { path: [], phase: "idle", tail: null });
  session.takeState(state("cancelled", []));
  assert.deepEqual(session.picture, { path: [], phase: "idle", tail: null });
  session.takeState(state("drawing", [4], { stroke: 8, tail: false }));
  assert.equal(session.picture.phase, "drawing");
});

test("a board's end is news for 3 s, and its picture stays", () => {
  session.takeState(state("finished", [0, 1]));
  clock.now += 2999;
  session.takeState(state("finished", [0, 1]));
  assert.equal(session.isPast, false);
  assert.equal(session.changesAfter, 1);
  clock.now += 1;
  assert.equal(session.isPast, true);
  assert.deepEqual(session.picture, { path: [0, 1], phase: "finished", tail: null });
  session.takeState(state("finished", [0, 1], { stroke: 9 }));
  assert.equal(session.isPast, false);
});

test("what somebody else draws is known from what is drawn here", () => {
  session.takeState(state("drawing", [4], { stroke: 90 }));
  assert.equal(session.isOthers, true);
  draw([0, 1]);
  assert.equal(session.isOthers, false);
  session.takeState(state("drawing", [0, 4]));
  assert.equal(session.isOthers, false);
});
