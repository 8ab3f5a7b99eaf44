// What the client library takes from the page that it runs in.

/** @returns {string} the server's WebSocket on the host that the page came from */
export const ownAddress = () => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;

/**
 * @typedef {Object} Clock
 * @property {function(): number} now milliseconds
 * @property {function(function(): void, number): any} setTimeout
 * @property {function(any): void} clearTimeout
 */

/** @returns {Clock} */
export const systemClock = () => ({
  now: () => performance.now(),
  setTimeout: (work, delay) => setTimeout(work, delay),
  clearTimeout: (timer) => clearTimeout(timer),
});

/**
 * @param {"localStorage"|"sessionStorage"} name
 * @returns {Storage|null} null where it is missing or forbidden
 */
export function storageOf(name) {
  try {
    return globalThis[name] ?? null;
  } catch {
    return null;
  }
}

/**
 * What a lock trusts this device by. It lies in the storage, since it must outlive the page; without a
 * storage it lasts as long as the page.
 */
export class DeviceToken {
  /** @param {Storage|null} storage @param {string} name the entry in the storage */
  constructor(storage, name) {
    this.storage = storage;
    this.name = name;
    /** @type {string|undefined} */
    this.held = undefined;
  }

  /** The newest, also if another page of this device got it. */
  get value() {
    try {
      return this.storage?.getItem(this.name) ?? this.held;
    } catch {
      return this.held;
    }
  }

  set value(token) {
    this.held = token;
    try {
      this.storage?.setItem(this.name, token);
    } catch {
      // Full or forbidden.
    }
  }
}

/**
 * The secret that gives a member its place back. It is held in memory and lies in the storage only
 * while the page is away: a duplicated tab copies the storage, and must not push the first one out.
 */
export class ResumeKey {
  /** @param {Storage|null} storage @param {string} name the entry in the storage */
  constructor(storage, name) {
    this.storage = storage;
    this.name = name;
    /** @type {string|undefined} */
    this.value = undefined;
  }

  /** Takes up what an earlier page of this tab left. */
  takeUp() {
    this.#try((storage) => {
      this.value ??= storage.getItem(this.name) ?? undefined;
      storage.removeItem(this.name);
    });
  }

  /** Leaves the key for the tab's next page. */
  leave() {
    if (this.value !== undefined) this.#try((storage) => storage.setItem(this.name, this.value));
  }

  /** Storage may be full or forbidden; then a reload joins as a new member. */
  #try(work) {
    try {
      if (this.storage !== null) work(this.storage);
    } catch {
      this.storage = null;
    }
  }
}

/**
 * Tells a connection what becomes of its page and network.
 * @param {EventTarget & {document?: Document}} page the `window`
 * @param {{offline(): void, wake(): void, leave(): void}} life
 * @returns {AbortController} abort it to hear no more
 */
export function followPage(page, life) {
  const ending = new AbortController();
  const { signal } = ending;
  page.addEventListener("offline", () => life.offline(), { signal });
  page.addEventListener("online", () => life.wake(), { signal });
  page.addEventListener("pageshow", () => life.wake(), { signal });
  page.addEventListener("pagehide", () => life.leave(), { signal });
  page.document?.addEventListener("visibilitychange", () => {
    if (page.document.visibilityState === "visible") life.wake();
  }, { signal });
  return ending;
}
