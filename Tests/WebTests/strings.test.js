import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { language, tables, text } from "../../web/strings.js";

const web = new URL("../../web/", import.meta.url);
const read = (name) => readFileSync(new URL(name, web), "utf8");
const files = readdirSync(web).filter((name) => /\.(js|html)$/.test(name) && name !== "strings.js");
const placeholders = (words) => (words.match(/\{\w+\}/g) ?? []).sort();

test("both languages say the same things with the same values", () => {
  assert.deepEqual(Object.keys(tables["zh-CN"]), Object.keys(tables.en));
  for (const [key, words] of Object.entries(tables.en)) {
    assert.deepEqual(placeholders(tables["zh-CN"][key]), placeholders(words), key);
    assert.equal(words === "", tables["zh-CN"][key] === "", key);
  }
});

test("every text that a page asks for is there", () => {
  const asked = files.flatMap((name) => [
    ...[...read(name).matchAll(/data-text="(\w+)"/g)].map(([, key]) => key),
    ...[...read(name).matchAll(/\btext\("(\w+)"/g)].map(([, key]) => key),
  ]);
  assert.ok(asked.length > 30);
  for (const key of asked) assert.ok(key in tables.en, key);
});

test("every phase, verdict and status has its words", () => {
  const named = ["drawing", "checking", "accepted", "rejected", "tooShort", "unavailable", "cancelled",
    "finished", "lockedOut", "connecting", "reconnecting", "disconnected", "penBusy", "rate"];
  for (const key of named) assert.ok(tables.en[key], key);
});

test("values are filled in, as text, and what is missing leaves nothing behind", () => {
  assert.equal(language, "en");
  assert.equal(text("tooShort", { count: 4 }), tables.en.tooShort.replace("{count}", "4"));
  assert.equal(text("drawingBy", { name: "{name}" }), "{name} is drawing.");
  assert.equal(text("drawingBy", { name: "$&" }), "$& is drawing.");
  assert.equal(text("drawingBy"), " is drawing.");
  assert.equal(text("noSuchText"), "");
});
