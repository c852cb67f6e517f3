import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import type { ChatEntry } from "@factotum/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";
import { isConversationTainted } from "../taint/taint.ts";

const SESSION = "agent:main:main";

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  platform = new TestPlatform();
  server = await startAnthropicServer();
  server.respond(({ index }) => textReply(`Answer ${index}.`));
});
afterEach(() => server[Symbol.asyncDispose]());

const start = (): Promise<TestGateway> =>
  startTestGateway({ platform, patch: withModel(server.baseUrl), accountConfig: { allowFrom: ["anna"] } });
const connect = (running: TestGateway): Promise<TestClient> => TestClient.connect(running.gateway.url, running.token);

async function say(client: TestClient, message: string): Promise<void> {
  await client.call("agent", { sessionKey: SESSION, message, idempotencyKey: `k-${message}` });
}

async function entries(client: TestClient): Promise<readonly ChatEntry[]> {
  return (await client.call("chat.history", { sessionKey: SESSION })).entries;
}

function texts(shown: readonly ChatEntry[]): readonly string[] {
  return shown.flatMap((entry) => (entry.type === "user" || entry.type === "assistant" ? [entry.text] : []));
}

const idOf = (shown: readonly ChatEntry[], text: string): string =>
  shown.find((entry) => entry.type === "user" && entry.text === text)?.id ?? "";
const asked = (index: number): string => JSON.stringify(server.requests.at(index)?.body?.["messages"]);

test("an edited message is answered in a branch from before it, once, and the old branch can be shown again", async () => {
  await using running = await start();
  using client = await connect(running);
  for (const text of ["one", "two", "three"]) await say(client, text);
  const two = idOf(await entries(client), "two");
  await client.call("chat.subscribe", { sessionKey: SESSION });
  const edit = { sessionKey: SESSION, entryId: two, text: "two again", idempotencyKey: "edit-1" };
  expect(await client.call("chat.edit", edit)).toEqual({ sessionKey: SESSION, status: "accepted" });
  await running.gateway.engine.idle();
  expect(await client.call("chat.edit", edit)).toEqual({ sessionKey: SESSION, status: "duplicate" });
  await running.gateway.engine.idle();

  expect(server.requests).toHaveLength(4);
  expect(asked(-1)).toContain("two again");
  expect(asked(-1)).not.toContain("three");
  const shown = await entries(client);
  expect(texts(shown)).toEqual(["one", "Answer 0.", "two again", "Answer 3."]);
  const again = idOf(shown, "two again");
  expect(shown.find(({ id }) => id === again)).toMatchObject({ versions: [two, again] });
  // Watchers are told to read again, and get the new message with its versions.
  const seen = client.events.flatMap((event) => (event.type === "branch-change" || event.type === "entry" ? [event] : []));
  expect(seen).toMatchObject([
    { type: "branch-change" },
    { entry: { text: "two again", versions: [two, again] } },
    { entry: { type: "assistant" } },
  ]);
  const session = await running.store.readSession(SESSION);
  const [request] = (await running.store.listRequests({ sessionId: session?.sessionId ?? "", limit: 1 })).items;
  expect(request).toMatchObject({ causes: expect.arrayContaining(["edited"]) });

  expect(await client.call("chat.branch", { sessionKey: SESSION, entryId: two })).toEqual({ sessionKey: SESSION, changed: true });
  expect(await client.call("chat.branch", { sessionKey: SESSION, entryId: two })).toEqual({ sessionKey: SESSION, changed: false });
  expect(texts(await entries(client))).toEqual(["one", "Answer 0.", "two", "Answer 1.", "three", "Answer 2."]);
  const { branches } = await client.call("chat.branches", { sessionKey: SESSION });
  expect(branches).toMatchObject([
    {
      versions: [
        { entryId: two, text: "two", isShown: true },
        { entryId: again, text: "two again", isShown: false },
      ],
    },
  ]);
  const { hits } = await client.call("sessions.search", { text: "again" });
  expect(hits).toMatchObject([{ entryId: again, isCurrent: true, isHidden: true }]);
  expect((await client.call("sessions.search", { text: "three" })).hits).not.toMatchObject([{ isHidden: true }]);
  // The next message continues the chosen branch.
  await say(client, "four");
  expect(asked(-1)).toContain("three");
  expect(asked(-1)).not.toContain("two again");
});

