// When a connection that was lost is tried again.

const FIRST = 500;
const MOST = 30_000;
/** A connection that lasted so long was a good one: the next backoff begins anew. */
const GOOD_AFTER = 5000;

/** Full jitter: many clients that were cut off together must not come back together. */
export class Backoff {
  #clock;
  #random;
  #attempts = 0;
  #window = 0;
  #connectedAt = Infinity;

  /** @param {import("./environment.js").Clock} clock @param {function(): number} random 0 … 1 */
  constructor(clock, random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The connection is there. */
  connected() {
    this.#window = 0;
    this.#connectedAt = this.#clock.now();
  }

  /** @param {number} milliseconds within which the server wants its clients back */
  advise(milliseconds) {
    this.#window = milliseconds;
  }

  /** @returns {number} the milliseconds to wait now that the connection is lost or did not come up */
  next() {
    if (this.#clock.now() - this.#connectedAt >= GOOD_AFTER) this.#attempts = 0;
    this.#connectedAt = Infinity;
    const delay = this.#random() * (this.#window || Math.min(MOST, FIRST * 2 ** this.#attempts));
    this.#attempts += 1;
    this.#window = 0;
    return delay;
  }

  /** The next connection is a first one. */
  reset() {
    this.#attempts = 0;
  }
}
