import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { FactotumConfig } from "@factotum/config";
import { StoreError } from "@factotum/store";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withMethods, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

type Patch = (config: FactotumConfig) => FactotumConfig;

const KEY = "agent:main:main";
const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

let server: AnthropicServer;
let platform: TestPlatform;
let good: Patch;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  platform = new TestPlatform();
  good = withModel(server.baseUrl);
});
afterEach(() => server[Symbol.asyncDispose]());

const withoutModel: Patch = (config) => {
  const patched = good(config);
  return { ...patched, agents: patched.agents.map((agent) => ({ ...agent, model: { primary: "nowhere/nothing", fallbacks: [] } })) };
};

const withoutKey: Patch = (config) => {
  const patched = good(config);
  const { anthropic } = patched.models.providers;
  if (anthropic === undefined) throw new Error("no provider");
  const providers = { anthropic: { ...anthropic, apiKey: { type: "env" as const, name: "NO_SUCH_KEY" } } };
  return { ...patched, models: { ...patched.models, providers } };
};

/** Replaces the workspace by a file. */
const withBrokenWorkspace: Patch = (config) => {
  const patched = good(config);
  return { ...patched, agents: patched.agents.map((agent) => ({ ...agent, workspace: "/dev/null/workspace" })) };
};

async function mend(running: TestGateway): Promise<void> {
  const { config } = running.gateway.engine.parts.running;
  const { agents } = good({
    ...config,
    agents: config.agents.map((agent) => ({ ...agent, workspace: path.join(running.home, "mended") })),
  });
  await running.gateway.reload({ ...running.settings({ ...good(config), agents }), token: running.token });
}

/** The entries that the page shows after a reload. */
async function history(running: TestGateway, sessionKey = KEY): Promise<readonly (readonly string[])[]> {
  const { entries } = await running.gateway.engine.sessions.history(sessionKey, { limit: 50 });
  return entries.map((entry) => [entry.type, "text" in entry ? entry.text : ""]);
}

const told = expect.stringMatching(/key|model|wrong/i) as string;

const lastRequest = (): string => JSON.stringify(server.requests.at(-1)?.body);

describe.each([
  ["a model that does not exist", () => withoutModel],
  ["a key that does not resolve", () => withoutKey],
  ["a workspace that cannot be created", () => withBrokenWorkspace],
])("a first message with %s", (_cause, bad) => {
  test("on a channel is stored, its sender is notified once, and the next message has it in its history", async () => {
    await using running = await startTestGateway({ platform, patch: bad() });
    await platform.say(platform.message("first words"));
    await running.gateway.engine.idle();
    expect(await history(running)).toEqual([
      ["user", "first words"],
      ["notice", told],
    ]);
    expect(platform.sent).toMatchObject([{ outbound: { type: "text", text: told, replyTo: "message-1" } }]);
    expect((await running.store.listInputs({ state: "told", limit: 9 })).items).toMatchObject([{ message: { text: "first words" } }]);

    await mend(running);
    await platform.say(platform.message("second words"));
    await running.gateway.engine.idle();
    expect(platform.sent.at(-1)).toMatchObject({ outbound: { text: "Yes." } });
    expect(lastRequest()).toMatch(/first words.*second words/);
    // There was no prompt in which a file could have been truncated.
    expect(lastRequest()).not.toContain("truncation");
    expect((await history(running)).map(([type]) => type)).toEqual(["user", "notice", "user", "assistant"]);
    expect(platform.sent).toHaveLength(2);
  });

  test("by the `agent` method and /v1 returns the error to the caller, and the session has the message", async () => {
    await using running = await startTestGateway({ patch: bad() });
    using client = await TestClient.connect(running.gateway.url, running.token);
    const result = await client.call("agent", { message: "first words", idempotencyKey: "k1" });
    expect(result).toMatchObject({ outcome: { type: "failed", message: told }, text: "" });
    const answer = await fetch(`${running.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${running.token}`, "content-type": "application/json", "x-factotum-session": "notes" },
      body: JSON.stringify({ model: "factotum", messages: [{ role: "user", content: "words over HTTP" }] }),
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await history(running)).toEqual([
      ["user", "first words"],
      ["notice", told],
    ]);
    expect(await history(running, "agent:main:http:notes")).toEqual([
      ["user", "words over HTTP"],
      ["notice", told],
    ]);
    await mend(running);
    expect(await client.call("agent", { message: "second words", idempotencyKey: "k2" })).toMatchObject({ text: "Yes." });
    expect(lastRequest()).toMatch(/first words.*second words/);
  });
});

test("a refused message of an existing conversation is in the next request", async () => {
  await using running = await startTestGateway({ platform, patch: good });
  const say = async (text: string): Promise<void> => {
    await platform.say(platform.message(text));
    await running.gateway.engine.idle();
  };
  await say("first words");
  await running.gateway.reload({ ...running.settings(withoutModel(running.gateway.engine.parts.running.config)), token: running.token });
  await say("second words");
  expect(server.requests).toHaveLength(1);
  await mend(running);
  await say("third words");
  for (const words of ["first words", "second words", "third words"]) expect(lastRequest()).toContain(words);
});

