import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { tables, text } from "../../web/strings.js";

const folder = new URL("../../web/", import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), "utf8");
const files = readdirSync(folder);
const pages = files.filter((name) => name.endsWith(".html"));
const scripts = files.filter((name) => name.endsWith(".js"));
const holes = (string) => (string.match(/\{\w+\}/g) ?? []).sort();

test("both languages say the same things with the same values in them", () => {
  const [english, chinese] = [tables.en, tables["zh-CN"]];
  assert.deepEqual(Object.keys(chinese), Object.keys(english));
  for (const key of Object.keys(english)) {
    assert.deepEqual(holes(chinese[key]), holes(english[key]), key);
  }
});

test("values are filled in, and what is unknown is empty", () => {
  assert.equal(text("lockedOut", { time: "0:59" }), "Too many wrong patterns. Try again in 0:59.");
  assert.equal(text("drawingBy", { name: "{time} $& <b>" }), "{time} $& <b> is drawing.");
  assert.equal(text("nothing of the kind"), "");
});

test("every text that a page asks for exists", () => {
  for (const page of pages) {
    for (const [, key] of read(page).matchAll(/data-(?:text|board)="(\w+)"/g)) {
      assert.ok(tables.en[key], `${page}: ${key}`);
    }
  }
});

test("pages hold no script, style or handler of their own, so the policy can forbid them", () => {
  assert.ok(pages.length >= 4);
  for (const page of pages) {
    const html = read(page);
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|javascript:/i, page);
    for (const [tag] of html.matchAll(/<script[^>]*>/g)) assert.match(tag, /src="/, page);
  }
});

test("scripts write no markup and evaluate no text", () => {
  const forbidden = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/;
  for (const script of scripts) assert.doesNotMatch(read(script), forbidden, script);
});

test("everything that pages and scripts refer to is there", () => {
  for (const page of pages) {
    for (const [, target] of read(page).matchAll(/(?:src|href)="\/?([^"?:]+)/g)) {
      assert.ok(files.includes(target), `${page}: ${target}`);
    }
  }
  for (const script of scripts) {
    for (const [, target] of read(script).matchAll(/from "\.\/([^"]+)"|import "\.\/([^"]+)"/g)) {
      if (target) assert.ok(files.includes(target), `${script}: ${target}`);
    }
  }
});

test("every text that a script asks for, and every phase and status, has its words", () => {
  const named = ["drawing", "checking", "accepted", "rejected", "tooShort", "unavailable",
    "cancelled", "finished", "connecting", "reconnecting", "disconnected", "rate", "watching",
    "ready", "readyBoard", "opened", "notOpened", "dots", "usedDot", "boardTitle",
    "badGrant", "lateGrant", "demoGrant", "noEd25519"];
  const asked = scripts.flatMap((script) => [...read(script).matchAll(/\btext\("(\w+)"/g)]
    .map(([, key]) => key));
  assert.ok(asked.length > 15);
  for (const key of [...named, ...asked]) assert.ok(tables.en[key], key);
});
