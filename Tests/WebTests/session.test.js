import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { at, clock, drawOn, freshSession, pad, state, verdict } from "./pad-world.js";

let session;
beforeEach(() => {
  session = freshSession();
});

const draw = (nodes, stroke) => drawOn(session, nodes, stroke);

test("the stroke is seen at once, with its tail", () => {
  draw([0, 1]);
  assert.deepEqual(session.picture, { path: [0, 1], phase: "drawing", tail: at(1) });
  session.release(at(1));
  assert.deepEqual(session.picture, { path: [0, 1], phase: "checking", tail: null });
});

test("an older path of the server's does not set the picture back", () => {
  draw([0, 1, 2]);
  for (const path of [[], [0], [0, 1], [0, 1, 2]]) {
    session.takeState(state("drawing", path));
    assert.deepEqual(session.picture.path, [0, 1, 2]);
  }
});

test("a path of the server's that is no beginning of ours is the truth", () => {
  draw([0, 1, 2]);
  session.takeState(state("drawing", [0, 4], { x: 5, y: 6 }));
  assert.deepEqual(session.picture, { path: [0, 4], phase: "drawing", tail: { x: 5, y: 6 } });
  assert.equal(session.isDrawing, false);
  session.move([at(8)]);
  assert.deepEqual(session.picture.path, [0, 4]);
});

test("a stroke stays until its end is known, and its end for 3 s", () => {
  draw([0, 1, 2, 5]);
  session.release();
  session.takeState(state("checking", [0, 1, 2, 5]));
  assert.equal(session.picture.phase, "checking");
  session.takeState(state("rejected", [0, 1, 2, 5]));
  assert.deepEqual(session.picture, { path: [0, 1, 2, 5], phase: "rejected", tail: null });
  session.takeState(state("idle", [], { stroke: 0 }));
  clock.now += 2999;
  assert.equal(session.picture.phase, "rejected");
  assert.equal(session.changesAfter, 1);
  clock.now += 1;
  assert.deepEqual(session.picture, { path: [], phase: "idle", tail: null });
  assert.equal(session.changesAfter, Infinity);
});

test("verdict and state may come in either order", () => {
  for (const order of [[0, 1], [1, 0]]) {
    session = freshSession();
    draw([0, 1, 2, 5]);
    session.release();
    const arrivals = [
      () => session.takeState(state("accepted", [0, 1, 2, 5])),
      () => session.takeVerdict(verdict("accepted")),
    ];
    for (const index of order) arrivals[index]();
    assert.deepEqual(session.picture, { path: [0, 1, 2, 5], phase: "accepted", tail: null });
  }
});

test("where the room hides the path the verdict ends the stroke", () => {
  draw([0, 1, 2, 5]);
  session.release();
  session.takeState(state("rejected", [], { stroke: 0, hidden: true }));
  assert.equal(session.picture.phase, "checking");
  session.takeVerdict(verdict("rejected"));
  assert.deepEqual(session.picture, { path: [0, 1, 2, 5], phase: "rejected", tail: null });
});

test("a lock-out shows no path and counts down", () => {
  session.press(7, at(0));
  session.takeVerdict(verdict("lockedOut", { retryAfterMs: 60_000 }));
  assert.equal(session.isDrawing, false);
  assert.deepEqual(session.picture, { path: [], phase: "lockedOut", tail: null });
  clock.now += 59_999;
  assert.equal(session.lockedFor, 1);
  clock.now += 1;
  assert.equal(session.lockedFor, 0);
});

test("a delay that is lifted elsewhere ends the countdown at once, and one for good counts nothing", () => {
  session.lock(60_000);
  session.lock(0);
  assert.equal(session.lockedFor, 0);
  assert.equal(session.changesAfter, Infinity);
  session.lock(2 ** 32 - 1);
  assert.equal(session.lockedFor, Infinity);
  session.lock(0);
  assert.equal(session.lockedFor, 0);
});

test("a verdict without a delay ends the countdown", () => {
  session.lock(60_000);
  assert.equal(session.lockedFor, 60_000);
  session.takeVerdict(verdict("accepted"));
  assert.equal(session.lockedFor, 0);
});

test("the verdict of an older stroke does not touch a newer one", () => {
  draw([0, 1, 2, 5], 7);
  session.release();
  draw([3, 4], 8);
  session.takeVerdict(verdict("rejected"));
  session.takeState(state("rejected", [0, 1, 2, 5]));
  assert.deepEqual(session.picture.path, [3, 4]);
  assert.equal(session.isDrawing, true);
});

