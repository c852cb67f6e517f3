import { TestHost } from "@factotum/channel-conformance";
import { expect, test } from "vitest";
import { ALICE, DIRECT, GROUP, startScene } from "../../test/scene.ts";
import type { MatrixScene } from "../../test/scene.ts";

const soon = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });
const text = (body: string): { readonly msgtype: string; readonly body: string } => ({ msgtype: "m.text", body });

function say({ matrix }: MatrixScene, body: string, roomId = DIRECT): void {
  matrix.store.append({ roomId, type: "m.room.message", sender: ALICE, content: text(body) });
}

test("what was said before the first start is not answered, and what was said while it was down is", async () => {
  await using scene = await startScene();
  say(scene, "before");
  await scene.start();
  say(scene, "while it runs");
  await scene.host.storedMessages(1);
  await scene.channel.stop(soon());
  say(scene, "meanwhile");
  await scene.another().start(soon());
  await scene.host.storedMessages(2);
  expect(scene.host.received.map((message) => message.text)).toEqual(["while it runs", "meanwhile"]);
});

test("a gap is fetched up to the last position, oldest first", async () => {
  await using scene = await startScene();
  await scene.start();
  say(scene, "known");
  await scene.host.storedMessages(1);
  await scene.channel.stop(soon());
  const missed = Array.from({ length: 180 }, (_, index) => `missed ${index}`);
  for (const body of missed) say(scene, body);
  await scene.another().start(soon());
  await scene.host.storedMessages(181);
  expect(scene.host.received.map((message) => message.text)).toEqual(["known", ...missed]);
});

test("of more than a thousand missed messages the newest are fetched, and the log says that others are lost", async () => {
  await using scene = await startScene();
  await scene.start();
  await scene.channel.stop(soon());
  for (let index = 0; index < 1_100; index += 1) say(scene, `missed ${index}`);
  await scene.another().start(soon());
  await scene.host.storedMessages(1_050);
  expect(scene.host.received.at(0)?.text).toBe("missed 50");
  expect(scene.host.received.at(-1)?.text).toBe("missed 1099");
  expect(scene.host.logLines.filter((line) => line.includes("messages lost"))).toHaveLength(1);
});

test("a gap that cannot be stored is fetched again, with nothing lost or doubled", async () => {
  await using scene = await startScene();
  await scene.start();
  await scene.channel.stop(soon());
  for (let index = 0; index < 120; index += 1) say(scene, `missed ${index}`);
  const next = scene.another();
  await next.start(soon());
  scene.host.failNext();
  await scene.host.storedMessages(120);
  expect(scene.host.stored.map((message) => message.text)).toEqual(Array.from({ length: 120 }, (_, index) => `missed ${index}`));
});

test("what was said in a room before the bot came is not answered", async () => {
  await using scene = await startScene();
  const { store, app } = scene.matrix;
  await scene.start();
  const room = store.createRoom({ creator: ALICE });
  for (let index = 0; index < 60; index += 1) say(scene, `old ${index}`, room.id);
  store.setMembership({ roomId: room.id, userId: app.bot.id, membership: "invite", by: ALICE });
  await scene.host.storedMessages(1);
  for (let index = 0; index < 70; index += 1) say(scene, `new ${index}`, room.id);
  await scene.host.storedMessages(71);
  const texts = scene.host.received.filter(({ event }) => event.type === "message").map((message) => message.text);
  expect(texts).toEqual(Array.from({ length: 70 }, (_, index) => `new ${index}`));
});

test("a homeserver that has forgotten the position is asked for a new one, and the log says so", async () => {
  await using scene = await startScene();
  await scene.start();
  say(scene, "known");
  await scene.host.storedMessages(1);
  await scene.channel.stop(soon());
  say(scene, "lost");
  scene.matrix.app.oldestPosition = scene.matrix.store.position;
  await scene.another().start(soon());
  await scene.matrix.syncs.positionedAt(scene.matrix.store.position);
  say(scene, "later", GROUP);
  await scene.host.storedMessages(2);
  expect(scene.host.received.map((message) => message.text)).toEqual(["known", "later"]);
  expect(scene.host.logLines.filter((line) => line.includes("does not know the position"))).toHaveLength(1);
});

