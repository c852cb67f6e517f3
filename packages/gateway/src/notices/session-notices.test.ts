import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageId } from "@factotum/channel-contract";
import type { SendReceipt } from "@factotum/channel-contract";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";

test("a conversation with a damaged part is notified once, in its own chat, and continues", async () => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  const platform = new TestPlatform();
  const patch = withModel(server.baseUrl);
  const group = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-1" } };
  const accountConfig = { groupPolicy: "open" as const, groups: { "*": { requireMention: false } } };
  const first = await startTestGateway({ platform, patch, accountConfig });
  const said = ["my cat is Petra", "the code is 4711", "and so on"];
  for (const [index, text] of said.entries()) {
    await platform.say(platform.message(text, { origin: group }));
    await platform.waitForSends(index + 1);
  }
  await platform.say(platform.message("something private"));
  await platform.waitForSends(4);
  await first.stop();
  const database = new DatabaseSync(path.join(first.home, "state", "factotum.sqlite"));
  const damage = database.prepare(
    "UPDATE transcript SET payload = replace(replace(payload, 'Petra', 'Petro'), '4711', '4712') WHERE payload LIKE ?",
  );
  expect(damage.run("%Petra%").changes).toBe(1);
  expect(damage.run("%4711%").changes).toBe(1);
  database.close();

  await using second = await startTestGateway({ platform, home: first.home, patch, accountConfig });
  await platform.say(platform.message("who am I?", { origin: group }));
  await platform.waitForSends(6);
  await second.gateway.engine.idle();
  const texts = platform.sent
    .slice(4)
    .map(({ target, outbound }) => [target.conversation.id, outbound.type === "text" ? outbound.text : ""]);
  expect(texts).toHaveLength(2);
  expect(texts).toContainEqual(["group-1", "Yes."]);
  expect(texts).toContainEqual(["group-1", expect.stringContaining("damaged on the disk")]);
  const body = JSON.stringify(server.requests.at(-1)?.body);
  expect(body).toContain("and so on");
  expect(body).not.toMatch(/Petr[ao]|471[12]/);

  const notices = await Promise.all(
    ["agent:main:test:group:group-1", "agent:main:main"].map(async (key) => {
      const { entries } = await second.gateway.engine.sessions.history(key, { limit: 50 });
      return entries.filter((entry) => JSON.stringify(entry).includes("damaged on the disk")).length;
    }),
  );
  expect(notices).toEqual([1, 0]);
  await platform.say(platform.message("and now?", { origin: group }));
  await platform.waitForSends(7);
  await second.gateway.engine.idle();
  expect(platform.sent).toHaveLength(7);
});

test("damage of a sent message is reported where it was sent, not where the last message came from", async () => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  const platform = new TestPlatform();
  const patch = withModel(server.baseUrl);
  const elsewhere = { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: "dm-2" } };
  const first = await startTestGateway({ platform, patch });
  await platform.say(platform.message("my cat is Petra"));
  await platform.waitForSends(1);
  await platform.say(platform.message("hello", { origin: elsewhere }));
  await platform.waitForSends(2);
  await first.stop();
  const database = new DatabaseSync(path.join(first.home, "state", "factotum.sqlite"));
  expect(
    database.prepare("UPDATE transcript SET payload = replace(payload, 'Petra', 'Petro') WHERE payload LIKE '%Petra%'").run().changes,
  ).toBe(1);
  database.close();
  await using second = await startTestGateway({ platform, home: first.home, patch });
  await platform.say(platform.message("who am I?", { origin: elsewhere }));
  await platform.waitForSends(4);
  await second.gateway.engine.idle();
  expect(platform.sent.slice(2).map(({ target, outbound }) => [target.conversation.id, "text" in outbound ? outbound.text : ""])).toEqual(
    expect.arrayContaining([
      ["dm-2", "Yes."],
      ["dm-1", expect.stringContaining("damaged on the disk") as string],
    ]),
  );
  expect(platform.sent).toHaveLength(4);
});

