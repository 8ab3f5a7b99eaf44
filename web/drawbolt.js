// The client library: one connection to one room of a Drawbolt server, kept alive.
// It knows the protocol and no page; pages draw what its events say. What it imports is beside it.

import { Acknowledger } from "./acknowledger.js";
import { Backoff } from "./backoff.js";
import {
  DeviceToken, ResumeKey, followPage, ownAddress, storageOf, systemClock,
} from "./environment.js";
import { StrokeSender } from "./stroke-sender.js";
import {
  SUBPROTOCOL, decodeState, encodeAck, encodeSamples, parseMessage, shouldReconnect,
} from "./wire.js";

/** A connection that does not come up is not waited for longer, in milliseconds. */
const COMES_UP_IN = 15_000;

/**
 * @typedef {Object} Options
 * @property {string} room a lock's id, or `board:NAME`
 * @property {"controller"|"viewer"|"actuator"} [role] default `viewer`
 * @property {string} [name] what the member calls itself
 * @property {string} [url] the WebSocket's address; default is `/ws` on the page's own host
 * @property {number} [maxRate] at most this many states a second, 1 … 240
 * @property {boolean} [acks] default true: acknowledges states, so that a stalled network holds few
 * @property {string|function(): (string|undefined|Promise<string>)} [token] or who gives one each time
 * @property {typeof WebSocket} [WebSocket] for tests
 * @property {Storage|null} [storage] keeps the resume key; default `sessionStorage` where there is one
 * @property {Storage|null} [devices] keeps what this device is trusted by; default `localStorage`; with
 *   null it is trusted by nothing, as befits a device that many use
 * @property {import("./environment.js").Clock} [clock] for tests
 * @property {function(): number} [random] for tests
 * @property {EventTarget|null} [page] tells online, offline, pagehide; default `window`
 *
 * @typedef {import("./stroke-sender.js").TimedPoint} TimedPoint
 */

/** Messages whose event has another name. */
const EVENT_NAMES = { "grant.offer": "offer" };

/**
 * A member of a room.
 *
 * Events carry their message as `detail`: `status` ({status, reason}), `welcome`, `state`, `verdict`,
 * `lockout`, `device`, `members`, `pen`, `enrol`, `error`, `offer`, `grant`, `goaway`. `status` is
 * `connecting`, `connected`, `reconnecting` (by itself, with backoff) or `disconnected` (for good, until
 * `connect()`). A stroke ends with its connection: what follows of it is not sent.
 */
export class DrawboltClient extends EventTarget {
  /** @param {Options} options */
  constructor(options) {
    super();
    this.options = { role: "viewer", acks: true, ...options };
    /** @type {"disconnected"|"connecting"|"connected"|"reconnecting"} */
    this.status = "disconnected";
    /** Why the status is what it is, in a few words. */
    this.reason = "";
    /** @type {object|null} the newest `welcome` */
    this.welcome = null;
    this.clock = options.clock ?? systemClock();
    this.random = options.random ?? Math.random;
    this.#backoff = new Backoff(this.clock, this.random);
    this.page = options.page === undefined ? (globalThis.window ?? null) : options.page;
    const storage = options.storage === undefined ? storageOf("sessionStorage") : options.storage;
    const { room, role } = this.options;
    this.#resume = new ResumeKey(storage, `drawbolt.resume ${role} ${room}`);
    const devices = options.devices === undefined ? storageOf("localStorage") : options.devices;
    this.#keepsDevice = role === "controller" && devices !== null;
    this.#device = new DeviceToken(devices, `drawbolt.device ${options.url ?? ""} ${room}`);
    // A random beginning, since a verdict may reach a page that was loaded anew in the meantime.
    const first = Math.floor(this.random() * 1000);
    this.#sender = new StrokeSender((batch) => this.#write(encodeSamples(batch)), first);
    this.#acknowledger = new Acknowledger(this.clock, (version) => this.#write(encodeAck(version)));
  }

  #socket = null;
  #sender;
  #acknowledger;
  #resume;
  #device;
  #keepsDevice;
  #backoff;
  #deadAt = Infinity;
  #timers = { retry: null, dead: null };
  /** @type {AbortController|null} */
  #following = null;

  /** The number of the stroke in progress, or 0. */
  get stroke() {
    return this.#sender.stroke;
  }