/** A host for which answers to syncs and pages with more than so many events of a room are too large. */
function hostOfLargeEvents(limits: { readonly sync: number; readonly page: number }): {
  readonly host: TestHost;
  readonly asked: number[];
} {
  const asked: number[] = [];
  const host = new TestHost({
    fetch: async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : String(input));
      if (url.pathname.endsWith("/messages") && Number(url.searchParams.get("limit")) > limits.page)
        return new Response(new Uint8Array(5 * 1024 * 1024));
      if (!url.pathname.endsWith("/sync") || !url.searchParams.has("since")) return fetch(input, init);
      const filter = JSON.parse(url.searchParams.get("filter") ?? "") as {
        readonly room: { readonly timeline: { readonly limit: number } };
      };
      const { limit } = filter.room.timeline;
      asked.push(limit);
      return limit > limits.sync ? new Response(new Uint8Array(33 * 1024 * 1024)) : fetch(input, init);
    },
  });
  return { host, asked };
}

test.each([
  [{ sync: 10, page: 100 }, [50, 10]],
  [{ sync: 1, page: 10 }, [50, 10, 1]],
])("a sync that is too large is asked for with fewer events, and the others are a gap: %j", async (limits, expected) => {
  const { host, asked } = hostOfLargeEvents(limits);
  await using scene = await startScene(host);
  await host.commit({ cursor: `s${scene.matrix.store.position}` });
  const said = Array.from({ length: 40 }, (_, index) => `large ${index}`);
  for (const body of said) say(scene, body);
  await scene.channel.start(soon());
  await host.storedMessages(40);
  expect(host.received.map((message) => message.text)).toEqual(said);
  expect(asked.slice(0, expected.length)).toEqual(expected);
});

test("a sync that is too large with one event of each room is a problem that the health names", async () => {
  const { host, asked } = hostOfLargeEvents({ sync: 0, page: 100 });
  await using scene = await startScene(host);
  await host.commit({ cursor: `s${scene.matrix.store.position}` });
  await scene.channel.start(soon());
  await expect
    .poll(() => scene.channel.health())
    .toMatchObject({
      state: "disconnected",
      detail: expect.stringContaining("the answer is larger than 33554432 bytes") as string,
    });
  expect(asked.slice(0, 3)).toEqual([50, 10, 1]);
});

test("a revoked token and an expired session are reported with what to do", async () => {
  await using scene = await startScene();
  await scene.start();
  const { app, syncs } = scene.matrix;
  const token = app.bot.token;
  app.bot.token = "syt_another";
  app.hasExpiredSessions = true;
  syncs.drop();
  await scene.matrix.request(({ path }) => path.endsWith("/whoami"));
  const receipt = await scene.send({ type: "text", text: "hello" });
  expect(receipt).toMatchObject({ type: "rejected", code: "unauthorized", retry: { type: "never" } });
  expect(receipt).toHaveProperty("message", expect.stringContaining("the bot's session has expired"));
  app.bot.token = token;
  await syncs.connected(2);
  expect(scene.channel.health().state).toBe("connected");
});

test("a token of another user is refused, with both ids", async () => {
  await using scene = await startScene();
  const alice = scene.matrix.app.users.get(ALICE);
  if (alice === undefined) throw new Error("there is no Alice");
  const { bot } = scene.matrix.app;
  [alice.token, bot.token] = [bot.token, alice.token];
  await expect(scene.channel.start(soon())).rejects.toMatchObject({
    code: "unauthorized",
    message: expect.stringMatching(/belongs to @alice:fake.example, not to @factotum:fake.example/) as string,
  });
});