test.each([
  ["put off", { type: "rejected", code: "rejected", retry: { type: "backoff" } }],
  ["taken", { type: "accepted", messageIds: [messageId("m1")] }],
] satisfies readonly (readonly [string, SendReceipt])[])(
  "an answer that is damaged while it is %s by the platform is reported once, unless it has arrived",
  async (_what, receipt) => {
    await using server = await startAnthropicServer();
    server.script([textReply("The code is 4711."), textReply("Here it is again.")]);
    const platform = new TestPlatform();
    platform.receipts = [receipt];
    let home = "";
    let damaged = 0;
    const crashPoint = (name: string): void => {
      if (name !== "after-send" || damaged > 0) return;
      const database = new DatabaseSync(path.join(home, "state", "factotum.sqlite"));
      damaged = Number(database.prepare("UPDATE outbox SET payload = replace(payload, '4711', '4712')").run().changes);
      database.close();
    };
    await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), crashPoint });
    ({ home } = running);
    await platform.say(platform.message("what is the code?"));
    await platform.waitForSends(1);
    await platform.say(platform.message("again, please"));
    await platform.waitForSends(2);
    await running.gateway.engine.idle();
    expect(damaged).toBe(1);
    const texts = platform.sent.map(({ outbound }) => ("text" in outbound ? outbound.text : ""));
    const isTaken = receipt.type === "accepted";
    expect(texts).toEqual([isTaken ? "The code is 4711." : expect.stringContaining("may not have reached you"), "Here it is again."]);
    const { entries } = await running.gateway.engine.sessions.history("agent:main:main", { limit: 50 });
    expect(entries.filter((entry) => entry.type === "notice")).toHaveLength(isTaken ? 0 : 1);
  },
);

test("an answer that was damaged while the gateway was down is reported at the next start, in its target chat", async () => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("The code is 4711."));
  const platform = new TestPlatform();
  platform.receipts = [{ type: "rejected", code: "rejected", retry: { type: "after", delayMs: 3_600_000 } }];
  const refused = Promise.withResolvers<void>();
  const crashPoint = (name: string): void => (name === "after-send" ? refused.resolve() : undefined);
  const first = await startTestGateway({ platform, patch: withModel(server.baseUrl), crashPoint });
  await platform.say(platform.message("what is the code?"));
  await refused.promise;
  await first.stop();
  const database = new DatabaseSync(path.join(first.home, "state", "factotum.sqlite"));
  expect(database.prepare("UPDATE outbox SET payload = replace(payload, '4711', '4712')").run().changes).toBe(1);
  database.close();
  await using second = await startTestGateway({ platform, home: first.home, patch: withModel(server.baseUrl) });
  await platform.waitForSends(1);
  await second.gateway.engine.idle();
  expect(platform.sent).toMatchObject([{ outbound: { text: expect.stringContaining("may not have reached you") as string } }]);
  expect((await second.store.listDeadLetters({ limit: 9 })).items).toMatchObject([{ type: "outbound", reason: "damaged" }]);
});

test("a rebuilt database is reported once per account, in the conversation used last there", async () => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  const group = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-1" } };
  await platform.say(platform.message("in the group", { origin: group, mentionsBot: true }));
  await running.gateway.engine.idle();
  await platform.say(platform.message("in private"));
  await running.gateway.engine.idle();
  const before = platform.sent.length;
  const event = { id: "d1", kind: "database", atMs: 0, count: 1, isComplete: true } as const;
  const first = { ...event, text: "nothing is lost", path: "/state/damaged-1" };

  running.gateway.engine.reports.recovery(first);
  await running.gateway.engine.idle();
  const told = platform.sent
    .slice(before)
    .map(({ target, outbound }) => [target.conversation.id, outbound.type === "text" ? outbound.text : ""]);
  expect(told).toEqual([["dm-1", expect.stringContaining("nothing is lost")]]);
  // A start that was already notified does not report it again.
  running.gateway.engine.reports.recovery(first);
  await running.gateway.engine.idle();
  expect(platform.sent).toHaveLength(before + 1);
  running.gateway.engine.reports.recovery({ ...event, text: "I went back to a copy", path: "/state/damaged-2" });
  await running.gateway.engine.idle();
  expect(platform.sent.at(-1)?.outbound).toMatchObject({
    text: "I went back to a copy",
  });
});

