import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { GrantTaker, NONCE_LIFE, isSigned, makeNonce, signedBytes } from "../../web/grant.js";
import { parseMessage } from "../../web/wire.js";
import { golden } from "./fakes.js";

const vectors = JSON.parse(readFileSync(new URL("../Vectors/grant.json", import.meta.url), "utf8"));

const message = golden("grant", {
  id: "00112233445566778899aabbccddeeff", lock: "front-door", audience: "m258", keyId: 7,
  nonce: "ffeeddccbbaa99887766554433221100", demo: true,
});

/** A key pair, and its public half as `welcome` tells it. */
async function makeKey(id = 7) {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  const raw = Buffer.from(await crypto.subtle.exportKey("raw", pair.publicKey));
  return { pair, told: { id, key: raw.toString("base64url") } };
}

async function sign(grant, { pair }) {
  const signature = await crypto.subtle.sign("Ed25519", pair.privateKey, signedBytes(grant));
  return { ...grant, signature: Buffer.from(signature).toString("base64url") };
}

test("the signed bytes are those of the protocol", () => {
  const expected = Buffer.concat([
    Buffer.from("drawbolt-grant-v1\0"), Buffer.from([0, 0, 0, 7, 1, 10]), Buffer.from("front-door"),
    Buffer.from([0, 0, 1, 2, 4]), Buffer.from("open"), Buffer.from(message.id + message.nonce, "hex"),
  ]);
  assert.deepEqual(Buffer.from(signedBytes(message)), expected);
});

test("a grant of the key is taken", async () => {
  const key = await makeKey();
  assert.equal(await isSigned(await sign(message, key), key.told), true);
});

test("a change of any field breaks the signature", async () => {
  const key = await makeKey();
  const grant = await sign(message, key);
  const changes = {
    id: "10112233445566778899aabbccddeeff", lock: "front-doos", audience: "m259", demo: false,
    nonce: "0feeddccbbaa99887766554433221100", keyId: 8,
  };
  for (const [field, value] of Object.entries(changes)) {
    assert.equal(await isSigned({ ...grant, [field]: value }, key.told), false, field);
  }
});

test("a signature of another key, or none, is not taken", async () => {
  const [key, other] = [await makeKey(), await makeKey()];
  assert.equal(await isSigned(await sign(message, other), key.told), false);
  assert.equal(await isSigned({ ...message, signature: "" }, key.told), false);
});

test("a key of another number is not even tried", async () => {
  const key = await makeKey();
  assert.equal(await isSigned(await sign(message, key), { ...key.told, id: 8 }), false);
});

test("nonces are 32 hexadecimal digits and new each time", () => {
  const nonces = Array.from({ length: 50 }, makeNonce);
  for (const nonce of nonces) assert.match(nonce, /^[0-9a-f]{32}$/);
  assert.equal(new Set(nonces).size, 50);
});

test("grants that another program signed are taken, and no bit of their signatures may change", async () => {
  assert.ok(vectors.grants.length >= 4);
  for (const { name, text, key, signedBytes: expected } of vectors.grants) {
    const grant = parseMessage(text);
    assert.equal(Buffer.from(signedBytes(grant)).toString("hex"), expected, name);
    assert.equal(await isSigned(grant, key), true, name);
    const signature = (grant.signature[0] === "A" ? "B" : "A") + grant.signature.slice(1);
    assert.equal(await isSigned({ ...grant, signature }, key), false, name);
  }
});

/** A taker that has claimed an offer, and the grant that answers it. */
async function makeClaimed({ demo = false, ...options } = {}) {
  const world = { time: 1000, key: await makeKey() };
  const taker = new GrantTaker({ now: () => world.time, ...options });
  const nonce = taker.claim(message.id);
  const grant = await sign({ ...message, demo, nonce }, world.key);
  const welcome = { member: "m258", room: "front-door", grantKey: world.key.told };
  return Object.assign(world, { taker, grant, welcome });
}

test("a grant that was claimed opens once", async () => {
  const { taker, grant, welcome } = await makeClaimed();
  assert.equal(await taker.objection(grant, welcome), null);
  assert.equal(await taker.objection(grant, welcome), "badGrant");
});

test("a demo grant opens only where the page says that it takes them", async () => {
  for (const [acceptsDemo, objection] of [[undefined, "demoGrant"], [false, "demoGrant"], [true, null]]) {
    const { taker, grant, welcome } = await makeClaimed({ demo: true, acceptsDemo });
    assert.equal(await taker.objection(grant, welcome), objection);
  }
});

test("a grant for somebody else, another lock, another claim or another key does not open", async () => {
  const { key: other } = await makeClaimed();
  for (const change of [
    ({ welcome }) => { welcome.member = "m1"; },
    ({ welcome }) => { welcome.room = "back-door"; },
    ({ welcome }) => { welcome.grantKey = other.told; },
    ({ grant }) => { grant.nonce = message.nonce; },
    ({ grant }) => { grant.id = message.nonce; },
    ({ grant }) => { grant.demo = true; },
  ]) {
    const world = await makeClaimed({ acceptsDemo: true });
    change(world);
    assert.equal(await world.taker.objection(world.grant, world.welcome), "badGrant", String(change));
  }
});

test("a grant is taken until its claim is five seconds old, and not at it", async () => {
  for (const [passed, objection] of [
    [NONCE_LIFE - 1, null], [NONCE_LIFE, "lateGrant"], [2 * NONCE_LIFE, "badGrant"],
  ]) {
    const world = await makeClaimed();
    world.time += passed;
    world.taker.claim("ffffffffffffffffffffffffffffffff");
    assert.equal(await world.taker.objection(world.grant, world.welcome), objection);
  }
});