  /** Connects, and stays connected until `disconnect()` or a refusal. */
  connect() {
    if (this.#socket !== null) return;
    if (this.page !== null) this.#following ??= this.#followPage();
    this.#open();
  }

  /** Says good-bye and stays away. */
  disconnect() {
    this.#detach(1000);
    this.#stop("bye");
  }

  /**
   * Begins a stroke and returns its number, or 0 when there is no connection.
   * @param {TimedPoint} point
   */
  press(point) {
    return this.status === "connected" ? this.#sender.press(point) : 0;
  }

  /** @param {TimedPoint[]} points goes on with the stroke through these */
  move(points) {
    this.#sender.move(points);
  }

  /** @param {TimedPoint} [point] where the pointer was lifted; the stroke is over */
  release(point) {
    this.#sender.release(point);
  }

  /** Gives the stroke up. */
  cancel() {
    this.#sender.cancel();
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
    this.#write(JSON.stringify(message));
  }

  /** @param {string|Uint8Array} data */
  #write(data) {
    if (this.#socket?.readyState === 1) this.#socket.send(data);
  }

  // The connection's life.

  #open() {
    this.#clear("retry");
    this.#resume.takeUp();
    this.#setStatus(this.welcome === null ? "connecting" : "reconnecting", "");
    const Socket = this.options.WebSocket ?? WebSocket;
    const socket = new Socket(this.options.url ?? ownAddress(), SUBPROTOCOL);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#expect(COMES_UP_IN);
    socket.onopen = () => this.#sayHello(socket);
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ code, reason }) => this.#closed(code, reason);
  }

  async #sayHello(socket) {
    const { room, role, name, maxRate, acks } = this.options;
    let { token } = this.options;
    if (typeof token === "function") {
      token = await Promise.resolve().then(token).catch(() => null);
      if (this.#socket !== socket) return;
      if (token === null) return this.#lost("no token");
    }
    const resume = this.#resume.value;
    const device = this.#keepsDevice ? this.#device.value : undefined;
    this.send({ type: "hello", room, role, token, name, maxRate, acks, resume, device });
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
    if (message === null || (message.type === "verdict" && !this.#sender.isNews(message))) return;
    if (message.type === "welcome") this.#welcomed(message);
    else if (message.type === "goaway") this.#backoff.advise(message.reconnectAfterMs);
    else if (message.type === "error") this.#refused(message);
    else if (message.type === "device" && this.#keepsDevice) this.#device.value = message.token;
    this.#tell(EVENT_NAMES[message.type] ?? message.type, message);
    // Only now, since what is acknowledged has been shown.
    if (message.type === "state" && this.options.acks) this.#acknowledger.shown(message.version);
  }

  #welcomed(welcome) {
    this.welcome = welcome;
    this.#backoff.connected();
    this.#resume.value = welcome.resume;
    this.#sender.most = welcome.limits.samplesPerFrame ?? 64;
    this.#expect(1500 * welcome.pingSeconds);
    this.#setStatus("connected", "");
  }

  /** The server drops the rest of such a stroke, so it need not be sent. */
  #refused({ code }) {
    if (code === "penBusy" || code === "rate") this.#sender.abandon();
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
    else this.#stop(reason || `closed with ${code}`);
  }

  /** Stays away, and listens to the page no more. */
  #stop(reason) {
    this.#following?.abort();
    this.#following = null;
    this.welcome = null;
    this.#backoff.reset();
    this.#setStatus("disconnected", reason);
  }

  /** Gives the connection up without waiting for its close handshake. */
  #lost(reason) {
    this.#detach(1000);
    this.#retryLater(reason);
  }

  #retryLater(reason) {
    this.#timers.retry = this.clock.setTimeout(() => this.#open(), this.#backoff.next());
    this.#setStatus("reconnecting", reason);
  }

  #detach(code) {
    for (const timer of Object.keys(this.#timers)) this.#clear(timer);
    const socket = this.#socket;
    this.#socket = null;
    this.#sender.abandon();
    this.#acknowledger.reset();
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    if (code !== undefined) socket.close(code);
  }

  #clear(timer) {
    if (this.#timers[timer] !== null) this.clock.clearTimeout(this.#timers[timer]);
    this.#timers[timer] = null;
  }

  #followPage() {
    return followPage(this.page, {
      offline: () => this.#socket && this.#lost("offline"),
      wake: () => this.#wake(),
      leave: () => {
        this.#resume.leave();
        if (this.#socket !== null) this.#lost("page hidden");
      },
    });
  }

  /** Comes back at once if it was only waiting, or finds out that the link died in its sleep. */
  #wake() {
    if (this.#timers.retry !== null) this.#open();
    else if (this.#timers.dead !== null) {
      this.#clear("dead");
      this.#checkLife();
    }
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
