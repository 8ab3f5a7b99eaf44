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
