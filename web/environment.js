// What the client library takes from the page that it runs in.

/** @returns {string} the server's WebSocket on the host that the page came from */
export const ownAddress = () => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;

/** @returns {import("./drawbolt.js").Clock} */
export const systemClock = () => ({
  now: () => performance.now(),
  setTimeout: (work, delay) => setTimeout(work, delay),
  clearTimeout: (timer) => clearTimeout(timer),
});

/** `sessionStorage`, or null where it is missing or forbidden. */
export function ownStorage() {
  try {
    return globalThis.sessionStorage ?? null;
  } catch {
    return null;
  }
}
