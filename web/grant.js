// Verifies a grant: the signed, short-lived "open" of one lock for one actuator.

/** How old a nonce may be when its grant comes, in milliseconds. */
export const NONCE_LIFE = 5000;

/** @param {string} hex */
const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** @param {string} text base64url without padding */
const fromBase64 = (text) => Uint8Array.from(
  atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

/** @param {number} value four bytes, big-endian */
const word = (value) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);

/** A random number for one claim, 32 hexadecimal digits. */
export function makeNonce() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The exact bytes that the server signed.
 * @param {object} grant
 */
export function signedBytes(grant) {
  const utf8 = new TextEncoder();
  const lock = utf8.encode(grant.lock);
  return Uint8Array.from([
    ...utf8.encode("drawbolt-grant-v1"), 0, ...word(grant.keyId), grant.demo ? 1 : 0,
    lock.length, ...lock, ...word(Number(grant.audience.slice(1))), 4, ...utf8.encode("open"),
    ...fromHex(grant.id), ...fromHex(grant.nonce),
  ]);
}

/**
 * Whether the signature is the key's; rejects where the browser knows no Ed25519.
 * @param {object} grant
 * @param {{id: number, key: string}} key the `grantKey` of `welcome`
 */
export async function isSigned(grant, key) {
  if (grant.keyId !== key.id) return false;
  const bytes = fromBase64(key.key);
  const publicKey = await crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify(
    "Ed25519", publicKey, fromBase64(grant.signature), signedBytes(grant));
}

/** Takes grants that it claimed itself, each once; demo grants only where it is told to. */
export class GrantTaker {
  /**
   * @param {Object} [options]
   * @param {boolean} [options.acceptsDemo] anybody may see the code of a lock that gives these
   * @param {function(): number} [options.now] milliseconds
   */
  constructor({ acceptsDemo = false, now = () => performance.now() } = {}) {
    this.acceptsDemo = acceptsDemo;
    this.now = now;
  }

  /** Offer → the nonce that claimed it and when that was made. */
  #claims = new Map();

  /** @param {string} id of an offer @returns {string} the nonce to claim it with */
  claim(id) {
    for (const [old, { madeAt }] of this.#claims) {
      // Kept for twice its life, so that a late grant is told from a foreign one.
      if (this.now() - madeAt >= 2 * NONCE_LIFE) this.#claims.delete(old);
    }
    const nonce = makeNonce();
    this.#claims.set(id, { nonce, madeAt: this.now() });
    return nonce;
  }

  /**
   * Why a grant does not open, as the name of a text; null if it does.
   * @param {object} grant
   * @param {object} welcome the actuator's own, whose `member`, `room` and `grantKey` must fit
   * @returns {Promise<string|null>}
   */
  async objection(grant, { member, room, grantKey }) {
    const claim = this.#claims.get(grant.id);
    this.#claims.delete(grant.id);
    if (claim?.nonce !== grant.nonce || grant.audience !== member || grant.lock !== room) {
      return "badGrant";
    }
    if (grant.demo && !this.acceptsDemo) return "demoGrant";
    const isLate = () => this.now() - claim.madeAt >= NONCE_LIFE;
    if (isLate()) return "lateGrant";
    try {
      if (!await isSigned(grant, grantKey)) return "badGrant";
    } catch {
      return "noEd25519";
    }
    return isLate() ? "lateGrant" : null;
  }
}
