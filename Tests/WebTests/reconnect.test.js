import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeStorage, golden, makeConnected, makeWorld, stateFrame, vectors } from "./fakes.js";

const KEY = "drawbolt.resume controller board:lesson";
const { resume } = golden("welcomeBoard");

/** Ends the newest connection, and gives the wait until the next, in milliseconds. */
function waitAfter(world, end) {
  const { sockets } = world;
  end(world.socket);
  world.clock.pass(0);
  let waited = 0;
  for (; world.sockets === sockets && waited <= 40_000; waited++) world.clock.pass(1);
  return waited;
}

test("the close code decides whether it comes back", () => {
  const lost = [[1005, "", true], [1006, "", true], [1014, "", true], [1007, "", false],
    [4000, "", true], [4099, "", true], [4400, "", false], [4499, "", false]];
  for (const [code, , returns] of [...vectors.closeCodes, ...lost]) {
    const world = makeConnected();
    world.socket.end(code);
    assert.equal(world.client.status, returns ? "reconnecting" : "disconnected", `code ${code}`);
    world.clock.pass(60_000);
    assert.equal(world.sockets > 1, returns, `code ${code}`);
  }
});

test("waits double up to 30 s", () => {
  const world = makeWorld();
  world.chance = 1;
  world.client.connect();
  const waits = Array.from({ length: 9 }, () => waitAfter(world, (socket) => socket.end(1006)));
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test("waits are spread over their whole length", () => {
  const world = makeWorld();
  world.client.connect();
  for (let i = 0; i < 4; i++) waitAfter(world, (socket) => socket.end(1006));
  world.chance = 0.25;
  assert.equal(waitAfter(world, (socket) => socket.end(1006)), 2000);
  world.chance = 0;
  assert.equal(waitAfter(world, (socket) => socket.end(1006)), 0);
});

test("a server that welcomes and closes at once is called ever more seldom", () => {
  const world = makeWorld();
  world.chance = 1;
  world.client.connect();
  const waits = Array.from({ length: 3 }, () => waitAfter(world, (socket) => {
    socket.open();
    socket.say(golden("welcomeBoard"));
    socket.end(1011);
  }));
  assert.deepEqual(waits, [500, 1000, 2000]);
});

test("after a connection that lasted the waits begin anew", () => {
  const world = makeWorld();
  world.chance = 1;
  world.client.connect();
  for (let i = 0; i < 4; i++) waitAfter(world, (socket) => socket.end(1006));
  world.socket.open();
  world.socket.say(golden("welcomeBoard"));
  world.clock.pass(5000);
  assert.equal(waitAfter(world, (socket) => socket.end(1006)), 500);
});

test("a goaway sets the window of the first wait alone", () => {
  const world = makeConnected();
  world.chance = 0.5;
  const wait = waitAfter(world, (socket) => {
    socket.say(golden("goaway", { reconnectAfterMs: 9000 }));
    socket.end(1012);
  });
  assert.equal(wait, 4500);
  assert.equal(waitAfter(world, (socket) => socket.end(1006)), 500);
});

test("a link without a message for 1.5 pings counts as dead", () => {
  const world = makeConnected({}, { pingSeconds: 20 });
  const first = world.socket;
  world.clock.pass(29_999);
  first.say(stateFrame());
  world.clock.pass(29_999);
  assert.equal(world.client.status, "connected");
  world.clock.pass(1);
  assert.equal(world.client.status, "reconnecting");
  assert.equal(first.closedWith, 1000);
});

test("a connection that does not come up is given up", () => {
  const world = makeWorld();
  world.client.connect();
  const first = world.socket;
  world.clock.pass(15_000);
  assert.equal(first.closedWith, 1000);
  assert.equal(world.sockets, 2);
});

test("a late close of a connection given up changes nothing", () => {
  const world = makeConnected();
  const first = world.socket;
  world.page.tell("offline");
  world.clock.pass(0);
  world.socket.open();
  world.socket.say(golden("welcomeBoard"));
  first.end(4409);
  first.say(stateFrame());
  assert.equal(world.client.status, "connected");
});

test("it shows its resume key when it comes back", () => {
  const world = makeConnected();
  assert.equal(world.socket.texts[0].resume, undefined);
  world.socket.end(1006);
  world.clock.pass(0);
  world.socket.open();
  assert.equal(world.socket.texts[0].resume, resume);
});

test("the key is in the storage only while the page is away", () => {
  const world = makeConnected();
  assert.equal(world.storage.getItem(KEY), null);
  world.page.tell("pagehide");
  assert.equal(world.storage.getItem(KEY), resume);
  const reloaded = makeWorld({ storage: world.storage });
  reloaded.client.connect();
  reloaded.socket.open();
  assert.equal(reloaded.socket.texts[0].resume, resume);
  assert.equal(world.storage.getItem(KEY), null);
  const copy = makeWorld({ storage: world.storage });
  copy.client.connect();
  copy.socket.open();
  assert.equal(copy.socket.texts[0].resume, undefined);
});

test("each room and role has a key of its own", () => {
  const storage = new FakeStorage({ [KEY]: resume });
  for (const options of [{ room: "demo" }, { role: "viewer" }]) {
    const world = makeWorld({ storage, ...options });
    world.client.connect();
    world.socket.open();
    assert.equal(world.socket.texts[0].resume, undefined);
  }
});

test("a storage that refuses does no harm", () => {
  const refuse = () => {
    throw new Error("forbidden");
  };
  const storage = { getItem: refuse, setItem: refuse, removeItem: refuse };
  const world = makeConnected({ storage });
  world.page.tell("pagehide");
  assert.equal(world.client.status, "reconnecting");
});

test("offline gives the link up at once, online comes back at once", () => {
  const world = makeConnected();
  world.chance = 1;
  world.page.tell("offline");
  assert.equal(world.client.status, "reconnecting");
  assert.equal(world.client.reason, "offline");
  world.page.tell("online");
  assert.equal(world.sockets, 2);
  assert.equal(world.clock.waiting, 1);
});

test("a page that comes into view does not wait for its turn", () => {
  const world = makeConnected();
  world.chance = 1;
  world.socket.end(1006);
  world.page.show(false);
  assert.equal(world.sockets, 1);
  world.page.show(true);
  assert.equal(world.sockets, 2);
});

test("a page that slept finds its dead link when it wakes, whatever its timers did", () => {
  const world = makeConnected();
  world.clock.time += 31_000;
  world.page.show(true);
  assert.equal(world.client.status, "reconnecting");
  const awake = makeConnected();
  awake.page.show(true);
  assert.equal(awake.client.status, "connected");
});

test("a page from the browser's back cache comes back", () => {
  const world = makeConnected();
  world.chance = 1;
  world.page.tell("pagehide");
  assert.equal(world.socket.closedWith, 1000);
  world.page.tell("pageshow");
  assert.equal(world.sockets, 2);
  assert.equal(world.storage.getItem(KEY), null);
});

test("a good-bye is final: no timer, no ear for the page, until connect", () => {
  const world = makeConnected();
  world.socket.say(stateFrame());
  world.client.disconnect();
  assert.equal(world.socket.closedWith, 1000);
  assert.equal(world.client.status, "disconnected");
  assert.equal(world.clock.waiting, 0);
  world.page.tell("online");
  world.page.show(true);
  world.clock.pass(60_000);
  assert.equal(world.sockets, 1);
  world.client.connect();
  assert.equal(world.client.status, "connecting");
  assert.equal(world.sockets, 2);
});

test("a refusal says why", () => {
  const world = makeWorld();
  world.client.connect();
  world.socket.open();
  world.socket.end(4403, "denied");
  assert.equal(world.client.status, "disconnected");
  assert.equal(world.client.reason, "denied");
  assert.equal(world.clock.waiting, 0);
});
