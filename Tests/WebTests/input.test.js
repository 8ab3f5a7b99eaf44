import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { KeyboardInput, PointerInput } from "../../web/pad-input.js";

// One CSS pixel is ten units here. Node knows no DOMPoint.
globalThis.DOMPoint ??= class {
  constructor(x, y) {
    Object.assign(this, { x, y });
  }

  matrixTransform(scale) {
    return { x: this.x * scale, y: this.y * scale };
  }
};

let svg;
let log;
let hand;
let accepts;
let spoken;

beforeEach(() => {
  log = [];
  spoken = [];
  accepts = true;
  let draws = false;
  svg = Object.assign(new EventTarget(), { captured: [], setPointerCapture: (id) => svg.captured.push(id) });
  hand = {
    press(point) {
      if (!accepts) return false;
      draws = true;
      log.push(["press", point.x, point.y]);
      return true;
    },
    move: (points) => points.forEach(({ x, y }) => log.push(["move", x, y])),
    release(point) {
      draws = false;
      log.push(point ? ["release", point.x, point.y] : ["release"]);
    },
    cancel() {
      draws = false;
      log.push(["cancel"]);
    },
    isDrawing: () => draws,
    hover: (node) => spoken.push(`at ${node}`),
    added: () => spoken.push("added"),
    lose: () => { draws = false; },
  };
  const centres = Array.from({ length: 9 }, (_, node) => ({ x: node % 3, y: Math.floor(node / 3) }));
  const pad = { columns: 3, rows: 3 };
  const view = { svg, pad, centres, mapping: 10, showCursor: () => {} };
  new KeyboardInput(view, hand);
  new PointerInput(view, hand);
});

function point(type, x, y, more = {}) {
  const event = new Event(type, { cancelable: true });
  svg.dispatchEvent(Object.assign(event, {
    clientX: x, clientY: y, pointerId: 1, isPrimary: true, pointerType: "touch", button: 0, ...more,
  }));
  return event;
}

function key(name, more = {}) {
  const event = Object.assign(new Event("keydown", { cancelable: true }), { key: name, ...more });
  svg.dispatchEvent(event);
  return event;
}

test("a stroke is captured, mapped and ended outside", () => {
  point("pointerdown", 1, 2);
  assert.deepEqual(svg.captured, [1]);
  point("pointermove", 30, 40);
  point("pointerup", -50, -60);
  point("lostpointercapture", -50, -60);
  assert.deepEqual(log, [["press", 10, 20], ["move", 300, 400], ["release", -500, -600]]);
});

test("coalesced positions are all taken", () => {
  point("pointerdown", 0, 0);
  const getCoalescedEvents = () => [1, 2, 3].map((x) => ({ clientX: x, clientY: 0, timeStamp: x }));
  point("pointermove", 3, 0, { getCoalescedEvents });
  assert.deepEqual(log.slice(1), [["move", 10, 0], ["move", 20, 0], ["move", 30, 0]]);
});

test("positions are whole units, halves away from zero, within four sides", () => {
  point("pointerdown", 0.05, -0.05);
  point("pointermove", 9999, -9999);
  assert.deepEqual(log, [["press", 1, -1], ["move", 32767, -32768]]);
});

test("the first pointer wins until it is up", () => {
  point("pointerdown", 1, 1);
  point("pointerdown", 9, 9, { pointerId: 2, isPrimary: false });
  point("pointermove", 8, 8, { pointerId: 2, isPrimary: false });
  point("pointerup", 8, 8, { pointerId: 2, isPrimary: false });
  point("pointerup", 2, 2);
  assert.deepEqual(log, [["press", 10, 10], ["release", 20, 20]]);
  point("pointermove", 3, 3, { pointerId: 2, isPrimary: false });
  assert.equal(log.length, 2);
});

test("a cancelled pointer, or a lost capture, discards", () => {
  for (const type of ["pointercancel", "lostpointercapture"]) {
    log.length = 0;
    point("pointerdown", 1, 1);
    point(type, 1, 1);
    point("pointerup", 1, 1);
    assert.deepEqual(log, [["press", 10, 10], ["cancel"]]);
  }
});

test("only the first mouse button draws, and a refused press captures nothing", () => {
  point("pointerdown", 1, 1, { pointerType: "mouse", button: 2 });
  accepts = false;
  point("pointerdown", 1, 1);
  point("pointermove", 2, 2);
  assert.deepEqual([log, svg.captured], [[], []]);
});

test("a long press opens no menu", () => {
  assert.equal(point("contextmenu", 0, 0).defaultPrevented, true);
});

test("keys go from dot to dot, add, and end", () => {
  for (const name of [" ", "ArrowRight", "ArrowUp", " ", "ArrowDown", " ", "Enter"]) {
    assert.equal(key(name).defaultPrevented, true, name);
  }
  assert.deepEqual(log, [["press", 0, 0], ["move", 1, 0], ["move", 1, 1], ["release"]]);
});

test("digits add dots, Escape gives up", () => {
  key("1");
  key("5");
  key("0");
  key("Escape");
  assert.deepEqual(log, [["press", 0, 0], ["move", 1, 1], ["cancel"]]);
});

test("keys that mean nothing here stay the page's", () => {
  for (const name of ["Enter", "Escape", "a", "Tab", "F5"]) {
    assert.equal(key(name).defaultPrevented, false, name);
  }
  assert.equal(key("1", { ctrlKey: true }).defaultPrevented, false);
  assert.deepEqual(log, []);
});

test("a stroke that the connection ended is begun anew by the next dot", () => {
  key("1");
  hand.lose();
  key("2");
  assert.deepEqual(log, [["press", 0, 0], ["press", 1, 0]]);
});

test("a finger, or the focus going elsewhere, gives up the keyboard's stroke", () => {
  key("1");
  point("pointerdown", 1, 1);
  assert.deepEqual(log, [["press", 0, 0], ["cancel"], ["press", 10, 10]]);
  point("pointerup", 1, 1);
  key("1");
  svg.dispatchEvent(new Event("blur"));
  assert.deepEqual(log.slice(-2), [["press", 0, 0], ["cancel"]]);
});

test("arrows tell where they went; what adds a dot does not tell which", () => {
  for (const name of ["5", "9", "ArrowLeft", " "]) key(name);
  assert.deepEqual(spoken, ["added", "added", "at 7", "added"]);
  accepts = false;
  key("Escape");
  key("1");
  assert.equal(spoken.length, 4);
});
