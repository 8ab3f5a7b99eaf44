// The client library: one connection to one room of a Drawbolt server, kept alive.
// It knows the protocol and no page; pages draw what its events say. It needs wire.js, wire-fields.js
// and environment.js beside it.

import { ownAddress, ownStorage, systemClock } from "./environment.js";
import {
  SUBPROTOCOL, decodeState, encodeAck, encodeSamples, parseMessage, shouldReconnect,
} from "./wire.js";

const ACK_EVERY = 16;
const ACK_AFTER = 250;
const BACKOFF_FIRST = 500;
const BACKOFF_MOST = 30_000;
const LAST_STROKE = 65_535;

/**
 * @typedef {Object} Options
 * @property {string} room a lock's id, or `board:NAME`
 * @property {"controller"|"viewer"|"actuator"} [role] default `viewer`
 * @property {string} [name] what the member calls itself
 * @property {string} [url] the WebSocket's address; default is `/ws` on the page's own host
 * @property {number} [maxRate] at most this many states a second, 1 … 240
 * @property {typeof WebSocket} [WebSocket] for tests
 * @property {Storage|null} [storage] keeps the resume key; default `sessionStorage` where there is one
 * @property {Clock} [clock] for tests
 * @property {function(): number} [random] for tests
 * @property {EventTarget|null} [page] tells online, offline, pagehide; default `window`
 *
 * @typedef {Object} Clock
 * @property {function(): number} now milliseconds
 * @property {function(function(): void, number): any} setTimeout
 * @property {function(any): void} clearTimeout
 *
 * @typedef {{x: number, y: number, time: number}} TimedPoint whole units and milliseconds
 */

/**
 * A member of a room.
 *
 * Events carry their message as `detail`: `status` ({status, reason}), `welcome`, `state`, `verdict`,
 * `members`, `pen`, `error`, `grant.offer`, `grant`. `status` is `connecting`, `connected`,
 * `reconnecting` (by itself, with backoff) or `disconnected` (for good, until `connect()`).
 */
export class DrawboltClient extends EventTarget {
  /** @param {Options} options */
  constructor(options) {
    super();
    this.options = { role: "viewer", ...options };
    /** @type {"disconnected"|"connecting"|"connected"|"reconnecting"} */
    this.status = "disconnected";
    /** Why the status is what it is, in a few words. */
    this.reason = "";
    /** @type {object|null} the newest `welcome` */
    this.welcome = null;
    /** The number of the stroke in progress, or 0. */
    this.stroke = 0;
    this.clock = options.clock ?? systemClock();
    this.random = options.random ?? Math.random;
    this.storage = options.storage === undefined ? ownStorage() : options.storage;
    this.page = options.page === undefined ? (globalThis.window ?? null) : options.page;
    this.#strokes = Math.floor(this.random() * 1000);
  }

  #socket = null;
  #attempts = 0;
  #strokes;
  #sampleTime = 0;
  #window = 0;
  #deadAt = Infinity;
  #toAck = null;
  #unacknowledged = 0;
  #timers = { retry: null, dead: null, ack: null };
  #isListening = false;

  /** Connects, and stays connected until `disconnect()` or a refusal. */
  connect() {
    if (this.#socket !== null) return;
    this.#listenToPage();
    this.#open();
  }

  /** Says good-bye and stays away. */
  disconnect() {
    this.#detach(1000);
    this.#setStatus("disconnected", "bye");
  }

  /**
   * Begins a stroke and returns its number, or 0 when there is no connection.
   * @param {TimedPoint} point
   */
  press(point) {
    if (this.status !== "connected") return 0;
    this.#strokes = (this.#strokes % LAST_STROKE) + 1;
    this.stroke = this.#strokes;
    this.#sampleTime = point.time;
    this.#sendSamples("press", [point]);
    return this.stroke;
  }

  /** @param {TimedPoint[]} points goes on with the stroke through these */
  move(points) {
    const most = this.welcome?.limits.samplesPerFrame ?? 64;
    for (let start = 0; start < points.length; start += most) {
      this.#sendSamples("move", points.slice(start, start + most));
    }
  }

  /** @param {TimedPoint} [point] where the pointer was lifted */
  release(point) {
    this.#sendSamples("release", point ? [point] : []);
    this.stroke = 0;
  }

  /** Gives the stroke up. */
  cancel() {
    this.#sendSamples("cancel", []);
    this.stroke = 0;
  }

  /** @param {"request"|"release"|"take"|{give: string}} command about the right to draw */
  pen(command) {
    if (typeof command === "string") this.send({ type: `pen.${command}` });
    else this.send({ type: "pen.give", member: command.give });
  }

  /** @param {string} id @param {string} nonce takes up an offered grant */
  claim(id, nonce) {
    this.send({ type: "grant.claim", id, nonce });
  }

  /** @param {object} message sends a text message, if there is a connection */
  send(message) {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(message));
  }

  #sendSamples(action, points) {
    if (this.stroke === 0 || this.#socket?.readyState !== 1) return;
    const samples = points.map(({ x, y, time }) => {
      const elapsed = time - this.#sampleTime;
      this.#sampleTime = time;
      return { elapsed, x, y };
    });
    this.#socket.send(encodeSamples({ stroke: this.stroke, action, samples }));
  }

