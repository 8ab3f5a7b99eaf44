import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  ACTIONS, PHASES, WireError, ackText, decimals, decodeState, encodeAck, encodeSamples,
  parseMessage, quantise, samplesText, shouldReconnect,
} from "../../web/wire.js";

const file = new URL("../Vectors/wire.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8"));
const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));
const hex = (array) => Buffer.from(array).toString("hex");
const states = vectors.server.filter((vector) => vector.hex !== undefined);
const words = (vector) => JSON.parse(vector.text);

/** The batch that a samples text means. */
function batch({ text }) {
  const { stroke, action, points = [] } = JSON.parse(text);
  const samples = points.map(([elapsed, x, y]) => ({ elapsed, x: quantise(x), y: quantise(y) }));
  return { stroke, action, samples };
}

test("samples are written exactly as their golden frames and texts", () => {
  const samples = vectors.client.filter((vector) => words(vector).type === "samples");
  assert.ok(samples.length >= 7);
  for (const vector of samples) {
    assert.equal(hex(encodeSamples(batch(vector))), vector.hex, vector.name);
    assert.equal(samplesText(batch(vector)), vector.text, vector.name);
  }
});

test("acknowledgements are written exactly as their golden frames and texts", () => {
  for (const vector of vectors.client.filter((vector) => words(vector).type === "ack")) {
    assert.equal(hex(encodeAck(words(vector).version)), vector.hex);
    assert.equal(ackText(words(vector).version), vector.text);
  }
});

test("batches that the protocol has no frame for are refused", () => {
  const sample = { elapsed: 0, x: 0, y: 0 };
  for (const wrong of [
    { stroke: 0, action: "move", samples: [sample] },
    { stroke: 65536, action: "move", samples: [sample] },
    { stroke: 1.5, action: "move", samples: [sample] }, { stroke: 1, action: "move", samples: [] },
    { stroke: 1, action: "cancel", samples: [sample] },
    { stroke: 1, action: "draw", samples: [sample] },
  ]) {
    assert.throws(() => encodeSamples(wrong), RangeError);
    assert.throws(() => samplesText(wrong), RangeError);
  }
});

test("times are rounded and saturate", () => {
  const times = [
    [-3, 0], [0.4, 0], [0.5, 1], [65535.4, 65535], [1e9, 65535], [Infinity, 65535], [NaN, 0],
  ];
  for (const [elapsed, expected] of times) {
    const frame = encodeSamples({ stroke: 1, action: "move", samples: [{ elapsed, x: 0, y: 0 }] });
    assert.equal(new DataView(frame.buffer).getUint16(5, true), expected);
  }
});

test("a state's binary frame and its text mean the same", () => {
  assert.ok(states.length >= 9);
  for (const { name, hex, text, nodeCount } of states) {
    const state = decodeState(bytes(hex), nodeCount);
    assert.deepEqual(state, parseMessage(text, nodeCount), name);
    assert.deepEqual(decodeState(bytes(hex).buffer, nodeCount), state);
    assert.equal(`${decimals(state.x)} ${decimals(state.y)}`,
      text.match(/"x":([-0-9.]+),"y":([-0-9.]+)/).slice(1).join(" "));
  }
});

test("every server message is understood", () => {
  for (const { name, text } of vectors.server) {
    const message = parseMessage(text);
    const plain = JSON.parse(text);
    assert.equal(message.type, plain.type, name);
    for (const field of Object.keys(plain)) {
      if (!["x", "y", "state"].includes(field)) assert.deepEqual(message[field], plain[field]);
    }
  }
  for (const { side, text, as } of vectors.also.filter(({ side }) => side === "server")) {
    const same = vectors[side].find(({ name }) => name === as);
    assert.deepEqual(parseMessage(text), parseMessage(same.text));
  }
});

test("what must be refused is refused by its rule; a newer server's message is ignored", () => {
  const refusals = vectors.errors.filter(({ side, lenient }) => side === "server" && !lenient);
  assert.ok(refusals.length > 25);
  for (const { name, text, hex, nodeCount, error } of refusals) {
    const read = () => hex === undefined ? parseMessage(text) : decodeState(bytes(hex), nodeCount);
    if (error === "unknownType") assert.equal(read(), null);
    else assert.throws(read, { name: "WireError", message: error }, name);
  }
  for (const text of ["", "{", "[]", "null", "7", '"state"']) {
    assert.throws(() => parseMessage(text), /notJSON/);
  }
  for (const type of ["constructor", "__proto__", "toString"]) {
    assert.equal(parseMessage(JSON.stringify({ type })), null);
  }
});

test("every prefix and every changed byte of a state gives a state or a WireError", () => {
  const read = (frame, nodeCount) => {
    try {
      const { path, phase } = decodeState(frame, nodeCount);
      assert.ok(path.every((node) => node < (nodeCount ?? 100)) && PHASES.includes(phase));
    } catch (error) {
      assert.ok(error instanceof WireError, String(error));
    }
  };
  for (const { hex, nodeCount } of states) {
    const frame = bytes(hex);
    for (let end = 0; end < frame.length; end += 1) read(frame.slice(0, end), nodeCount);
    for (let index = 0; index < frame.length; index += 1) {
      for (let value = 0; value < 256; value += 1) {
        const changed = frame.slice();
        changed[index] = value;
        read(changed, nodeCount);
      }
    }
  }
});

test("every prefix and some changes of every text give a message or a WireError", () => {
  for (const { text } of vectors.server.filter(({ text }) => text.length < 500)) {
    for (let index = 0; index < text.length; index += 1) {
      const texts = [text.slice(0, index)];
      for (const letter of '"{}[],:0-e. ') {
        texts.push(text.slice(0, index) + letter + text.slice(index + 1));
      }
      for (const changed of texts) {
        try {
          parseMessage(changed);
        } catch (error) {
          assert.ok(error instanceof WireError, String(error));
        }
      }
    }
  }
});

test("quantising is the server's: half away from zero, and clamped where the server refuses", () => {
  for (const [text, units] of vectors.positions) {
    const side = Number(text);
    assert.equal(quantise(side), units ?? (side < 0 ? -32768 : 32767), text);
    assert.ok(!Object.is(quantise(side), -0));
  }
  assert.equal(quantise(Infinity), 32767);
  assert.equal(quantise(-Infinity), -32768);
  assert.equal(quantise(NaN), null);
});

test("every unit survives its four decimals", () => {
  for (let units = -32768; units <= 32767; units += 1) {
    assert.equal(quantise(Number(decimals(units))), units);
  }
  for (const [units, text] of vectors.decimals) assert.equal(decimals(units), text);
});

test("the close code says whether to connect again", () => {
  for (const [code, , retry] of vectors.closeCodes) assert.equal(shouldReconnect(code), retry);
  for (const code of [1005, 1006, 4000, 4099]) assert.equal(shouldReconnect(code), true);
  for (const code of [1002, 1003, 1007, 3000, 4100, 4400, 4499, 4999]) {
    assert.equal(shouldReconnect(code), false);
  }
});

test("names stand in the order of the wire's numbers", () => {
  for (const { hex, text } of states) assert.equal(PHASES[bytes(hex)[1]], JSON.parse(text).phase);
  assert.deepEqual(ACTIONS, ["move", "press", "release", "tap", "cancel"]);
});
