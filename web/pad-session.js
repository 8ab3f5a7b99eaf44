// What a pad shows: the member's own stroke at once, the server's truth as soon as it differs.

import { GestureTracker } from "./tracker.js";

/** How long a verdict's colours stay when nothing new is drawn, in milliseconds. */
const RESULT_SHOWN = 3000;

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
    /** @type {object|null} */
    this.state = null;
    /** @type {{phase: string, path: number[], until: number}|null} */
    this.result = null;
    this.lockedUntil = 0;
  }

  /** Milliseconds until the next attempt may be made. */
  get lockedFor() {
    return Math.max(0, this.lockedUntil - this.now());
  }

  /** @param {number} milliseconds */
  lock(milliseconds) {
    this.lockedUntil = milliseconds > 0 ? this.now() + milliseconds : 0;
  }

  /**
   * @param {number} stroke
   * @param {{x: number, y: number}} point
   * @returns {object[]} the tracker's steps
   */
  press(stroke, point) {
    const steps = [];
    this.result = null;
    this.stroke = stroke;
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
    if (this.stroke !== 0) this.tracker.release(point);
  }

  /** Forgets the local stroke: it was cancelled, refused, or the connection was lost. */
  drop() {
    this.tracker.isDrawing = false;
    this.stroke = 0;
  }

  /** @param {object} state the server's */
  takeState(state) {
    this.state = state;
    if (this.stroke === 0 || state.hidden) return;
    const isOwn = state.stroke === this.stroke;
    if (isOwn && !["drawing", "checking"].includes(state.phase)) {
      this.#show(state.phase, state.path.length > 0 ? state.path : this.tracker.path);
      this.drop();
    } else if (isOwn && !isPrefix(state.path, this.tracker.path)) {
      this.drop();
    }
  }

  /** @param {object} verdict on a stroke of this member's */
  takeVerdict({ stroke, outcome, retryAfterMs }) {
    this.lock(retryAfterMs);
    const path = stroke === this.stroke ? this.tracker.path : (this.result?.path ?? []);
    this.#show(outcome, outcome === "lockedOut" ? [] : path);
    if (stroke === this.stroke) this.drop();
  }

  #show(phase, path) {
    this.result = { phase, path: [...path], until: this.now() + RESULT_SHOWN };
  }

  /** @returns {Picture} what is to be seen now */
  get picture() {
    if (this.stroke !== 0) {
      const { tracker } = this;
      return {
        path: tracker.path, phase: tracker.isDrawing ? "drawing" : "checking",
        tail: tracker.showsTail ? tracker.pointer : null,
      };
    }
    const { result, state } = this;
    const isNewer = state?.phase === "drawing";
    if (result !== null && !isNewer && this.now() < result.until) {
      return { path: result.path, phase: result.phase, tail: null };
    }
    if (state === null) return { path: [], phase: "idle", tail: null };
    return {
      path: state.path, phase: state.phase,
      tail: state.tail && !state.hidden ? { x: state.x, y: state.y } : null,
    };
  }

  /** Milliseconds until the picture changes by itself, or null. */
  get changesAfter() {
    return this.result === null ? null : Math.max(0, this.result.until - this.now());
  }
}