test("another answer is asked for with the same message; a working conversation and a message of others are refused", async () => {
  await using running = await start();
  using client = await connect(running);
  await say(client, "one");
  await client.call("chat.regenerate", { sessionKey: SESSION, idempotencyKey: "again-1" });
  await running.gateway.engine.idle();
  const shown = await entries(client);
  expect(texts(shown)).toEqual(["one", "Answer 1."]);
  expect(asked(-1)).not.toContain("Answer 0.");

  const gate = server.hold();
  await client.call("chat.subscribe", { sessionKey: SESSION });
  const slow = say(client, "slow");
  await client.until(() => client.events.find(({ type }) => type === "run-start"));
  const busy = await client.callRaw("chat.regenerate", { sessionKey: SESSION, idempotencyKey: "again-2" });
  expect(busy).toMatchObject({ ok: false, error: { code: "conflict", message: expect.stringContaining("Stop") } });
  gate.open();
  await slow;
  const lost = await client.callRaw("chat.edit", { sessionKey: SESSION, entryId: "e000000zzzz", text: "x", idempotencyKey: "edit-2" });
  expect(lost).toMatchObject({ ok: false, error: { code: "not-found" } });

  await platform.say(platform.message("do as I say", { sender: { id: "anna", isBot: false } }));
  await running.gateway.engine.idle();
  const { sessions } = await client.call("sessions.list", {});
  const guest = sessions.find(({ key }) => key !== SESSION)?.key ?? "";
  const refused = await client.callRaw("chat.regenerate", { sessionKey: guest, idempotencyKey: "again-3" });
  expect(refused).toMatchObject({ ok: false, error: { message: expect.stringContaining("your own") } });
});

test("of several versions that are sent at one moment one is taken, and the others are refused", async () => {
  await using running = await start();
  using client = await connect(running);
  await say(client, "one");
  const entryId = idOf(await entries(client), "one");
  const gate = server.hold();
  await client.call("chat.subscribe", { sessionKey: SESSION });
  const sent = await Promise.all(
    ["a", "b", "c"].flatMap((name) => [
      client.callRaw("chat.edit", { sessionKey: SESSION, entryId, text: name, idempotencyKey: `edit-${name}` }),
      client.callRaw("chat.edit", { sessionKey: SESSION, text: name, idempotencyKey: `newest-${name}` }),
      client.callRaw("chat.regenerate", { sessionKey: SESSION, idempotencyKey: `again-${name}` }),
    ]),
  );
  expect(sent.filter(({ ok }) => ok)).toHaveLength(1);
  expect(sent.flatMap((answer) => (answer.ok ? [] : [answer.error.code]))).toEqual(Array.from({ length: 8 }, () => "conflict"));
  // The version has begun, and the branch has no message of the person.
  await client.until(() => client.events.find(({ type }) => type === "run-start"));
  const late = { sessionKey: SESSION, text: "late", idempotencyKey: "late" };
  expect(await client.callRaw("chat.edit", late)).toMatchObject({ ok: false, error: { code: "conflict" } });
  gate.open();
  await running.gateway.engine.idle();
  expect(server.requests).toHaveLength(2);
  expect((await client.call("chat.branches", { sessionKey: SESSION })).branches).toMatchObject([{ versions: [{}, {}] }]);
});

test("a message that the model was not given is sent as a new one when it is edited, and has no other answer", async () => {
  await using running = await start();
  using client = await connect(running);
  await say(client, "one");
  await say(client, "/status");
  const aside = (await entries(client)).find((entry) => entry.type === "user" && entry.text === "/status");
  expect(aside).toMatchObject({ isAside: true });
  const again = { sessionKey: SESSION, entryId: aside?.id ?? "", idempotencyKey: "edit-1" };
  expect(await client.callRaw("chat.regenerate", again)).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining("new message") },
  });
  expect(await client.call("chat.edit", { ...again, text: "two" })).toEqual({ sessionKey: SESSION, status: "accepted", isNew: true });
  expect(await client.call("chat.edit", { ...again, text: "two" })).toMatchObject({ status: "duplicate" });
  await running.gateway.engine.idle();
  expect(texts(await entries(client))).toEqual(["one", "Answer 0.", "/status", "two", "Answer 1."]);
  expect(await client.call("chat.branches", { sessionKey: SESSION })).toEqual({ branches: [] });
});

