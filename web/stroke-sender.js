// Gathers the samples of the member's strokes into as few frames as their order allows.

const LAST_STROKE = 65_535;

/** So many verdicts are remembered; one that is told again is among the newest. */
const REMEMBERED = 32;

/**
 * @typedef {{x: number, y: number, time: number}} TimedPoint whole units and milliseconds
 * @typedef {import("./wire.js").Batch} Batch
 */

/** Numbers strokes and batches their samples; what is gathered in one task leaves at its end. */
export class StrokeSender {
  /**
   * @param {function(Batch): void} send writes one frame
   * @param {number} first the number before the first stroke's
   */
  constructor(send, first = 0) {
    this.send = send;
    /** The number of the stroke in progress, or 0. */
    this.stroke = 0;
    /** Most samples in a frame: `limits.samplesPerFrame`. */
    this.most = 64;
    this.#last = first;
  }

  #last;
  #time = 0;
  /** @type {Batch[]} */
  #waiting = [];
  /** @type {{stroke: number, opened: boolean|undefined}[]} */
  #told = [];

  /** @param {TimedPoint} point @returns {number} the stroke's number */
  press(point) {
    this.#last = (this.#last % LAST_STROKE) + 1;
    this.stroke = this.#last;
    this.#told = this.#told.filter(({ stroke }) => stroke !== this.stroke);
    this.#time = point.time;
    this.#add("press", [point]);
    return this.stroke;
  }

  /** @param {TimedPoint[]} points */
  move(points) {
    if (this.stroke !== 0 && points.length > 0) this.#add("move", points);
  }

  /** Sends what is left, and ends the stroke. @param {TimedPoint} [point] */
  release(point) {
    if (this.stroke === 0) return;
    this.#add("release", point ? [point] : []);
    this.flush();
    this.stroke = 0;
  }

  /** Gives the stroke up; on pads whose `cancel` is `submit` this ends it, so all of it is sent. */
  cancel() {
    if (this.stroke === 0) return;
    this.flush();
    this.send({ stroke: this.stroke, action: "cancel", samples: [] });
    this.stroke = 0;
  }

  /** Forgets the stroke without a word: the connection is gone, or the server refused it. */
  abandon() {
    this.#waiting = [];
    this.stroke = 0;
  }

  /**
   * Whether a verdict is news: to a member that comes back the server may tell its last ones again.
   * @param {{stroke: number, opened?: boolean}} verdict
   */
  isNews({ stroke, opened }) {
    if (this.#told.some((one) => one.stroke === stroke && one.opened === opened)) return false;
    this.#told = [...this.#told.slice(1 - REMEMBERED), { stroke, opened }];
    return true;
  }

  /** Sends what was gathered. */
  flush() {
    const batches = this.#waiting;
    this.#waiting = [];
    for (const batch of batches) this.send(batch);
  }

  #add(action, points) {
    if (this.#waiting.length === 0) queueMicrotask(() => this.flush());
    const samples = points.map(({ x, y, time }) => {
      const elapsed = Math.max(0, Math.round(time - this.#time));
      // The rounded sum is kept, so that many short steps don't drift from the true time.
      this.#time += elapsed;
      return { elapsed, x, y };
    });
    if (action !== "move") {
      this.#waiting.push({ stroke: this.stroke, action, samples });
      return;
    }
    for (const sample of samples) this.#addMove(sample);
  }

  /** Moves ride with the press or the moves before them. */
  #addMove(sample) {
    const last = this.#waiting[this.#waiting.length - 1];
    const isOpen = last?.stroke === this.stroke && last.samples.length < this.most
      && (last.action === "press" || last.action === "move");
    if (isOpen) last.samples.push(sample);
    else this.#waiting.push({ stroke: this.stroke, action: "move", samples: [sample] });
  }
}
