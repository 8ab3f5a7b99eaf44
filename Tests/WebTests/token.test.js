import assert from "node:assert/strict";
import { test } from "node:test";
import { golden, makeWorld, settle } from "./fakes.js";

const hellos = (world) => world.socket.texts.filter(({ type }) => type === "hello");

test("a token is shown in the first message, never in the address", () => {
  const world = makeWorld({ token: "a.b.c" });
  world.client.connect();
  world.socket.open();
  assert.equal(world.socket.url, "ws://test/ws");
  assert.equal(hellos(world)[0].token, "a.b.c");
});

test("a function is asked for a token at each connection", async () => {
  let count = 0;
  const world = makeWorld({ token: async () => `t${count += 1}` });
  world.client.connect();
  world.socket.open();
  await settle();
  assert.equal(hellos(world)[0].token, "t1");
  world.socket.say(golden("welcomeBoard"));
  world.socket.onclose({ code: 1012, reason: "restart" });
  world.clock.pass(60_000);
  world.socket.open();
  await settle();
  assert.equal(hellos(world)[0].token, "t2");
});

test("a token that is there too late, for a connection that is gone, is not shown", async () => {
  let answer;
  const world = makeWorld({ token: () => new Promise((resolve) => { answer = resolve; }) });
  world.client.connect();
  const { socket } = world;
  socket.open();
  await settle();
  world.client.disconnect();
  answer("late");
  await settle();
  assert.deepEqual(socket.texts, []);
});

test("without the token that it needs it comes again later", async () => {
  const tokens = [() => { throw new Error("no network"); }, async () => { throw new Error("404"); }, () => "t"];
  const world = makeWorld({ token: () => tokens.shift()() });
  world.client.connect();
  for (const status of ["reconnecting", "reconnecting", "connecting"]) {
    world.socket.open();
    await settle();
    assert.equal(world.client.status, status);
    if (status === "reconnecting") world.clock.pass(60_000);
  }
  assert.equal(hellos(world)[0].token, "t");
});