test("nor the picture of a newer one that has ended", () => {
  draw([0, 1, 2, 5], 7);
  session.release();
  draw([3, 4], 8);
  session.release();
  session.takeState(state("tooShort", [3, 4], { stroke: 8 }));
  session.takeVerdict(verdict("rejected", { retryAfterMs: 60_000 }));
  assert.deepEqual(session.picture, { path: [3, 4], phase: "tooShort", tail: null });
  assert.equal(session.lockedFor, 60_000);
});

test("a page that was loaded anew shows the verdict that it missed", () => {
  session.takeState(state("accepted", [0, 1, 2, 5]));
  session.takeVerdict(verdict("accepted"));
  assert.deepEqual(session.picture, { path: [0, 1, 2, 5], phase: "accepted", tail: null });
});

test("another drawer's ended stroke of the same number is not ours while we draw", () => {
  draw([0, 1]);
  session.takeState(state("finished", [6, 7, 8]));
  assert.equal(session.isDrawing, true);
  assert.deepEqual(session.picture.path, [0, 1]);
});

test("the server may end a stroke that is still drawn", () => {
  for (const phase of ["cancelled", "unavailable"]) {
    session = freshSession();
    draw([0, 1]);
    session.takeState(state(phase, []));
    assert.equal(session.isDrawing, false);
    assert.equal(session.picture.phase, phase);
  }
});

test("states of a cancelled stroke that were on their way don't flash up", () => {
  draw([0, 1]);
  session.cancel();
  assert.deepEqual(session.picture, { path: [], phase: "cancelled", tail: null });
  session.takeState(state("drawing", [0, 1]));
  assert.deepEqual(session.picture, { path: [], phase: "cancelled", tail: null });
  session.takeState(state("drawing", [4], { stroke: 9 }));
  assert.deepEqual(session.picture.path, [4]);
});

test("where a cancel ends the stroke it waits for its verdict", () => {
  session = freshSession({ ...pad, cancel: "submit" });
  draw([0, 1, 2, 5]);
  session.cancel();
  assert.deepEqual(session.picture, { path: [0, 1, 2, 5], phase: "checking", tail: null });
});

test("a verdict that never comes is told as such", () => {
  draw([0, 1, 2, 5]);
  session.release();
  assert.equal(session.changesAfter, 8000);
  clock.now += 8000;
  assert.equal(session.picture.phase, "unavailable");
});

test("without a stroke of ours the server's picture is shown", () => {
  assert.deepEqual(session.picture, { path: [], phase: "idle", tail: null });
  session.takeState(state("drawing", [4, 5], { x: 10, y: 20 }));
  assert.deepEqual(session.picture, { path: [4, 5], phase: "drawing", tail: { x: 10, y: 20 } });
  session.takeState(state("drawing", [], { hidden: true }));
  assert.equal(session.picture.tail, null);
});

test("every way a stroke can end is shown with its path", () => {
  for (const phase of ["accepted", "rejected", "tooShort", "unavailable", "finished"]) {
    session = freshSession();
    draw([0, 1, 2, 5]);
    session.release();
    session.takeState(state(phase, [0, 1, 2, 5]));
    session.takeState(state("idle", [], { stroke: 0 }));
    assert.deepEqual(session.picture, { path: [0, 1, 2, 5], phase, tail: null });
  }
});

test("an end that comes without a path does not wipe what was drawn here", () => {
  draw([0, 1, 2, 5]);
  session.release();
  session.takeState(state("accepted", []));
  assert.deepEqual(session.picture.path, [0, 1, 2, 5]);
});

test("a path of the server's that goes further than ours is the truth", () => {
  draw([0, 1]);
  session.takeState(state("drawing", [0, 1, 2]));
  assert.deepEqual(session.picture.path, [0, 1, 2]);
});

test("a new stroke, here or elsewhere, takes the place of the last one's end at once", () => {
  draw([0, 1, 2, 5]);
  session.release();
  session.takeState(state("finished", [0, 1, 2, 5]));
  session.takeState(state("drawing", [3], { stroke: 90, tail: false }));
  assert.deepEqual(session.picture, { path: [3], phase: "drawing", tail: null });
  session.takeState(state("finished", [3], { stroke: 90, tail: false }));
  draw([4], 8);
  assert.deepEqual(session.picture, { path: [4], phase: "drawing", tail: at(4) });
});

test("what is dropped with the connection goes on with nothing", () => {
  draw([0, 1]);
  session.drop();
  assert.deepEqual(session.move([at(2)]), []);
  session.release();
  session.cancel();
  assert.deepEqual(session.picture, { path: [], phase: "idle", tail: null });
});

test("what a hidden stroke came to is shown although it has neither number nor path", () => {
  session.takeState(state("accepted", [], { stroke: 0 }));
  assert.deepEqual(session.picture, { path: [], phase: "accepted", tail: null });
});
