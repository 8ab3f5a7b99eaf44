// What the server's text messages must have, field by field; used by wire.js.

/** Names of a room's phases, in the order of their numbers on the wire. */
export const PHASES = Object.freeze([
  "idle", "drawing", "checking", "accepted", "rejected", "tooShort", "unavailable", "cancelled",
  "finished",
]);

// Checks of single fields, and what each message must have. A "?" marks a field that may be absent.

/** Whether `v` is a JSON object. */
export const isObject = (v) => typeof v === "object" && v !== null && !Array.isArray(v);
/** Whether `v` is text. */
export const isText = (v) => typeof v === "string";
const isTruth = (v) => typeof v === "boolean";
const isBelow = (limit) => (v) => Number.isInteger(v) && v >= 0 && v < limit;
const isCount = isBelow(2 ** 53);
const isWord = isBelow(2 ** 32);
const isStroke = isBelow(65536);
const isSide = (v) => typeof v === "number" && Math.abs(v) <= 4;
const isMember = (v) => isText(v) && /^m[1-9][0-9]{0,9}$/.test(v);
const isKey = (v) => isText(v) && /^[0-9a-f]{32}$/.test(v);
const isBase64 = (v) => isText(v) && /^[A-Za-z0-9_-]*$/.test(v);
const isGridSide = (v) => Number.isInteger(v) && v >= 2 && v <= 10;
const isOneOf = (...names) => (v) => names.includes(v);
const has = (fields) => (v) => isObject(v) && firstWrong(v, fields) === null;
const listOf = (check) => (v) => Array.isArray(v) && v.every(check);

/** What a state must have. */
export const STATE = {
  version: isWord, phase: (v) => PHASES.includes(v), stroke: isStroke, path: listOf(isBelow(256)),
  x: isSide, y: isSide, tail: isTruth, hidden: isTruth,
};
/** What the pad in `welcome` must have. */
export const PAD = {
  preset: isText, "viewWidth?": isCount, columns: isGridSide, rows: isGridSide, rule: isText,
  minimumNodes: isCount, cancel: isText, clearsOnRelease: isTruth, width: isCount, height: isCount,
  nodes: listOf(has({ x: isSide, y: isSide })),
  hit: has({ shape: isOneOf("circle", "box"), columns: Array.isArray, rows: Array.isArray }),
  theme: isObject,
};
/** What each message of the server must have, by its type. */
export const MESSAGES = {
  welcome: {
    member: isMember, resume: isKey, room: isText, role: isText, limits: isObject,
    pingSeconds: (v) => typeof v === "number" && v >= 0, "retryAfterMs?": isWord,
    "failures?": isCount, "grantKey?": has({ id: isWord, key: isBase64 }),
  },
  members: {
    viewers: isCount, controllers: listOf(has({ member: isMember, "name?": isText })),
    actuators: isCount,
  },
  pen: { "holder?": isMember, "name?": isText, waiting: isCount },
  state: STATE,
  verdict: {
    stroke: isStroke,
    outcome: isOneOf("accepted", "rejected", "tooShort", "lockedOut", "unavailable"),
    retryAfterMs: isWord, failures: isCount, actuators: isCount, "opened?": isTruth,
  },
  lockout: { retryAfterMs: isWord, failures: isCount },
  device: { token: isText },
  enrol: {
    step: isOneOf("draw", "again", "confirm", "done", "refused", "cancelled"), "reason?": isText,
  },
  "grant.offer": { id: isKey },
  grant: {
    id: isKey, lock: isText, audience: isMember, action: isOneOf("open"), demo: isTruth,
    keyId: isWord, nonce: isKey, signature: isBase64,
  },
  error: { code: isText, message: isText, retryable: isTruth, "retryAfterMs?": isWord },
  goaway: { reason: isText, reconnectAfterMs: isWord },
};

/**
 * The first broken rule of `fields` in `message`.
 * @param {Object<string, any>} message
 * @param {Object<string, function(any): boolean>} fields
 * @returns {string|null} `missing NAME` or `invalid NAME`
 */
export function firstWrong(message, fields) {
  for (const [key, check] of Object.entries(fields)) {
    const name = key.replace("?", "");
    const value = message[name] ?? null;
    if (value === null) {
      if (name === key) return `missing ${name}`;
    } else if (!check(value)) return `invalid ${name}`;
  }
  return null;
}
