// What a page, a network and a clock are to the client library, in the hands of a test.
import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { DrawboltClient } from "../../web/drawbolt.js";

// Debian 12's node has these, but not as globals.
globalThis.crypto ??= webcrypto;
globalThis.CustomEvent ??= class extends Event {
  constructor(type, { detail = null } = {}) {
    super(type);
    this.detail = detail;
  }
};

const file = new URL("../Vectors/wire.json", import.meta.url);
export const vectors = JSON.parse(readFileSync(file, "utf8"));

/** A message of the golden vectors, with some fields changed. */
export function golden(name, changes = {}) {
  const vector = vectors.server.find((one) => one.name === name);
  return { ...JSON.parse(vector.text), ...changes };
}

/** A binary state of a 3×3 pad. */
export function stateFrame({ version = 1, phase = 1, flags = 1, stroke = 1, path = [] } = {}) {
  const view = new DataView(new ArrayBuffer(14 + path.length));
  view.setUint8(0, 0x81);
  view.setUint8(1, phase);
  view.setUint8(2, flags);
  view.setUint16(3, stroke, true);
  view.setUint32(5, version, true);
  view.setUint8(13, path.length);
  path.forEach((node, index) => view.setUint8(14 + index, node));
  return view.buffer;
}

/** Time that passes only when told to. */
export class FakeClock {
  time = 1000;
  #timers = new Map();
  #next = 1;

  now() {
    return this.time;
  }

  setTimeout(work, delay) {
    this.#timers.set(this.#next, { at: this.time + delay, work });
    return this.#next++;
  }

  clearTimeout(timer) {
    this.#timers.delete(timer);
  }

  get waiting() {
    return this.#timers.size;
  }

  /** Lets so many milliseconds pass and does what comes due, in order. */
  pass(milliseconds) {
    const end = this.time + milliseconds;
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= end)
        .sort(([, a], [, b]) => a.at - b.at)[0];
      if (due === undefined) break;
      const [id, { at, work }] = due;
      this.#timers.delete(id);
      this.time = Math.max(this.time, at);
      work();
    }
    this.time = end;
  }
}

/** A socket whose other end is the test. */
export class FakeSocket {
  static made = [];
  readyState = 0;
  sent = [];
  closedWith = null;

  constructor(url, protocol) {
    Object.assign(this, { url, protocol });
    FakeSocket.made.push(this);
  }

  send(data) {
    if (this.readyState !== 1) throw new Error("not open");
    this.sent.push(data);
  }

  close(code) {
    this.closedWith = code;
    this.readyState = 3;
  }

  /** The other end accepts. */
  open() {
    this.readyState = 1;
    this.onopen?.();
  }

  /** The other end says something. */
  say(message) {
    const isBytes = message instanceof ArrayBuffer;
    this.onmessage?.({ data: isBytes ? message : JSON.stringify(message) });
  }

  /** The other end, or the network, closes. */
  end(code, reason = "") {
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }

  get texts() {
    return this.sent.filter((data) => typeof data === "string").map((data) => JSON.parse(data));
  }

  /** Binary frames in hexadecimal. */
  get frames() {
    return this.sent.filter((data) => typeof data !== "string")
      .map((data) => Buffer.from(data).toString("hex"));
  }
}

/** A `window` with a document that can be hidden. */
export class FakePage extends EventTarget {
  document = Object.assign(new EventTarget(), { visibilityState: "visible" });

  tell(type) {
    this.dispatchEvent(new Event(type));
  }

  show(isVisible) {
    this.document.visibilityState = isVisible ? "visible" : "hidden";
    this.document.dispatchEvent(new Event("visibilitychange"));
  }
}

/** `sessionStorage` as a map. */
export class FakeStorage {
  constructor(entries = {}) {
    this.entries = new Map(Object.entries(entries));
  }

  getItem(name) {
    return this.entries.get(name) ?? null;
  }

  setItem(name, value) {
    this.entries.set(name, String(value));
  }

  removeItem(name) {
    this.entries.delete(name);
  }
}

/** A client in a world of fakes, with the log of its events. */
export function makeWorld(options = {}) {
  FakeSocket.made = [];
  const world = {
    clock: new FakeClock(), page: new FakePage(), storage: new FakeStorage(), chance: 0, log: [],
    get socket() {
      return FakeSocket.made[FakeSocket.made.length - 1];
    },
    get sockets() {
      return FakeSocket.made.length;
    },
  };
  const client = new DrawboltClient({
    room: "board:lesson", role: "controller", url: "ws://test/ws", WebSocket: FakeSocket,
    clock: world.clock, page: world.page, storage: world.storage, random: () => world.chance,
    ...options,
  });
  const types = ["status", "welcome", "state", "verdict", "lockout", "members", "pen", "error", "offer", "grant"];
  for (const type of types) {
    client.addEventListener(type, ({ detail }) => world.log.push({ type, ...detail, event: type }));
  }
  return Object.assign(world, { client });
}

/** The same, connected and welcomed. */
export function makeConnected(options = {}, welcome = {}) {
  const world = makeWorld(options);
  world.client.connect();
  world.socket.open();
  world.socket.say(golden("welcomeBoard", welcome));
  return world;
}

/** Lets microtasks run. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));