test("an account that no longer exists gets no report, which is in the transcript", async () => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  const platform = new TestPlatform();
  const first = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  await platform.say(platform.message("hello"));
  await platform.waitForSends(1);
  await first.stop();
  await using second = await startTestGateway({ home: first.home });
  const { engine } = second.gateway;
  engine.reports.recovery({ id: "d1", kind: "database", atMs: 0, count: 1, isComplete: true, text: "restored", path: "/x/damaged-1" });
  const told = Promise.withResolvers<void>();
  using _told = engine.parts.events.subscribe("agent:main:main", ({ type }) => {
    if (type === "entry") told.resolve();
  });
  await told.promise;
  expect(await second.store.listPendingOutbound({ limit: 10 })).toEqual([]);
});

test("a session that was rebuilt from its plain file is notified in its chat once somebody writes there", async () => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  const { store, gateway } = running;
  const key = "agent:main:main";
  const named = { key, sessionId: "rebuilt", agentId: "main", isPrivate: false, displayName: key };
  await store.createSession(named, { nowMs: 1 });
  const event = {
    id: "d1",
    kind: "database",
    atMs: 0,
    count: 1,
    isComplete: false,
    text: "rebuilt",
    path: "/x/damaged-1",
    rebuilt: [key],
  } as const;
  gateway.engine.reports.recovery(event);
  await gateway.engine.idle();
  gateway.engine.reports.recovery(event);
  await gateway.engine.idle();
  expect(platform.sent).toEqual([]);
  const { items } = await store.readTranscript("rebuilt", { limit: 9 });
  expect(items).toMatchObject([{ type: "notice", level: "error", text: "rebuilt" }]);
  for (const text of ["hello", "and again"]) {
    await platform.say(platform.message(text));
    await gateway.engine.idle();
  }
  const texts = platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
  expect(texts.filter((text) => text === "rebuilt")).toHaveLength(1);
});

test.each([
  ["was said before", ["hello"], 1],
  ["nobody has written since", [], 0],
] as const)("a rebuilt session's chat is notified once in total across restarts: %s", async (_name, said, toldBefore) => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  const platform = new TestPlatform();
  const first = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  const key = "agent:main:main";
  await first.store.createSession({ key, sessionId: "rebuilt", agentId: "main", isPrivate: false, displayName: key }, { nowMs: 1 });
  const facts = { id: "d1", kind: "database", atMs: 0, count: 1, isComplete: false, text: "rebuilt", path: "/x/damaged-1" } as const;
  const event = { ...facts, rebuilt: [key] };
  const told = (): number => platform.sent.filter(({ outbound }) => outbound.type === "text" && outbound.text === "rebuilt").length;
  first.gateway.engine.reports.recovery(event);
  await first.gateway.engine.idle();
  for (const text of said) {
    await platform.say(platform.message(text));
    await first.gateway.engine.idle();
  }
  expect(told()).toBe(toldBefore);
  await first.store.maintain({ nowMs: Date.now() + 1000, keepOutboxMs: 0 });
  await first.stop();

  await using second = await startTestGateway({ home: first.home, platform, patch: withModel(server.baseUrl) });
  second.gateway.engine.reports.recovery(event);
  await second.gateway.engine.idle();
  await platform.say(platform.message("later"));
  await second.gateway.engine.idle();
  expect(told()).toBe(1);
});

test("a command whose answer may be lost is followed by a notice, and that notice by none", async () => {
  const platform = new TestPlatform("platform", { ...({ idempotentSend: undefined } as object) });
  const offered: string[] = [];
  platform.answer = (outbound) => {
    offered.push(outbound.type === "text" ? outbound.text : outbound.type);
    return { type: "ambiguous", cause: "the connection broke" };
  };
  await using running = await startTestGateway({ platform });
  await platform.say(platform.message("/no-such-command"));
  await running.gateway.engine.idle();
  expect(offered).toEqual([expect.stringContaining("There is no command"), expect.stringContaining("It is not certain")]);
});