  // The connection's life.

  #open() {
    this.#clear("retry");
    this.#setStatus(this.welcome === null ? "connecting" : "reconnecting", "");
    const Socket = this.options.WebSocket ?? WebSocket;
    const socket = new Socket(this.options.url ?? ownAddress(), SUBPROTOCOL);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    // A connection that does not come up must not be waited for longer than for a silent one.
    this.#expect(15_000);
    socket.onopen = () => this.#sayHello();
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ code, reason }) => this.#closed(code, reason);
  }

  #sayHello() {
    const { room, role, name, maxRate } = this.options;
    const resume = this.storage?.getItem(this.#resumeName) ?? undefined;
    this.send({ type: "hello", room, role, name, maxRate, acks: true, resume });
  }

  get #resumeName() {
    return `drawbolt.resume ${this.options.role} ${this.options.room}`;
  }

  #receive(data) {
    this.#expect(1500 * (this.welcome?.pingSeconds ?? 20));
    let message;
    try {
      message = typeof data === "string"
        ? parseMessage(data, this.welcome?.pad.nodes.length)
        : decodeState(data, this.welcome?.pad.nodes.length);
    } catch (error) {
      this.#lost(`not understood: ${error.message}`);
      return;
    }
    if (message === null) return;
    if (message.type === "welcome") this.#welcomed(message);
    else if (message.type === "state") this.#acknowledgeLater(message.version);
    else if (message.type === "goaway") this.#window = message.reconnectAfterMs;
    this.#tell(message.type, message);
  }

  #welcomed(welcome) {
    this.welcome = welcome;
    this.#attempts = 0;
    this.#window = 0;
    this.#unacknowledged = 0;
    this.storage?.setItem(this.#resumeName, welcome.resume);
    this.#expect(1500 * welcome.pingSeconds);
    this.#setStatus("connected", "");
  }

  #acknowledgeLater(version) {
    this.#toAck = version;
    this.#unacknowledged += 1;
    if (this.#unacknowledged >= ACK_EVERY) this.#acknowledge();
    else this.#timers.ack ??= this.clock.setTimeout(() => this.#acknowledge(), ACK_AFTER);
  }

  #acknowledge() {
    this.#clear("ack");
    if (this.#toAck !== null && this.#socket?.readyState === 1) {
      this.#socket.send(encodeAck(this.#toAck));
    }
    this.#toAck = null;
    this.#unacknowledged = 0;
  }

  /** The link counts as dead when nothing comes for so long. */
  #expect(milliseconds) {
    this.#deadAt = this.clock.now() + milliseconds;
    this.#timers.dead ??= this.clock.setTimeout(() => this.#checkLife(), milliseconds);
  }

  #checkLife() {
    this.#timers.dead = null;
    const left = this.#deadAt - this.clock.now();
    if (left > 0) this.#timers.dead = this.clock.setTimeout(() => this.#checkLife(), left);
    else if (this.#socket !== null) this.#lost("silence");
  }

  #closed(code, reason) {
    this.#detach();
    if (shouldReconnect(code)) this.#retryLater(reason || `closed with ${code}`);
    else this.#setStatus("disconnected", reason || `closed with ${code}`);
  }

  /** Gives the connection up without waiting for its close handshake. */
  #lost(reason) {
    this.#detach(1000);
    this.#retryLater(reason);
  }

  #retryLater(reason) {
    // Full jitter: many clients that were cut off together must not come back together.
    const backoff = Math.min(BACKOFF_MOST, BACKOFF_FIRST * 2 ** this.#attempts);
    const delay = this.random() * Math.max(this.#window, backoff);
    this.#attempts += 1;
    this.#window = 0;
    this.#timers.retry = this.clock.setTimeout(() => this.#open(), delay);
    this.#setStatus("reconnecting", reason);
  }

  #detach(code) {
    for (const timer of Object.keys(this.#timers)) this.#clear(timer);
    const socket = this.#socket;
    this.#socket = null;
    this.stroke = 0;
    this.#toAck = null;
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    if (code !== undefined) socket.close(code);
  }

  #clear(timer) {
    if (this.#timers[timer] !== null) this.clock.clearTimeout(this.#timers[timer]);
    this.#timers[timer] = null;
  }

  #listenToPage() {
    if (this.#isListening || this.page === null) return;
    this.#isListening = true;
    this.page.addEventListener("offline", () => {
      if (this.#socket !== null) this.#lost("offline");
    });
    this.page.addEventListener("online", () => this.#retryNow());
    this.page.addEventListener("pageshow", () => this.#retryNow());
    this.page.addEventListener("pagehide", () => {
      if (this.#socket !== null) this.#lost("page hidden");
    });
    this.page.document?.addEventListener("visibilitychange", () => {
      if (this.page.document.visibilityState === "visible") this.#retryNow();
    });
  }

  /** Comes back at once if it was only waiting. */
  #retryNow() {
    if (this.#timers.retry !== null) this.#open();
  }

  #setStatus(status, reason) {
    if (this.status === status && reason === "") return;
    this.status = status;
    this.reason = reason;
    this.#tell("status", { status, reason });
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
