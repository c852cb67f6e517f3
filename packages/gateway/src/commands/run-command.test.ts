import type { FactotumConfig } from "@factotum/config";
import { isPrefixOf, startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { listContextRequests } from "../requests/list-context-requests.ts";

const SESSION = "agent:main:main";

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

/** Two models with an alias, and one that is configured under its provider. */
const patch = (config: FactotumConfig): FactotumConfig => {
  const base = withModel(server.baseUrl)(config);
  return {
    ...base,
    agents: base.agents.map((agent) => ({
      ...agent,
      model: { primary: "anthropic/claude-sonnet-5-5", fallbacks: ["opus"] },
      models: { "anthropic/claude-opus-4-6": { alias: "opus", params: {} } },
    })),
    models: {
      ...base.models,
      providers: Object.fromEntries(
        Object.entries(base.models.providers).map(([id, provider]) => [id, { ...provider, models: [{ id: "claude-haiku-4-5" }] }]),
      ),
    },
  };
};

const start = (options: Partial<Parameters<typeof startTestGateway>[0]> = {}): Promise<TestGateway> =>
  startTestGateway({ platform, patch, ...options });

/** Sends a message and returns everything that was sent since. */
async function say(running: TestGateway, text: string): Promise<string[]> {
  const before = platform.sent.length;
  await platform.say(platform.message(text));
  await running.gateway.engine.idle();
  return platform.sent.slice(before).map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
}

const overrides = async (running: TestGateway): Promise<unknown> => (await running.store.readSession(SESSION))?.overrides;
const asked = (): unknown[] => server.requests.map(({ body }) => body?.["model"]);

async function causes(running: TestGateway): Promise<readonly (readonly string[])[]> {
  const { requests } = await listContextRequests({ sessionKey: SESSION, limit: 50 }, running.gateway.engine.parts);
  return requests.map((request) => request.causes).toReversed();
}

describe("/model", () => {
  test("shows the model and why, lists the configured ones, and makes no model request", async () => {
    await using running = await start();
    expect(await say(running, "/model")).toEqual([
      "model anthropic/claude-sonnet-5-5, because it is configured for the agent main.\nWhen it fails: opus.\n/model list names the models that are configured.",
    ]);
    expect(await say(running, "/model list")).toEqual([
      "- anthropic/claude-sonnet-5-5 (in use)\n- opus: anthropic/claude-opus-4-6\n- anthropic/claude-haiku-4-5\n/model <name> chooses one of these, or any other of a provider that has a key, as provider/model.",
    ]);
    expect(server.requests).toEqual([]);
    expect(await running.store.readSession(SESSION)).toBeUndefined();
  });

  test("sets one for the conversation, even before the first message and over a restart; default undoes it; each is a named cause", async () => {
    const first = await start();
    expect(await say(first, "/model opus")).toEqual(["This conversation uses anthropic/claude-opus-4-6 from the next message on."]);
    await say(first, "one");
    await first.stop();
    await using second = await start({ home: first.home });
    await say(second, "two");
    expect(await say(second, "/model")).toEqual([
      "model anthropic/claude-opus-4-6, because it was chosen for this conversation.\nWhen it fails, no other one is asked.\n/model list names the models that are configured.",
    ]);
    expect(await say(second, "/model default")).toEqual([
      "From the next message on: model anthropic/claude-sonnet-5-5, because it is configured for the agent main.",
    ]);
    await say(second, "three");
    expect(asked()).toEqual(["claude-opus-4-6", "claude-opus-4-6", "claude-sonnet-5-5"]);
    expect(await causes(second)).toEqual([["new-session"], [], ["model-change"]]);
    expect(await overrides(second)).toEqual({});
    expect(server.violations).toEqual([]);
  });

  test("changes nothing if the model does not exist, and suggests the most similar one", async () => {
    await using running = await start();
    expect((await say(running, "/model opsu"))[0]).toMatch(/opsu.*opus.*The model stays as it is/s);
    await say(running, "hello");
    expect(asked()).toEqual(["claude-sonnet-5-5"]);
    expect(await overrides(running)).toEqual({});
  });

  test("refuses one of a provider that is not configured and has no key, and sends nothing there", async () => {
    const fetched: string[] = [];
    await using running = await start({
      fetch: async (input, init) => {
        fetched.push(new URL(input instanceof Request ? input.url : input).host);
        return fetch(input, init);
      },
    });
    for (const command of ["/model mistral/mistral-large-latest", "/new mistral/mistral-large-latest"])
      expect((await say(running, command))[0]).toMatch(/There is no key for mistral: set MISTRAL_API_KEY.*\/model list/s);
    expect(await overrides(running)).toEqual(undefined);
    await say(running, "hello");
    // A session may contain it from an earlier version.
    await running.store.patchSession(SESSION, { overrides: { model: "mistral/mistral-large-latest" } }, { nowMs: 1 });
    expect((await say(running, "hello?"))[0]).toMatch(/key/);
    expect([...new Set(fetched)]).toEqual([new URL(server.baseUrl).host]);
  });

  test("refuses a model whose vendor has no key, although the configuration names the vendor", async () => {
    const named = (config: FactotumConfig): FactotumConfig => {
      const base = patch(config);
      return {
        ...base,
        agents: base.agents.map((agent) => ({ ...agent, model: { primary: "opus", fallbacks: ["mistral/mistral-small"] } })),
      };
    };
    await using running = await start({ patch: named });
    const [text] = await say(running, "/model mistral/mistral-large-latest");
    expect(text).toMatch(/^There is no key for mistral: set MISTRAL_API_KEY, or run "factotum auth set mistral"/);
  });

  test("says what to do if the chosen one is no longer usable", async () => {
    const first = await start();
    await say(first, "/model opus");
    await first.stop();
    await using second = await start({ home: first.home });
    await second.store.patchSession(SESSION, { overrides: { model: "gone/for-good" } }, { nowMs: 1 });
    for (const command of ["/model", "/status"])
      expect((await say(second, command))[0]).toMatch(/gone\/for-good cannot be used.*\/model default/s);
  });
});

describe("/think", () => {
  test("shows, sets and undoes the level, with the level that the model actually gets", async () => {
    await using running = await start();
    expect((await say(running, "/think"))[0]).toMatch(/^thinking is left to the model\.\n\/think takes off, low, .*, or default\.$/);
    expect(await say(running, "/think high")).toEqual(["From the next message on: thinking high, as it was chosen for this conversation."]);
    await say(running, "one");
    expect((await say(running, "/think minimal"))[0]).toContain("thinking is low in place of minimal");
    await say(running, "two");
    expect((await say(running, "/think a lot of"))[0]).toBe("Yes.");
    expect((await say(running, "/think much"))[0]).toContain('"much" is no level of thinking');
    await say(running, "/think default");
    await say(running, "three");
    const efforts = server.requests.map(({ body }) => (body?.["output_config"] as { effort?: string } | undefined)?.effort);
    expect(efforts).toEqual(["high", "low", "low", undefined]);
    expect(await causes(running)).toEqual([["new-session"], ["model-change"], [], ["model-change"]]);
    expect((await say(running, "/status"))[0]).toContain("Thinking is left to the model.");
    expect(server.violations).toEqual([]);
  });

  test("inside a message reports with the answer if the model does not take the level", async () => {
    await using running = await start();
    expect((await say(running, "one /think high"))[0]).toBe("Yes.");
    const [answer = ""] = await say(running, "two /think minimal");
    expect(answer).toMatch(/^Yes\.\n\n_.*thinking is low in place of minimal\._$/);
    expect((await say(running, "three"))[0]).toBe("Yes.");
  });

  test("inside a message applies to that message alone, is hidden from the model and changes no prompt", async () => {
    await using running = await start();
    await say(running, "one");
    await say(running, "two /think high please");
    await say(running, "three");
    const efforts = server.requests.map(({ body }) => (body?.["output_config"] as { effort?: string } | undefined)?.effort);
    expect(efforts).toEqual([undefined, "high", undefined]);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("two please");
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain("/think");
    expect(await causes(running)).toEqual([["new-session"], [], []]);
    expect(await overrides(running)).toEqual({});
    expect(server.violations).toEqual([]);
  });
});

const thoughtful = (thinking: string, ...content: Extract<AnthropicReply, { type: "message" }>["content"]): AnthropicReply => ({
  type: "message",
  content: [{ type: "thinking", thinking }, ...content],
});

describe("/reasoning", () => {
  const lookAround = (): void =>
    server.script([
      thoughtful("First I look.", { type: "tool_use", name: "ls", input: { path: "." } }),
      thoughtful("It is empty.\nSo I say so.", { type: "text", text: "Nothing there." }),
    ]);

  test("is off by default: no thought is sent", async () => {
    await using running = await start();
    await say(running, "/think high");
    lookAround();
    expect(await say(running, "look")).toEqual(["Nothing there."]);
    expect((await say(running, "/reasoning"))[0]).toBe("thoughts are hidden. /reasoning takes off, on, stream or default.");
  });

  test("on shows the thoughts of a run before its reply, stream as they come; the prompt is informed", async () => {
    await using running = await start();
    await say(running, "/think high");
    expect(await say(running, "/reasoning on")).toEqual(["From the next message on: thoughts are shown before the reply."]);
    lookAround();
    expect(await say(running, "look")).toEqual(["_Thoughts_\n\n> First I look.\n>\n> It is empty.\n> So I say so.", "Nothing there."]);
    await say(running, "/reasoning stream");
    lookAround();
    expect(await say(running, "look again")).toEqual([
      "_Thoughts_\n\n> First I look.",
      "_Thoughts_\n\n> It is empty.\n> So I say so.",
      "Nothing there.",
    ]);
    await say(running, "/reasoning off");
    lookAround();
    expect(await say(running, "and again")).toEqual(["Nothing there."]);
    expect(await causes(running)).toEqual([["new-session"], [], ["reasoning-change"], [], ["reasoning-change"], []]);
    expect(JSON.stringify(server.requests[0]?.body?.["system"])).toContain(
      "Your thoughts are shown in the chat, separately from the reply.",
    );
    expect(server.violations).toEqual([]);
  });

  test("requests thoughts if no thinking level is set, and stops once it is off", async () => {
    await using running = await start();
    await say(running, "hello");
    await say(running, "/reasoning on");
    server.script([thoughtful("Why not.", { type: "text", text: "Done." })]);
    expect(await say(running, "do it")).toEqual(["_Thoughts_\n\n> Why not.", "Done."]);
    await say(running, "/reasoning default");
    await say(running, "do it");
    expect(server.requests.map(({ body }) => body?.["thinking"])).toEqual([
      undefined,
      { type: "adaptive", display: "summarized" },
      undefined,
    ]);
    expect(server.violations).toEqual([]);
  });

  test("says if there is nothing to show: thinking is off, or the model exposes none", async () => {
    await using running = await start();
    await say(running, "/think off");
    const [answer] = await say(running, "/reasoning stream");
    expect(answer).toBe(
      "From the next message on: thoughts are shown as soon as they are complete. Thinking is off, so there is nothing to show; /think default lets the model think.",
    );
    expect((await say(running, "/reasoning off"))[0]).toBe("From the next message on: thoughts are hidden.");
    await say(running, "/think default");
    await say(running, "/model demo/demo");
    expect((await say(running, "/reasoning on"))[0]).toMatch(/ demo\/demo gives no thoughts, so there is nothing to show\.$/);
    await say(running, "/reasoning off");
    expect((await say(running, "/reasoning on hello")).at(-1)).toMatch(/demo\/demo gives no thoughts/);
    await say(running, "/model default");
    await say(running, "/reasoning on");
    expect((await say(running, "/model demo/demo"))[0]).toMatch(/demo\/demo gives no thoughts/);
  });

  test("inside a message applies to that message alone, and silence stays silence", async () => {
    await using running = await start();
    await say(running, "/think high");
    server.script([thoughtful("Why not.", { type: "text", text: "Done." }), textReply("Done.")]);
    expect(await say(running, "/reasoning on do it")).toEqual(["_Thoughts_\n\n> Why not.", "Done."]);
    expect(await say(running, "do it")).toEqual(["Done."]);
    server.script([thoughtful("Not for me.", { type: "text", text: "NO_REPLY" })]);
    expect(await say(running, "/reasoning on for your information")).toEqual([]);
    expect(await causes(running)).toEqual([["new-session"], [], []]);
  });

  test("sends nothing if the send policy denies", async () => {
    await using running = await start();
    await say(running, "/think high");
    await say(running, "/reasoning stream");
    await running.store.patchSession(SESSION, { overrides: { sendPolicy: "deny" } }, { nowMs: 1 });
    lookAround();
    expect(await say(running, "look")).toEqual([]);
  });
});

test("commands are for admitted senders; others get no answer and change nothing", async () => {
  await using running = await start({ accountConfig: { dmPolicy: "allowlist", allowFrom: ["guest-1"] } });
  const before = platform.sent.length;
  for (const text of ["/model opus", "/think high", "/reasoning on", "/status"])
    await platform.say(platform.message(text, { sender: { id: "stranger", isBot: false } }));
  await running.gateway.engine.idle();
  expect(platform.sent.slice(before)).toEqual([]);
  expect(await running.store.readSession(SESSION)).toBeUndefined();
  await platform.say(platform.message("/think low", { sender: { id: "guest-1", isBot: false } }));
  await running.gateway.engine.idle();
  expect(platform.sent).toHaveLength(before + 1);
});

test("a setting made during a turn applies from the next one on", async () => {
  await using running = await start();
  const gate = server.hold();
  await platform.say(platform.message("one"));
  await server.nextRequest();
  await platform.say(platform.message("/model opus"));
  await platform.waitForSends(1);
  gate.open();
  await running.gateway.engine.idle();
  server.script([toolReply({ name: "ls", input: { path: "." } }), textReply("Empty.")]);
  await say(running, "two");
  expect(asked()).toEqual(["claude-sonnet-5-5", "claude-opus-4-6", "claude-opus-4-6"]);
  const bodies = server.requests.map(({ body }) => body ?? {});
  expect(isPrefixOf(bodies[1] ?? {}, bodies[2] ?? {})).toBe(true);
});

test("for clients that read the conversation itself, the answer is part of it, even as its first entry", async () => {
  platform = new TestPlatform("session-key");
  await using running = await start();
  const key = "agent:main:fresh";
  const origin = { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: key } };
  await platform.say(platform.message("/think", { origin }));
  await running.gateway.engine.idle();
  const { entries } = await running.gateway.engine.sessions.history(key, { limit: 10 });
  expect(entries).toMatchObject([
    { type: "user", text: "/think" },
    { type: "notice", text: expect.stringContaining("thinking is left to the model") as string },
  ]);
  expect(platform.sent).toEqual([]);
});

