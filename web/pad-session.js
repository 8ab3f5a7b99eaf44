// What a pad shows: the member's own stroke at once, the server's truth as soon as it differs.

import { GestureTracker } from "./tracker.js";

/** How long a verdict's colours stay when nothing new is drawn, in milliseconds. */
const RESULT_SHOWN = 3000;

/** An actuator's answer to an accepted stroke comes within this many milliseconds, or never. */
const OPENS_WITHIN = 5000;

/** A verdict that is not there after so long never comes: the server gives up after 5 s. */
const NO_VERDICT_AFTER = 8000;

/** The longest delay that the protocol can tell stands for all that are longer. */
const FOR_GOOD = 2 ** 32 - 1;

/** A delay told again ends a little later by its way here; that is not a new one, in milliseconds. */
const SAME_DELAY = 1000;

/** @param {number[]} part @param {number[]} whole */
const isPrefix = (part, whole) => part.length <= whole.length
  && part.every((node, index) => node === whole[index]);

/**
 * @typedef {Object} Picture
 * @property {number[]} path
 * @property {{x: number, y: number}|null} tail where the line goes on to, in units
 * @property {string} phase a room's phase, or `lockedOut`
 */

/** Joins the local echo of one stroke with the states that come from the server. */
export class PadSession {
  /**
   * @param {object} pad the `pad` of `welcome`
   * @param {function(): number} now milliseconds
   */
  constructor(pad, now = () => performance.now()) {
    this.tracker = new GestureTracker(pad);
    this.now = now;
    /** The stroke that is echoed here, or 0. */
    this.stroke = 0;
    /** The stroke that was begun last, or 0. */
    this.latest = 0;
    this.releasedAt = Infinity;
    /** @type {object|null} */
    this.state = null;
    /** @type {{phase: string, path: number[], until: number, state: object|null,
     * stroke: number, opened: boolean|null}|null} */
    this.result = null;
    /** When the server's phase became what it is. */
    this.stateSince = -Infinity;
    /** A stroke that was released before it met a node, or null: a tap beside them says nothing. */
    this.missed = null;
    this.lockedUntil = 0;
    /** Whether the stroke is kept from sight: it was pressed against a delay that may be over. */
    this.isHeldBack = false;
  }

  /** Milliseconds until the next attempt may be made; Infinity if only an administrator helps. */
  get lockedFor() {
    return Math.max(0, this.lockedUntil - this.now());
  }

  /** Whether a stroke of this member's is in progress. */
  get isDrawing() {
    return this.stroke !== 0 && this.tracker.isDrawing;
  }

  /** @param {number} milliseconds */
  lock(milliseconds) {
    if (milliseconds <= 0) this.lockedUntil = 0;
    else if (milliseconds >= FOR_GOOD) this.lockedUntil = Infinity;
    else {
      const until = this.now() + milliseconds;
      const isSame = this.lockedFor > 0 && Math.abs(until - this.lockedUntil) < SAME_DELAY;
      this.lockedUntil = isSame ? Math.min(until, this.lockedUntil) : until;
    }
  }

  /**
   * Begins a stroke, against a delay too: only the server knows whether it was lifted meanwhile.
   * Until it shows that it takes the stroke, the picture stays as it is.
   * @param {number} stroke
   * @param {{x: number, y: number}} point
   * @returns {object[]} the tracker's steps
   */
  press(stroke, point) {
    const steps = [];
    this.isHeldBack = this.lockedFor > 0;
    if (!this.isHeldBack) this.result = null;
    this.stroke = this.latest = stroke;
    this.releasedAt = Infinity;
    this.tracker.press(point, steps);
    return steps;
  }

  /** @param {{x: number, y: number}[]} points */
  move(points) {
    const steps = [];
    if (this.stroke !== 0) for (const point of points) this.tracker.move(point, steps);
    return steps;
  }

  /** @param {{x: number, y: number}} [point] */
  release(point) {
    if (this.stroke === 0) return;
    this.tracker.release(point);
    this.releasedAt = this.now();
    if (this.tracker.path.length > 0) return;
    this.missed = this.stroke;
    this.drop();
  }

  /** Shows that the stroke was given up; the server says nothing of it where others must not know. */
  cancel() {
    if (this.stroke === 0) return;
    this.tracker.cancel();
    if (this.tracker.pad.cancel === "submit") {
      this.releasedAt = this.now();
      return;
    }
    if (!this.isHeldBack) this.#show("cancelled", [], this.stroke);
    this.drop();
  }

  /** Forgets the local stroke: it was cancelled, refused, or the connection was lost. */
  drop() {
    this.tracker.isDrawing = false;
    this.stroke = 0;
    this.isHeldBack = false;
  }