test("a version that no model can be asked about leads to the one before", async () => {
  await using running = await start();
  using client = await connect(running);
  await say(client, "one");
  const one = idOf(await entries(client), "one");
  const { config } = running.gateway.engine.parts.running;
  const agents = config.agents.map((agent) => ({ ...agent, model: { primary: "nowhere/nothing", fallbacks: [] } }));
  await running.gateway.reload({ ...running.settings({ ...config, agents }), token: running.token });
  await client.call("chat.subscribe", { sessionKey: SESSION });
  await client.call("chat.edit", { sessionKey: SESSION, entryId: one, text: "one again", idempotencyKey: "edit-1" });
  await running.gateway.engine.idle();
  const again = idOf(await entries(client), "one again");
  const seen = client.events.flatMap((event) => (event.type === "entry" && event.entry.type === "user" ? [event.entry] : []));
  expect(seen).toMatchObject([{ id: again, versions: [one, again] }]);
  expect(await client.call("chat.branch", { sessionKey: SESSION, entryId: one })).toMatchObject({ changed: true });
});

test("another version of a message is no more trusted than the message, and trust in one branch does not cover another one", async () => {
  await using running = await start();
  using client = await connect(running);
  const sessionOf = async () => (await running.store.readSession(SESSION)) ?? expect.fail("no session");
  const isTainted = async (): Promise<boolean> => isConversationTainted(await sessionOf(), running);
  const newest = async () => {
    const { items } = await running.store.readTranscript((await sessionOf()).sessionId, { limit: 20 });
    return items.findLast((entry) => entry.type === "message" && entry.message.role === "user");
  };
  await say(client, "one");
  const one = idOf(await entries(client), "one");
  await platform.say(platform.message("look", { forwarded: { from: "Mallory", body: "do as I say" } }));
  await running.gateway.engine.idle();
  expect(await newest()).toMatchObject({ message: { tainted: true } });
  await client.call("chat.regenerate", { sessionKey: SESSION, idempotencyKey: "again-1" });
  await running.gateway.engine.idle();
  expect(await newest()).toMatchObject({ message: { tainted: true, parts: { body: "look" } } });
  expect(await isTainted()).toBe(true);

  await client.call("chat.edit", { sessionKey: SESSION, entryId: one, text: "one again", idempotencyKey: "edit-1" });
  await running.gateway.engine.idle();
  expect(await newest()).not.toHaveProperty("message.tainted");
  expect(await isTainted()).toBe(false);
  await platform.say(platform.message("/trust"));
  await running.gateway.engine.idle();
  expect((await sessionOf()).trust).toMatchObject({ type: "until" });
  // The owner has read this branch, and continues it.
  await client.call("chat.regenerate", { sessionKey: SESSION, idempotencyKey: "again-2" });
  await running.gateway.engine.idle();
  expect((await sessionOf()).trust).toMatchObject({ type: "until" });
  await client.call("chat.branch", { sessionKey: SESSION, entryId: one });
  expect(await isTainted()).toBe(true);
});

test("a version of a message that is forgotten before its turn begins is answered as a message like others", async () => {
  await using running = await start();
  using client = await connect(running);
  await say(client, "one");
  const { sessionId } = (await running.store.readSession(SESSION)) ?? expect.fail("no session");
  const branch = { sessionId, before: "e00000000zz" };
  await running.gateway.engine.submit(platform.message("two"), { owner: true, kind: "user", ownTurn: true, sessionKey: SESSION, branch });
  await running.gateway.engine.idle();
  expect(texts(await entries(client))).toEqual(["one", "Answer 0.", "two", "Answer 1."]);
});
