// The codec of protocol v1, for browsers and node. It knows no sockets and no pages.
// All positions here are whole units of 1/8192 of the pad's longer side, whichever way they came.

import { MESSAGES, PAD, PHASES, STATE, firstWrong, isObject, isText } from "./wire-fields.js";

export { PHASES };

/** Units in the pad's longer side. */
export const UNITS_PER_SIDE = 8192;

/** The subprotocol in which samples, acknowledgements and states are binary. */
export const SUBPROTOCOL = "drawbolt.v1";

/** The subprotocol in which everything is text. */
export const SUBPROTOCOL_JSON = "drawbolt.v1.json";

/** What a batch does to its stroke, in the order of the numbers on the wire. */
export const ACTIONS = Object.freeze(["move", "press", "release", "tap", "cancel"]);

const STATE_HEAD = 14;
const MOST_NODES = 100;

/**
 * One pointer position.
 * @typedef {Object} Sample
 * @property {number} elapsed whole milliseconds since the stroke's sample before, 0 … 65535
 * @property {number} x units from the pad's left edge, −32768 … 32767
 * @property {number} y units from the pad's top edge, −32768 … 32767
 */

/**
 * Samples that travel in one frame.
 * @typedef {Object} Batch
 * @property {number} stroke the drawer's number for the stroke, 1 … 65535
 * @property {"move"|"press"|"release"|"tap"|"cancel"} action
 * @property {Sample[]} samples at most `limits.samplesPerFrame` (64); none for cancel
 */

/**
 * The whole state of a room.
 * @typedef {Object} State
 * @property {"state"} type
 * @property {number} version to be acknowledged as it is, never compared
 * @property {string} phase one of PHASES
 * @property {number} stroke the drawer's number for the stroke, 0 when none or hidden
 * @property {number[]} path node indexes from 0, none twice
 * @property {number} x pointer, in units
 * @property {number} y pointer, in units
 * @property {boolean} tail whether the line from the last node to the pointer is shown
 * @property {boolean} hidden whether path and pointer are kept from this receiver
 */

/** Bytes or text that are no message of the protocol. `message` is the rule's name. */
export class WireError extends Error {
  /** @param {string} rule the broken rule, as the golden vectors name it */
  constructor(rule) {
    super(rule);
    this.name = "WireError";
  }
}

/**
 * The nearest unit to a length in longer sides, half away from zero, clamped to ±4.
 *
 * Multiplying by 8192 is exact, so the server's arithmetic gives the same.
 * @param {number} side
 * @returns {number|null} −32768 … 32767; null for NaN, whose sample must be dropped
 */
export function quantise(side) {
  if (Number.isNaN(side)) return null;
  const scaled = Math.abs(side * UNITS_PER_SIDE);
  const whole = Math.floor(scaled);
  const rounded = scaled - whole >= 0.5 ? whole + 1 : whole;
  return side < 0 ? -Math.min(rounded, 32768) || 0 : Math.min(rounded, 32767);
}

/**
 * A position as JSON writes it: four decimals, half away from zero.
 * @param {number} units −32768 … 32767
 * @returns {string} such as "0.1667"
 */
export function decimals(units) {
  const tenThousandths = Math.floor((Math.abs(units) * 625 + 256) / 512);
  const part = String(tenThousandths % 10000).padStart(4, "0");
  return `${units < 0 ? "-" : ""}${Math.floor(tenThousandths / 10000)}.${part}`;
}

/**
 * Whether a client should connect again, with backoff, after this close code.
 *
 * 4000–4099 say so and 4400–4499 say no; a connection that was merely lost (1005, 1006) is retried.
 * @param {number} code
 * @returns {boolean}
 */
export function shouldReconnect(code) {
  if (code >= 4000) return code <= 4099;
  return [1001, 1005, 1006, 1011, 1012, 1013, 1014].includes(code);
}

/** @param {Batch} batch */
function checkBatch({ stroke, action, samples }) {
  const isFitting = action === "cancel" ? samples.length === 0
    : action === "release" || samples.length > 0;
  if (!ACTIONS.includes(action) || !isFitting || samples.length > 255) {
    throw new RangeError("the samples do not fit the action");
  }
  if (!Number.isInteger(stroke) || stroke < 1 || stroke > 65535) {
    throw new RangeError("a stroke is 1 … 65535");
  }
}

/** @param {number} value */
const milliseconds = (value) => Math.max(0, Math.min(65535, Math.round(value) || 0));

/**
 * The binary frame of a batch.
 * @param {Batch} batch
 * @returns {Uint8Array}
 */
export function encodeSamples(batch) {
  checkBatch(batch);
  const { stroke, action, samples } = batch;
  const view = new DataView(new ArrayBuffer(5 + 6 * samples.length));
  view.setUint8(0, 0x01);
  view.setUint8(1, ACTIONS.indexOf(action));
  view.setUint16(2, stroke, true);
  view.setUint8(4, samples.length);
  samples.forEach(({ elapsed, x, y }, index) => {
    view.setUint16(5 + 6 * index, milliseconds(elapsed), true);
    view.setInt16(7 + 6 * index, x, true);
    view.setInt16(9 + 6 * index, y, true);
  });
  return new Uint8Array(view.buffer);
}