  /** @param {object} state the server's */
  takeState(state) {
    const { phase, stroke } = this.state ?? {};
    if (state.phase !== phase || state.stroke !== stroke) this.stateSince = this.now();
    this.state = state;
    if (this.stroke === 0 || state.hidden) return;
    if (state.stroke !== this.stroke) return;
    if (["drawing", "checking"].includes(state.phase)) {
      this.#letThrough();
      if (!isPrefix(state.path, this.tracker.path)) this.drop();
      return;
    }
    // Numbers are the drawers' own: a stroke judged before its release was somebody else's.
    if (this.tracker.isDrawing && !["cancelled", "unavailable"].includes(state.phase)) return;
    const isBare = state.path.length === 0 && state.phase !== "cancelled";
    this.#show(state.phase, isBare ? this.tracker.path : state.path, this.stroke);
    this.drop();
  }

  /** The server takes a stroke that was held back: the delay is over. */
  #letThrough() {
    if (!this.isHeldBack) return;
    this.isHeldBack = false;
    this.lockedUntil = 0;
    this.result = null;
  }

  /** @param {object} verdict on a stroke of this member's */
  takeVerdict({ stroke, outcome, retryAfterMs, actuators }) {
    this.lock(retryAfterMs);
    // The server refused what nobody saw.
    if (this.isHeldBack && stroke === this.stroke && outcome === "lockedOut") return this.drop();
    // A newer stroke's picture is not painted over; a page that was loaded anew has drawn none.
    if (this.latest !== 0 && stroke !== this.latest) return;
    const known = [this.result, this.state].find((one) => one?.stroke === stroke)?.path ?? [];
    const path = stroke === this.stroke ? this.tracker.path : known;
    this.#show(outcome, outcome === "lockedOut" ? [] : path, stroke);
    if (outcome === "accepted") {
      // Without a lock there is nothing to wait for.
      if (actuators === 0) this.result.opened = false;
      else this.result.until = this.now() + OPENS_WITHIN;
    }
    if (stroke === this.stroke) this.drop();
  }

  /** @param {object} verdict that tells of an accepted stroke whether a lock opened */
  takeOpening({ stroke, opened }) {
    if (this.result?.stroke !== stroke || this.result.phase !== "accepted") return;
    Object.assign(this.result, { opened, until: this.now() + RESULT_SHOWN });
  }

  #show(phase, path, stroke) {
    const { state } = this;
    const until = this.now() + RESULT_SHOWN;
    this.result = { phase, path: [...path], until, state, stroke, opened: null };
  }

  /** Whether the stroke that is accepted opened a lock; null as long as that is not known. */
  get opened() {
    return this.now() < this.result?.until ? this.result.opened : null;
  }

  /** Whether what is drawn on this pad is somebody else's. */
  get isOthers() {
    return this.stroke === 0 && this.state?.phase === "drawing" && this.state.stroke !== this.latest;
  }

  /** Whether a stroke ended so long ago that only its picture is left to be seen. */
  get isPast() {
    const isEnd = ["finished", "cancelled"].includes(this.state?.phase);
    return this.stroke === 0 && isEnd && this.now() - this.stateSince >= RESULT_SHOWN;
  }

  get #isMissed() {
    return this.state.stroke === this.missed && this.state.path.length === 0;
  }

  /** @returns {Picture} what is to be seen now */
  get picture() {
    if (this.now() - this.releasedAt >= NO_VERDICT_AFTER && this.stroke !== 0) {
      this.#show("unavailable", this.tracker.path, this.stroke);
      this.drop();
    }
    if (this.stroke !== 0 && !this.isHeldBack) {
      const { tracker } = this;
      return {
        path: tracker.path, phase: tracker.isDrawing ? "drawing" : "checking",
        tail: tracker.showsTail ? tracker.pointer : null,
      };
    }
    const { result, state } = this;
    // States of the ended stroke may still be on their way.
    const isNewer = state?.phase === "drawing" && state !== result?.state
      && state.stroke !== result?.stroke && !this.#isMissed;
    if (result !== null && !isNewer && this.now() < result.until) {
      return { path: result.path, phase: result.phase, tail: null };
    }
    if (state === null || this.#isMissed) return { path: [], phase: "idle", tail: null };
    return {
      path: state.path, phase: state.phase,
      tail: state.tail && !state.hidden ? { x: state.x, y: state.y } : null,
    };
  }

  /** Milliseconds until the picture changes by itself; Infinity if it does not. */
  get changesAfter() {
    const waits = [this.result?.until ?? Infinity, this.lockedFor > 0 ? this.lockedUntil : Infinity,
      this.stateSince + RESULT_SHOWN];
    if (this.stroke !== 0) waits.push(this.releasedAt + NO_VERDICT_AFTER);
    return Math.min(...waits.map((at) => at - this.now()).filter((wait) => wait > 0), Infinity);
  }
}
