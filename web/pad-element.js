// <drawbolt-pad room="demo">: a pad that is drawn on, or with as="viewer" one that mirrors.

import { DrawboltClient } from "./drawbolt.js";
import { KeyboardInput, PointerInput, hasDigits } from "./pad-input.js";
import { PadSession } from "./pad-session.js";
import { PadView } from "./pad-view.js";
import { isBoard, language, refusalText, text } from "./strings.js";

/** How long a press on a node is felt, in milliseconds, where the device can. */
const BUZZ = 15;

/** Browsers refuse it, and complain, before the page was touched: after a reload, say. */
function vibrate(pattern) {
  if (navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.(pattern);
}

/** `1:05`, `2:00:00` for a countdown. @param {number} milliseconds */
export function clockText(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  const hours = Math.floor(seconds / 3600);
  if (hours > 0) parts.unshift(hours);
  return parts.map((part, index) => String(part).padStart(index > 0 ? 2 : 1, "0")).join(":");
}

/** How long a refusal is said, in milliseconds: what it tells may not be true for longer. */
const NOTE_SHOWN = 3000;

/**
 * Attributes, read when the element enters a page: `room` (default `demo`), `as` (`controller`, the
 * default, draws; `viewer` mirrors), `name`, `max-rate`, `src` (the WebSocket's address), `token`; a
 * property `token` may be a function too, as the client takes it. Events:
 * those of its client, at `element.client`. `role` is left to assistive technology.
 */
export class DrawboltPad extends HTMLElement {
  #session = null;
  #view;
  #status;
  #live;
  #help;
  #refusal = null;
  #penName = null;
  /** The code of an error that is said for a while. */
  #note = null;
  #noteUntil = 0;
  #timer = null;
  #count = 0;
  #said = 0;
  #spoken = "";
  #hasHands = false;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = document.createElement("link");
    sheet.rel = "stylesheet";
    sheet.href = new URL("./pad-element.css", import.meta.url).href;
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.#status = Object.assign(document.createElement("p"), { className: "status" });
    // What is spoken says the same, and is not said anew every second.
    this.#status.setAttribute("aria-hidden", "true");
    this.#live = Object.assign(document.createElement("p"), { className: "spoken" });
    this.#live.setAttribute("aria-live", "polite");
    this.#help = Object.assign(document.createElement("p"), { className: "help", id: "help" });
    root.append(sheet, svg, this.#status, this.#help, this.#live);
    this.#view = new PadView(svg);
  }

  /** Whether strokes can be drawn here. */
  get draws() {
    return this.getAttribute("as") !== "viewer";
  }

  get #room() {
    return this.getAttribute("room") ?? "demo";
  }

  connectedCallback() {
    if (this.client) return;
    this.lang ||= language;
    this.client = new DrawboltClient({
      room: this.#room, role: this.draws ? "controller" : "viewer",
      name: this.getAttribute("name") ?? undefined, url: this.getAttribute("src") ?? undefined,
      maxRate: Number(this.getAttribute("max-rate")) || undefined,
      devices: this.hasAttribute("shared") ? null : undefined,
      token: this.token ?? this.getAttribute("token") ?? undefined,
    });
    if (this.draws && !this.#hasHands) this.#listenToHands();
    for (const [type, take] of Object.entries(this.#handlers())) {
      this.client.addEventListener(type, ({ detail }) => {
        take(detail);
        this.#show();
      });
    }
    this.client.connect();
    this.#show();
  }

  disconnectedCallback() {
    this.client?.disconnect();
    this.client = null;
    clearTimeout(this.#timer);
  }

  #handlers() {
    return {
      status: ({ status }) => {
        if (status !== "connected") this.#session?.drop();
        if (status === "connecting") this.#refusal = null;
      },
      welcome: (welcome) => this.#welcomed(welcome),
      state: (state) => {
        if (this.#note === "penBusy" && state.phase !== this.#session?.state.phase) this.#note = null;
        this.#session?.takeState(state);
      },
      verdict: (verdict) => {
        this.#note = null;
        if (verdict.opened !== undefined) this.#session?.takeOpening(verdict);
        else this.#session?.takeVerdict(verdict);
        if (verdict.outcome === "rejected") vibrate([40, 60, 40]);
      },
      lockout: ({ retryAfterMs }) => this.#session?.lock(retryAfterMs),
      pen: ({ holder, name }) => {
        this.#penName = holder ? (name ?? text("somebody")) : null;
      },
      error: (error) => {
        if (this.client.welcome === null || error.code === "badToken") {
          this.#refusal = refusalText(error, this.#room);
        }
        if (error.code !== "penBusy" && error.code !== "rate") return;
        this.#session?.drop();
        this.#note = error.code;
        this.#noteUntil = performance.now() + NOTE_SHOWN;
      },
    };
  }

  #welcomed(welcome) {
    const svg = this.#view.svg;
    const { columns, rows } = welcome.pad;
    this.#view.setPad(welcome.pad);
    svg.setAttribute("aria-label", text("padLabel", { columns, rows }));
    svg.setAttribute("role", this.draws ? "application" : "img");
    this.#session = new PadSession(welcome.pad);
    this.#session.takeState(welcome.state);
    this.#session.lock(welcome.retryAfterMs ?? 0);
    this.#help.textContent = this.draws ? text(hasDigits(welcome.pad) ? "padHelpDigits" : "padHelp") : "";
    this.#note = null;
  }

  #listenToHands() {
    this.#hasHands = true;
    this.#view.svg.setAttribute("tabindex", "0");
    this.#view.svg.setAttribute("aria-describedby", "help");
    const hand = {
      press: (point) => this.#press(point),
      move: (points) => {
        this.client.move(points);
        this.#feel(this.#session.move(points));
        this.#show();
      },
      release: (point) => {
        this.#session.release(point);
        this.client.release(point);
        this.#show();
      },
      cancel: () => {
        this.client.cancel();
        this.#session.cancel();
        this.#show();
      },
      isDrawing: () => this.#session?.isDrawing === true,
      hover: (node) => this.#speakPlace(node),
      added: () => {
        if (this.#session.isHeldBack) return;
        const isNew = this.#count > this.#said;
        this.#said = this.#count;
        this.#live.textContent = text(isNew ? "dots" : "usedDot", { count: this.#count });
      },
    };
    // In this order: a press gives up the keyboard's stroke before it begins its own.
    new KeyboardInput(this.#view, hand);
    new PointerInput(this.#view, hand);
  }

  #press(point) {
    const session = this.#session;
    if (session === null || session.isDrawing) return false;
    const stroke = this.client.press(point);
    if (stroke === 0) return false;
    this.#note = null;
    this.#count = this.#said = 0;
    this.#feel(session.press(stroke, point));
    this.#show();
    return true;
  }

  #feel(steps) {
    const entered = steps.filter(({ type }) => type === "entered").length;
    this.#count += entered;
    if (entered > 0 && !this.#session.isHeldBack) vibrate(BUZZ);
  }

  /** Where the arrow keys went, since without it nobody finds the way. */
  #speakPlace(node) {
    const { columns } = this.#view.pad;
    this.#live.textContent = text("onNode", {
      row: Math.floor(node / columns) + 1, column: (node % columns) + 1,
    });
  }

  #show() {
    clearTimeout(this.#timer);
    const session = this.#session;
    // A lost connection is no wrong pattern, and must not look like one.
    const isThere = this.client?.status === "connected";
    const isLocked = this.draws && session !== null && session.lockedFor > 0;
    const noteLeft = this.#note === null ? Infinity : this.#noteUntil - performance.now();
    if (noteLeft <= 0) this.#note = null;
    this.#view.svg.classList.toggle("off", !isThere);
    this.#view.svg.classList.toggle("locked", isLocked);
    const picture = session?.picture ?? { path: [], phase: "idle", tail: null };
    this.#view.show(picture);
    const phase = session?.isPast ? "idle" : picture.phase;
    this.#status.textContent = this.#statusText(phase, isLocked);
    this.#status.dataset.phase = !isThere ? "off" : isLocked ? "lockedOut"
      : this.#note !== null ? "note" : phase;
    this.#announce([this.client?.status, this.#status.dataset.phase, this.#note, session?.opened].join());
    const isCounted = isLocked && session.lockedFor < Infinity;
    const tick = isCounted ? session.lockedFor % 1000 || 1000 : Infinity;
    const waits = [session?.changesAfter ?? Infinity, tick, noteLeft];
    const delay = Math.min(...waits.filter((wait) => wait > 0));
    if (delay < Infinity) this.#timer = setTimeout(() => this.#show(), delay + 5);
  }

  /** Says the status once for each thing that happened: a countdown must not talk every second. */
  #announce(event) {
    if (event === this.#spoken) return;
    this.#spoken = event;
    this.#live.textContent = this.#status.textContent;
  }

  #statusText(phase, isLocked) {
    const status = this.client?.status ?? "disconnected";
    if (status === "disconnected" && this.#refusal !== null) return this.#refusal;
    if (status !== "connected") return text(status, { reason: this.client?.reason ?? "" });
    if (isLocked) {
      const left = this.#session.lockedFor;
      return left === Infinity ? text("lockedForGood") : text("lockedOut", { time: clockText(left) });
    }
    if (this.#note === "rate") return text("rate");
    if (phase === "idle" || phase === "lockedOut") {
      return text(!this.draws ? "watching" : isBoard(this.#room) ? "readyBoard" : "ready");
    }
    const { opened, isOthers } = this.#session;
    if (phase === "accepted" && opened !== null) return text(opened ? "opened" : "notOpened");
    // A refused press says the same: who it is that draws.
    if (this.#note === "penBusy" || (phase === "drawing" && isOthers)) {
      return text("drawingBy", { name: this.#penName ?? text("somebody") });
    }
    return text(phase, { count: this.client.welcome?.pad.minimumNodes ?? 4 });
  }
}

if (!customElements.get("drawbolt-pad")) customElements.define("drawbolt-pad", DrawboltPad);
