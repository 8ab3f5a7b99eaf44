// What a pad is told, in the hands of a test.
import { PadSession } from "../../web/pad-session.js";
import { golden } from "./fakes.js";

/** The pad of a board: 3×3, android. */
export const { pad } = golden("welcomeBoard");

/** The centre of a node. */
export const at = (node) => ({ x: pad.hit.columns[node % 3], y: pad.hit.rows[Math.floor(node / 3)] });

/** A state as the client library tells it. */
export function state(phase, path, changes = {}) {
  return { phase, path, stroke: 7, x: 0, y: 0, tail: phase === "drawing", hidden: false, ...changes };
}

/** The server's word on a stroke. */
export function verdict(outcome, changes = {}) {
  return { stroke: 7, outcome, retryAfterMs: 0, failures: 0, actuators: 0, ...changes };
}

/** The time of every session, in milliseconds. */
export const clock = { now: 0 };

/** A session that nothing has happened to. */
export function freshSession(changes = {}) {
  clock.now = 1000;
  return new PadSession({ ...pad, ...changes }, () => clock.now);
}

/** Presses on the first node and moves over the others. */
export function drawOn(session, nodes, stroke = 7) {
  session.press(stroke, at(nodes[0]));
  session.move(nodes.slice(1).map(at));
}
