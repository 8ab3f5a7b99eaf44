import assert from "node:assert/strict";
import { test } from "node:test";
import { golden, makeConnected, makeWorld, settle, stateFrame } from "./fakes.js";

const statuses = (world) => world.log.filter(({ event }) => event === "status")
  .map(({ status }) => status);

test("it says hello first, in the subprotocol, asking for a window of acknowledgements", () => {
  const world = makeWorld({ name: "Ana", maxRate: 30 });
  world.client.connect();
  assert.equal(world.socket.url, "ws://test/ws");
  assert.equal(world.socket.protocol, "drawbolt.v1");
  assert.equal(world.socket.binaryType, "arraybuffer");
  assert.deepEqual(world.socket.sent, []);
  world.socket.open();
  assert.deepEqual(world.socket.texts, [{
    type: "hello", room: "board:lesson", role: "controller", name: "Ana", maxRate: 30, acks: true,
  }]);
  assert.equal(world.client.status, "connecting");
  world.socket.say(golden("welcomeBoard"));
  assert.equal(world.client.status, "connected");
  assert.deepEqual(statuses(world), ["connecting", "connected"]);
  assert.equal(world.client.welcome.member, "m1");
});

test("connecting twice makes one connection", () => {
  const world = makeWorld();
  world.client.connect();
  world.client.connect();
  assert.equal(world.sockets, 1);
});

test("every message of the server becomes an event with the message in it", () => {
  const world = makeConnected();
  const names = {
    verdict: "verdict", lockout: "lockout", members: "members", pen: "pen", error: "error", grantOffer: "offer",
    grant: "grant",
  };
  for (const [name, event] of Object.entries(names)) {
    world.log.length = 0;
    const message = golden(name);
    world.socket.say(message);
    assert.deepEqual(world.log, [{ ...message, event }], name);
  }
  world.log.length = 0;
  world.socket.say(stateFrame({ version: 9, path: [4, 1] }));
  assert.equal(world.log[0].event, "state");
  assert.deepEqual(world.log[0].path, [4, 1]);
});

test("messages of a newer server's type are ignored", () => {
  const world = makeConnected();
  world.log.length = 0;
  world.socket.say({ type: "weather", rain: true });
  assert.deepEqual(world.log, []);
  assert.equal(world.client.status, "connected");
});

test("what can't be understood ends the connection, and it comes back", () => {
  const world = makeConnected();
  const first = world.socket;
  first.say(new Uint8Array([0x99]).buffer);
  assert.equal(first.closedWith, 1000);
  assert.equal(world.client.status, "reconnecting");
  world.clock.pass(0);
  assert.equal(world.sockets, 2);
});

test("states are acknowledged at the 16th and 250 ms after the first that is open", () => {
  const world = makeConnected();
  for (let version = 1; version <= 15; version++) world.socket.say(stateFrame({ version }));
  assert.deepEqual(world.socket.frames, []);
  world.socket.say(stateFrame({ version: 16 }));
  assert.deepEqual(world.socket.frames, ["0210000000"]);
  world.socket.say(stateFrame({ version: 17 }));
  world.clock.pass(249);
  assert.equal(world.socket.frames.length, 1);
  world.socket.say(stateFrame({ version: 18 }));
  world.clock.pass(1);
  assert.deepEqual(world.socket.frames, ["0210000000", "0212000000"]);
  world.clock.pass(5000);
  assert.equal(world.socket.frames.length, 2);
});

test("a version is acknowledged after its event, since it has been shown then", () => {
  const world = makeConnected();
  for (let version = 1; version <= 15; version++) world.socket.say(stateFrame({ version }));
  let before = null;
  world.client.addEventListener("state", () => {
    before = world.socket.frames.length;
  });
  world.socket.say(stateFrame({ version: 0xffffffff }));
  assert.equal(before, 0);
  assert.deepEqual(world.socket.frames, ["02ffffffff"]);
});

test("without acks nothing is acknowledged", () => {
  const world = makeConnected({ acks: false });
  assert.equal(world.socket.texts[0].acks, false);
  for (let version = 0; version < 40; version++) world.socket.say(stateFrame({ version }));
  world.clock.pass(1000);
  assert.deepEqual(world.socket.frames, []);
});

test("the samples of one task travel in one frame, the release at once", async () => {
  const world = makeConnected();
  const { client } = world;
  assert.equal(client.press({ x: 1366, y: 1366, time: 50 }), 1);
  client.move([{ x: 2731, y: 1366, time: 58 }, { x: 4096, y: 1366, time: 66 }]);
  assert.deepEqual(world.socket.frames, []);
  await settle();
  assert.deepEqual(world.socket.frames, ["0101010003" + "000056055605" + "0800ab0a5605" + "080000105605"]);
  client.move([{ x: 4096, y: 4096, time: 70 }]);
  client.release({ x: 4096, y: 4097, time: 71 });
  assert.deepEqual(world.socket.frames.slice(1), ["010001000104000010" + "0010", "0102010001010000100110"]);
  assert.equal(client.stroke, 0);
});

test("no frame has more samples than the server takes", async () => {
  const world = makeConnected();
  world.client.press({ x: 0, y: 0, time: 0 });
  world.client.move(Array.from({ length: 200 }, (_, time) => ({ x: time, y: 0, time })));
  await settle();
  const counts = world.socket.frames.map((frame) => parseInt(frame.slice(8, 10), 16));
  assert.deepEqual(counts, [64, 64, 64, 9]);
});

