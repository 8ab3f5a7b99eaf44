import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { NONCE_LIFE, isSigned, makeNonce, signedBytes } from "../../web/grant.js";
import { parseMessage } from "../../web/wire.js";

const { grants } = JSON.parse(readFileSync(new URL("../Vectors/grant.json", import.meta.url), "utf8"));

test("the signed bytes are those of the vectors", () => {
  assert.ok(grants.length >= 4);
  for (const { name, text, signedBytes: expected } of grants) {
    assert.equal(Buffer.from(signedBytes(parseMessage(text))).toString("hex"), expected, name);
  }
});

test("signatures made elsewhere are the key's", async () => {
  for (const { name, text, key } of grants) assert.ok(await isSigned(parseMessage(text), key), name);
});

test("a grant with anything changed is not signed", async () => {
  const { text, key } = grants[0];
  const grant = parseMessage(text);
  const flip = (letter) => (letter === "A" ? "B" : "A");
  const changes = {
    id: "10112233445566778899aabbccddeeff", lock: "front-doors", audience: "m4", demo: true,
    nonce: "ffeeddccbbaa99887766554433221101", signature: flip(grant.signature[0]) + grant.signature.slice(1),
  };
  for (const [field, value] of Object.entries(changes)) {
    assert.equal(await isSigned({ ...grant, [field]: value }, key), false, field);
  }
  assert.equal(await isSigned({ ...grant, keyId: 8 }, key), false, "another key's number");
  assert.equal(await isSigned({ ...grant, keyId: 8 }, { ...key, id: 8 }), false, "a signed number");
  const other = key.key.replace(/^./, flip);
  assert.equal(await isSigned(grant, { ...key, key: other }).catch(() => false), false, "another key");
});

test("nonces are 128 bits in hexadecimal, each a new one, and soon too old", () => {
  const nonces = new Set(Array.from({ length: 100 }, makeNonce));
  assert.equal(nonces.size, 100);
  for (const nonce of nonces) assert.match(nonce, /^[0-9a-f]{32}$/);
  assert.equal(NONCE_LIFE, 5000);
});