test("a refused message that is too long for the model keeps its beginning and its end when no file can be stored", async () => {
  await using running = await startTestGateway({ platform, patch: withoutModel });
  // No file can be stored when a file occupies the folder's path.
  await writeFile(path.join(running.home, "media"), "");
  await platform.say(platform.message(`begin ${"lorem ipsum ".repeat(8_000)} end`));
  await running.gateway.engine.idle();
  expect(platform.sent).toMatchObject([{ outbound: { type: "text", text: told, replyTo: "message-1" } }]);
  expect((await running.store.listInputs({ state: "told", limit: 9 })).items).toHaveLength(1);
  await mend(running);
  await platform.say(platform.message("second words"));
  await running.gateway.engine.idle();
  expect(lastRequest()).toMatch(/begin lorem.*characters of this message are left out here\.\).*ipsum {2}end.*second words/);
});

test("in the page's own chat a refused message is one entry and one error, live and after a reload", async () => {
  platform = new TestPlatform("session-key");
  await using running = await startTestGateway({ platform, patch: withoutModel });
  using client = await TestClient.connect(running.gateway.url, running.token);
  await client.call("chat.subscribe", {});
  const origin = { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: KEY } };
  const message = platform.message("first words", { origin });
  await platform.say(message);
  await running.gateway.engine.idle();
  await client.until(() => client.events.find(({ type }) => type === "run-end"));
  const live = client.events.flatMap((event) => (event.type === "entry" ? [event.entry] : []));
  expect(live).toMatchObject([
    { type: "user", text: "first words", idempotencyKey: message.eventId },
    { type: "notice", level: "error", text: told },
  ]);
  expect((await client.call("chat.history", { sessionKey: KEY })).entries).toEqual(live);
  expect(platform.sent).toEqual([]);
});

test("an image of a refused message is shown to the model that answers later", async () => {
  await using running = await startTestGateway({ platform, patch: withoutModel });
  await platform.say(platform.message("what is this?", { attachments: [platform.attachment(PIXEL, { mimeType: "image/png" })] }));
  await running.gateway.engine.idle();
  const { entries } = await running.gateway.engine.sessions.history(KEY, { limit: 9 });
  expect(entries[0]).toMatchObject({ type: "user", text: "what is this?", attachments: 1 });
  await mend(running);
  await platform.say(platform.message("well?"));
  await running.gateway.engine.idle();
  expect(lastRequest()).toMatch(/what is this\?.*"image".*well\?/);
});

test("messages gathered into one refused turn are all stored, each with its own sender", async () => {
  await using running = await startTestGateway({
    platform,
    patch: (config) => ({
      ...withoutModel(config),
      messages: { ...config.messages, inbound: { ...config.messages.inbound, debounceMs: 250 } },
    }),
  });
  // One commit for all three, so that a slow machine cannot let the debounce window expire between them.
  await Promise.all(["one", "two", "three"].map((text) => platform.say(platform.message(text))));
  await running.gateway.engine.idle();
  expect(await history(running)).toEqual([
    ["user", "one"],
    ["user", "two"],
    ["user", "three"],
    ["notice", told],
  ]);
  expect((await running.store.listInputs({ state: "told", limit: 9 })).items).toHaveLength(3);
  expect(platform.sent).toHaveLength(1);
});

test("a refused message whose end could not be stored is answered once the setting is fixed", async () => {
  let fails = true;
  const around = withMethods((store) => ({
    endTurn: async (end) => {
      if (fails) throw new Error("the process ended here");
      return store.endTurn(end);
    },
  }));
  const first = await startTestGateway({ platform, patch: withoutModel, around });
  await platform.say(platform.message("first words"));
  while ((await first.store.listInputs({ state: "claimed", limit: 1 })).items.length === 0) await new Promise(setImmediate);
  await first.stop();
  fails = false;
  await using second = await startTestGateway({ platform, home: first.home, patch: good });
  await second.gateway.engine.idle();
  expect(platform.sent).toMatchObject([{ outbound: { text: "Yes." } }]);
  expect(await history(second)).toEqual([
    ["user", "first words"],
    ["assistant", "Yes."],
  ]);
});

test("a refused message whose end was stored, although the commit was reported as failed, is not processed again", async () => {
  let fails = true;
  const around = withMethods((store) => ({
    endTurn: async (end) => {
      const ended = await store.endTurn(end);
      if (!fails) return ended;
      fails = false;
      throw new StoreError("internal", "The disk did not say whether it has written this.");
    },
  }));
  await using running = await startTestGateway({ platform, patch: withoutModel, around });
  await platform.say(platform.message("first words"));
  await expect.poll(async () => (await running.store.listInputs({ state: "told", limit: 9 })).items.length).toBe(1);
  await mend(running);
  await platform.say(platform.message("second words"));
  await expect.poll(() => platform.sent.some(({ outbound }) => outbound.type === "text" && outbound.text === "Yes.")).toBe(true);
  await running.gateway.engine.idle();
  expect((await history(running)).map(([type]) => type)).toEqual(["user", "notice", "user", "assistant"]);
});