test("/help lists every command with its summary", async () => {
  await using running = await start();
  const [help = ""] = await say(running, "/help");
  for (const name of ["/model", "/think", "/reasoning", "/verbose", "/status"]) expect(help).toMatch(new RegExp(`^${name}: .+`, "m"));
});

describe("before the first message, and to a guest", () => {
  const asGuest = async (running: TestGateway, text: string): Promise<string> => {
    const origin = { channel: "test", accountId: "default", conversation: { kind: "group", id: "group-1" } } as const;
    await platform.say(platform.message(text, { origin, sender: { id: "guest", isBot: false }, mentionsBot: true }));
    await running.gateway.engine.idle();
    const last = platform.sent.at(-1)?.outbound;
    return last?.type === "text" ? last.text : "";
  };
  const groups = { accountConfig: { groupPolicy: "open" } } as const;

  test.each(["/context", "/context detail"])("%s says that there is nothing yet, and names no session", async (command) => {
    await using running = await start(groups);
    const answer = await asGuest(running, command);
    expect(answer).toContain("nothing to show yet");
    expect(answer).not.toContain("agent:");
  });

  test("/status names the credential to the owner alone, and not in a group", async () => {
    await using running = await start(groups);
    expect((await say(running, "/status"))[0]).toMatch(/^Credential \S/m);
    const answer = await asGuest(running, "/status");
    expect(answer).toContain("Agent main");
    expect(answer).not.toContain("Credential");
    const origin = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-2" } };
    await platform.say(platform.message("/status", { origin, mentionsBot: true }));
    await running.gateway.engine.idle();
    const inGroup = JSON.stringify(platform.sent.at(-1)?.outbound);
    expect(inGroup).toContain("Agent main");
    expect(inGroup).not.toContain("Credential");
  });
});
