// Turns pointer and keyboard events on a pad into strokes of whole units.

const LOWEST = -32768;
const HIGHEST = 32767;

/** @param {number} units rounded half away from zero, within ±4 sides */
const whole = (units) => Math.max(LOWEST, Math.min(HIGHEST,
  Math.sign(units) * Math.round(Math.abs(units)))) + 0;

/**
 * @typedef {{x: number, y: number, time: number}} TimedPoint
 * @typedef {Object} Hand what a pad does with strokes
 * @property {function(TimedPoint): boolean} press false if there can be no stroke now
 * @property {function(TimedPoint[]): void} move
 * @property {function(TimedPoint=): void} release
 * @property {function(): void} cancel
 * @property {function(): boolean} isDrawing whether a stroke is in progress
 * @property {function(number): void} hover the keyboard went to this node
 * @property {function(): void} added the keyboard added a node
 */

/** Follows the first pointer; others are ignored until it is up. */
export class PointerInput {
  #pointer = null;

  /** @param {import("./pad-view.js").PadView} view @param {Hand} hand */
  constructor(view, hand) {
    this.view = view;
    this.hand = hand;
    const { svg } = view;
    svg.addEventListener("pointerdown", (event) => this.#down(event));
    svg.addEventListener("pointermove", (event) => this.#move(event));
    svg.addEventListener("pointerup", (event) => this.#up(event));
    svg.addEventListener("pointercancel", (event) => this.#lose(event));
    svg.addEventListener("lostpointercapture", (event) => this.#lose(event));
    // Without this a long press opens a menu, and the stroke is gone.
    svg.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  #down(event) {
    if (this.#pointer !== null || !event.isPrimary && event.pointerType !== "touch") return;
    if (event.pointerType === "mouse" && event.button !== 0) return;
    const points = this.#points([event]);
    if (points.length === 0 || !this.hand.press(points[0])) return;
    event.preventDefault();
    this.#pointer = event.pointerId;
    this.view.svg.setPointerCapture(event.pointerId);
  }

  #move(event) {
    if (event.pointerId !== this.#pointer) return;
    const coalesced = event.getCoalescedEvents?.() ?? [];
    this.hand.move(this.#points(coalesced.length > 0 ? coalesced : [event]));
  }

  #up(event) {
    if (event.pointerId !== this.#pointer) return;
    this.#pointer = null;
    this.hand.release(this.#points([event])[0]);
  }

  #lose(event) {
    if (event.pointerId !== this.#pointer) return;
    this.#pointer = null;
    this.hand.cancel();
  }

  #points(events) {
    const matrix = this.view.mapping;
    if (matrix === null) return [];
    return events.map(({ clientX, clientY, timeStamp }) => {
      const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix);
      return { x: whole(x), y: whole(y), time: timeStamp };
    });
  }
}

/** Whether each node has a digit of its own. @param {{columns: number, rows: number}} pad */
export const hasDigits = ({ columns, rows }) => columns * rows <= 9;

/** Draws by keys: arrows go, Space and digits add a node, Enter ends, Escape gives up. */
export class KeyboardInput {
  #node = 0;
  #hasBegun = false;

  /** @param {import("./pad-view.js").PadView} view @param {Hand} hand */
  constructor(view, hand) {
    this.view = view;
    this.hand = hand;
    view.svg.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || view.pad === null) return;
      if (this.#key(event.key)) event.preventDefault();
    });
    // A finger on the pad means that the keyboard's stroke is not wanted any more.
    view.svg.addEventListener("pointerdown", () => this.#giveUp());
    view.svg.addEventListener("focus", () => {
      // Who came by the mouse sees where it is, and did not ask.
      if (view.svg.matches(":focus-visible")) this.#show();
    });
    view.svg.addEventListener("blur", () => {
      view.showCursor(null);
      this.#giveUp();
    });
  }

  #key(key) {
    const { columns, rows } = this.view.pad;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (key in steps) {
      const [dx, dy] = steps[key];
      const column = Math.max(0, Math.min(columns - 1, (this.#node % columns) + dx));
      const row = Math.max(0, Math.min(rows - 1, Math.floor(this.#node / columns) + dy));
      this.#node = row * columns + column;
      this.#show();
    } else if (hasDigits(this.view.pad) && /^[1-9]$/.test(key) && Number(key) <= columns * rows) {
      this.#node = Number(key) - 1;
      this.#add();
    } else if (key === " ") this.#add();
    else if (key === "Enter") return this.finish();
    else if (key === "Escape") return this.#giveUp();
    else return false;
    return true;
  }

  #show() {
    this.view.showCursor(this.#node);
    this.hand.hover(this.#node);
  }

  #add() {
    const point = { ...this.view.centres[this.#node], time: performance.now() };
    if (!this.#hasBegun || !this.hand.isDrawing()) {
      this.#hasBegun = this.hand.press(point);
      if (!this.#hasBegun) return;
    } else {
      this.hand.move([point]);
    }
    this.view.showCursor(this.#node);
    // Not where: said one after the other, the places would be the code.
    this.hand.added();
  }

  /** Ends the stroke that was drawn by keys; whether there was one. */
  finish() {
    if (!this.#hasBegun) return false;
    this.#hasBegun = false;
    this.hand.release();
    return true;
  }

  #giveUp() {
    if (!this.#hasBegun) return false;
    this.#hasBegun = false;
    this.hand.cancel();
    return true;
  }
}