test("a refused message is in the next request even if nothing else has changed", async () => {
  await using running = await startTestGateway({ platform, patch: good });
  const reload = async (patch: Patch): Promise<void> =>
    running.gateway.reload({ ...running.settings(patch(running.gateway.engine.parts.running.config)), token: running.token });
  const say = async (text: string): Promise<void> => {
    await platform.say(platform.message(text));
    await running.gateway.engine.idle();
  };
  await say("first words");
  await reload(withoutKey);
  await say("second words");
  await reload(good);
  await say("third words");
  expect(server.requests).toHaveLength(2);
  expect(lastRequest()).toMatch(/first words.*second words.*third words/);
});

test("a client that waits for a refused input is notified of its turn before the turn ends", async () => {
  await using running = await startTestGateway({ platform, patch: withoutModel });
  const heard: string[] = [];
  await running.gateway.engine.submit(
    platform.message("first words"),
    { owner: true, kind: "user", sessionKey: KEY },
    {
      onClaimed: (runId) => void heard.push(`claimed ${runId}`),
      onReport: ({ runId }) => void heard.push(`report ${runId}`),
      onAnswered: () => void heard.push("answered"),
      onSettled: () => void heard.push("settled"),
    },
  );
  await running.gateway.engine.idle();
  const { items } = await running.store.listInputs({ state: "told", limit: 1 });
  expect(items).toHaveLength(1);
  const [runId = ""] = heard.map((line) => line.split(" ")[1]);
  expect(heard).toEqual([`claimed ${runId}`, `report ${runId}`]);
});

test("an upload is removed once its refused turn is on disk", async () => {
  await using running = await startTestGateway({ platform, patch: withoutModel });
  const { uploads } = running.gateway.engine.parts.media;
  const ref = await uploads.put(PIXEL);
  await platform.say(platform.message("what is this?", { attachments: [{ kind: "image", ref, mimeType: "image/png" }] }));
  await running.gateway.engine.idle();
  expect(await history(running)).toEqual([
    ["user", "what is this?"],
    ["notice", told],
  ]);
  expect(await uploads.read(ref)).toBeUndefined();
});

test("a message keeps its image if the store fails while it is refused and then works again", async () => {
  let fails = true;
  const around = withMethods((store) => ({
    readLastTurn: async (...parameters) => {
      if (!fails) return store.readLastTurn(...parameters);
      fails = false;
      throw new StoreError("internal", "The disk could not be read.");
    },
  }));
  await using running = await startTestGateway({ platform, patch: withoutModel, around });
  await platform.say(platform.message("what is this?", { attachments: [platform.attachment(PIXEL, { mimeType: "image/png" })] }));
  await platform.waitForSends(1);
  await running.gateway.engine.idle();
  await mend(running);
  await platform.say(platform.message("well?"));
  await running.gateway.engine.idle();
  expect(lastRequest()).toMatch(/what is this\?.*"image".*well\?/);
});

test("a message that is being refused when the gateway stops is answered by the next process", async () => {
  const reached = Promise.withResolvers<void>();
  let hangs = true;
  const around = withMethods((store) => ({
    readLastTurn: async (...parameters) => {
      if (!hangs) return store.readLastTurn(...parameters);
      hangs = false;
      reached.resolve();
      return new Promise<never>(() => undefined);
    },
  }));
  const first = await startTestGateway({ platform, patch: withoutModel, around });
  await platform.say(platform.message("first words"));
  await reached.promise;
  await first.stop();
  await using second = await startTestGateway({ platform, home: first.home, patch: good });
  await second.gateway.engine.idle();
  expect(platform.sent).toMatchObject([{ outbound: { text: "Yes." } }]);
  expect(await history(second)).toEqual([
    ["user", "first words"],
    ["assistant", "Yes."],
  ]);
});

test.runIf(process.platform === "linux")("names a workspace that cannot be created, and how to choose another", async () => {
  const inProc: Patch = (config) => {
    const patched = good(config);
    return { ...patched, agents: patched.agents.map((agent) => ({ ...agent, workspace: "/proc/nowhere" })) };
  };
  await using running = await startTestGateway({ patch: inProc });
  using client = await TestClient.connect(running.gateway.url, running.token);
  const result = await client.call("agent", { message: "hi", idempotencyKey: "k1" });
  const message = expect.stringContaining(
    "The workspace /proc/nowhere cannot be made (/proc takes no new folders); choose another with agents.defaults.workspace",
  ) as string;
  expect(result).toMatchObject({ outcome: { type: "failed", message } });
});