/**
 * The text of a batch, for `drawbolt.v1.json`.
 * @param {Batch} batch
 * @returns {string}
 */
export function samplesText(batch) {
  checkBatch(batch);
  const { stroke, action, samples } = batch;
  const points = samples.map(
    ({ elapsed, x, y }) => `[${milliseconds(elapsed)},${decimals(x)},${decimals(y)}]`);
  const list = points.length > 0 ? `,"points":[${points.join(",")}]` : "";
  return `{"type":"samples","stroke":${stroke},"action":"${action}"${list}}`;
}

/**
 * The binary acknowledgement of a state.
 * @param {number} version
 * @returns {Uint8Array}
 */
export function encodeAck(version) {
  const view = new DataView(new ArrayBuffer(5));
  view.setUint8(0, 0x02);
  view.setUint32(1, version, true);
  return new Uint8Array(view.buffer);
}

/**
 * The text of an acknowledgement, for `drawbolt.v1.json`.
 * @param {number} version
 * @returns {string}
 */
export const ackText = (version) => JSON.stringify({ type: "ack", version });

/**
 * @param {number[]|Uint8Array} path
 * @param {number} nodeCount
 */
function checkPath(path, nodeCount) {
  if (path.length > nodeCount || new Set(path).size !== path.length) throw new WireError("path");
  for (const node of path) if (node >= nodeCount) throw new WireError("path");
}

/**
 * Reads a binary state frame.
 * @param {ArrayBuffer|Uint8Array} frame
 * @param {number} [nodeCount] the pad's number of nodes, to which frames may be padded
 * @returns {State}
 */
export function decodeState(frame, nodeCount) {
  const bytes = frame instanceof Uint8Array ? frame : new Uint8Array(frame);
  if (bytes.length === 0) throw new WireError("empty");
  if (bytes[0] !== 0x81) throw new WireError("unknownFrame");
  if (bytes.length < STATE_HEAD) throw new WireError("frameLength");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [, number, flags] = bytes;
  if (number >= PHASES.length) throw new WireError("unknownPhase");
  if (flags > 3) throw new WireError("unknownFlags");
  const end = STATE_HEAD + bytes[13];
  if (bytes.length !== end && bytes.length !== STATE_HEAD + (nodeCount ?? bytes[13])) {
    throw new WireError("frameLength");
  }
  if (end > bytes.length) throw new WireError("path");
  const path = Array.from(bytes.subarray(STATE_HEAD, end));
  checkPath(path, nodeCount ?? MOST_NODES);
  if (bytes.subarray(end).some((byte) => byte !== 0)) throw new WireError("padding");
  return {
    type: "state", version: view.getUint32(5, true), phase: PHASES[number],
    stroke: view.getUint16(3, true), path, x: view.getInt16(9, true), y: view.getInt16(11, true),
    tail: (flags & 1) !== 0, hidden: (flags & 2) !== 0,
  };
}

/**
 * @param {Object<string, any>} message
 * @param {Object<string, function(any): boolean>} fields
 */
function check(message, fields) {
  const wrong = firstWrong(message, fields);
  if (wrong !== null) throw new WireError(wrong);
}

/** A state from JSON, whose positions become units. */
function stateFrom(message, nodeCount) {
  check(message, STATE);
  checkPath(message.path, nodeCount);
  const { version, phase, stroke, path, tail, hidden } = message;
  const [x, y] = [quantise(message.x), quantise(message.y)];
  return { type: "state", version, phase, stroke, path, x, y, tail, hidden };
}

/**
 * Reads a text message of the server.
 *
 * Fields that are not known stay as they are; positions of states become units.
 * @param {string} text
 * @param {number} [nodeCount] the pad's number of nodes, when it is known
 * @returns {{type: string, [field: string]: any}|null} null for a type that a newer server may
 *   send, which must be ignored
 * @throws {WireError}
 */
export function parseMessage(text, nodeCount = MOST_NODES) {
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    throw new WireError("notJSON");
  }
  if (!isObject(message)) throw new WireError("notJSON");
  check(message, { type: isText });
  if (!Object.hasOwn(MESSAGES, message.type)) return null;
  if (message.type === "state") return stateFrom(message, nodeCount);
  check(message, MESSAGES[message.type]);
  if (message.type !== "welcome") return message;
  const { pad, state } = message;
  check(message, { pad: isObject, state: isObject });
  check(pad, PAD);
  if (pad.nodes.length !== pad.columns * pad.rows) throw new WireError("invalid nodes");
  return { ...message, state: stateFrom(state, pad.nodes.length) };
}
