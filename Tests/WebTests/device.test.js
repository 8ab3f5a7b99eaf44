import assert from "node:assert/strict";
import { test } from "node:test";
import { golden, makeWorld } from "./fakes.js";

const TOKEN = golden("device").token;
const device = (world) => world.socket.texts.find(({ type }) => type === "hello").device;

class Shelf {
  entries = new Map();
  getItem(name) {
    return this.entries.get(name) ?? null;
  }

  setItem(name, value) {
    this.entries.set(name, value);
  }
}

/** A client that has joined and then comes back after its connection was lost. */
function comesBack(options) {
  const world = makeWorld({ room: "demo", role: "controller", ...options });
  world.client.connect();
  world.socket.open();
  assert.equal(device(world), undefined);
  world.socket.say(golden("welcomeLock", { role: options.role ?? "controller" }));
  world.socket.say(golden("device"));
  world.socket.onclose({ code: 1012, reason: "restart" });
  world.clock.pass(60_000);
  world.socket.open();
  return world;
}

test("what a device is trusted by is kept for its lock and shown in later hellos", () => {
  const devices = new Shelf();
  assert.equal(device(comesBack({ devices })), TOKEN);
  assert.deepEqual([...devices.entries.keys()], ["drawbolt.device ws://test/ws demo"]);
  const other = makeWorld({ room: "gate", role: "controller", devices });
  other.client.connect();
  other.socket.open();
  assert.equal(device(other), undefined);
});

test("a storage that is full or forbidden keeps it as long as the page lasts", () => {
  const devices = {
    getItem: () => { throw new Error("forbidden"); },
    setItem: () => { throw new Error("full"); },
  };
  assert.equal(device(comesBack({ devices })), TOKEN);
});

test("a device that many use keeps nothing, nor does a viewer", () => {
  assert.equal(device(comesBack({ devices: null })), undefined);
  const devices = new Shelf();
  assert.equal(device(comesBack({ devices, role: "viewer" })), undefined);
  assert.equal(devices.entries.size, 0);
});