test("fractions of milliseconds don't add up to a drift", async () => {
  const world = makeConnected();
  world.client.press({ x: 0, y: 0, time: 0.4 });
  const times = Array.from({ length: 50 }, (_, index) => 0.4 + (index + 1) * 1.3);
  world.client.move(times.map((time) => ({ x: 0, y: 0, time })));
  await settle();
  const bytes = Buffer.from(world.socket.frames[0], "hex");
  let sum = 0;
  for (let i = 0; i < bytes[4]; i++) sum += bytes.readUInt16LE(5 + 6 * i);
  assert.ok(Math.abs(sum - 65) <= 1, `${sum} ms instead of 65`);
});

test("strokes are numbered one after the other and begin again after 65535", async () => {
  const world = makeConnected({ random: () => 0.9999 });
  const first = world.client.press({ x: 0, y: 0, time: 0 });
  assert.ok(first >= 1 && first <= 1000);
  let last = first;
  for (let i = 0; i < 65_535; i++) {
    world.client.cancel();
    const next = world.client.press({ x: 0, y: 0, time: 0 });
    assert.equal(next, last === 65_535 ? 1 : last + 1);
    last = next;
  }
  assert.equal(last, first);
});

test("a cancel comes after all that was drawn, since on some pads it ends the stroke", async () => {
  const world = makeConnected();
  world.client.press({ x: 0, y: 0, time: 0 });
  await settle();
  world.client.move([{ x: 9, y: 9, time: 1 }]);
  world.client.cancel();
  assert.equal(world.client.stroke, 0);
  world.client.cancel();
  await settle();
  assert.deepEqual(world.socket.frames.slice(1), ["0100010001010009000900", "0104010000"]);
});

test("without a connection no stroke begins", () => {
  const world = makeWorld();
  assert.equal(world.client.press({ x: 0, y: 0, time: 0 }), 0);
  world.client.connect();
  world.socket.open();
  assert.equal(world.client.press({ x: 0, y: 0, time: 0 }), 0);
});

test("a stroke never goes on after its connection", async () => {
  const world = makeConnected();
  world.client.press({ x: 0, y: 0, time: 0 });
  await settle();
  world.client.move([{ x: 1, y: 1, time: 1 }]);
  world.socket.end(1006);
  world.clock.pass(0);
  world.socket.open();
  world.socket.say(golden("welcomeBoard"));
  world.client.move([{ x: 2, y: 2, time: 2 }]);
  world.client.release({ x: 3, y: 3, time: 3 });
  await settle();
  assert.deepEqual(world.socket.frames, []);
  assert.equal(world.client.stroke, 0);
});

test("the rest of a refused stroke stays here", async () => {
  for (const code of ["penBusy", "rate"]) {
    const world = makeConnected();
    world.client.press({ x: 0, y: 0, time: 0 });
    await settle();
    world.socket.say(golden("error", { code }));
    assert.equal(world.client.stroke, 0);
    world.client.move([{ x: 1, y: 1, time: 1 }]);
    world.client.release();
    await settle();
    assert.equal(world.socket.frames.length, 1);
  }
});

test("pen and claim are said in the protocol's words", () => {
  const world = makeConnected();
  world.client.pen("request");
  world.client.pen("release");
  world.client.pen("take");
  world.client.pen({ give: "m2" });
  world.client.claim("00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100");
  assert.deepEqual(world.socket.texts.slice(1), [
    { type: "pen.request" }, { type: "pen.release" }, { type: "pen.take" },
    { type: "pen.give", member: "m2" },
    {
      type: "grant.claim", id: "00112233445566778899aabbccddeeff",
      nonce: "ffeeddccbbaa99887766554433221100",
    },
  ]);
});

test("a verdict that is told again after a return is not told twice", () => {
  const world = makeConnected({ random: () => 0.5 });
  const { client, socket } = world;
  const told = () => world.log.filter(({ event }) => event === "verdict").map(({ opened }) => opened);
  const stroke = client.press({ x: 0, y: 0, time: 0 });
  const { opened: _, ...verdict } = golden("verdict", { stroke, outcome: "accepted", actuators: 1 });
  socket.say(verdict);
  socket.end(1006);
  world.clock.pass(1000);
  world.socket.open();
  world.socket.say(golden("welcomeBoard"));
  world.socket.say(verdict);
  assert.deepEqual(told(), [undefined]);
  world.socket.say({ ...verdict, opened: true });
  world.socket.say({ ...verdict, opened: true });
  assert.deepEqual(told(), [undefined, true]);
});

test("a number that is used again may have a verdict again", () => {
  const world = makeConnected();
  const { client, socket } = world;
  const numbers = new Set();
  for (let round = 0; round < 65_536; round++) {
    const stroke = client.press({ x: 0, y: 0, time: 0 });
    client.cancel();
    if (round > 1 && round < 65_535) continue;
    numbers.add(stroke);
    socket.say(golden("verdict", { stroke }));
  }
  assert.equal(numbers.size, 2);
  assert.equal(world.log.filter(({ event }) => event === "verdict").length, 3);
});
