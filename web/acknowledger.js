// Tells the server which state was shown last, seldom enough to cost nothing.

/** At the latest after so many states … */
const EVERY = 16;
/** … and so many milliseconds after the first that is not acknowledged. */
const AFTER = 250;

/** Gathers versions and sends the newest. */
export class Acknowledger {
  /**
   * @param {import("./environment.js").Clock} clock
   * @param {function(number): void} send acknowledges a version
   */
  constructor(clock, send) {
    this.clock = clock;
    this.send = send;
  }

  #version = null;
  #count = 0;
  #timer = null;

  /** @param {number} version of the state that was just shown */
  shown(version) {
    this.#version = version;
    this.#count += 1;
    if (this.#count >= EVERY) this.#flush();
    else this.#timer ??= this.clock.setTimeout(() => this.#flush(), AFTER);
  }

  /** Forgets what is open: the connection is gone. */
  reset() {
    if (this.#timer !== null) this.clock.clearTimeout(this.#timer);
    this.#timer = null;
    this.#version = null;
    this.#count = 0;
  }

  #flush() {
    const version = this.#version;
    this.reset();
    this.send(version);
  }
}
