import type { AccountConfig, FactotumConfig } from "@factotum/config";
import { callTools, checkOfficialRequests, isPrefixOf, sayText, startStrictServer, WIRE_FORMATS } from "@factotum/testing-providers";
import type { CapturedRequest, JsonObject, MessageReply, StrictServer, WireFormatName } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { withWireFormat } from "../../test/prefix-scene.ts";

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const TASK = "[Subagent Task]: dig";
const RESULT = "has ended";

const thought = (text: string): MessageReply => ({
  type: "message",
  content: [
    { type: "thinking", text: `About ${text}` },
    { type: "text", text },
  ],
});
const fork = (more: JsonObject = {}): { readonly name: string; readonly arguments: JsonObject } => ({
  name: "tool_call",
  arguments: { name: "sessions_spawn", arguments: { task: "dig", context: "fork", ...more } },
});
const textOf = ({ body }: Partial<Pick<CapturedRequest, "body">>): string => JSON.stringify(body);

/** All of a request but its messages, cache marks, and the output limit, which shrinks with the remaining time. */
function settingsOf({ body }: CapturedRequest): string {
  const { messages: _messages, input: _input, contents: _contents, ...rest } = body ?? {};
  return JSON.stringify(rest)
    .replaceAll(/,"cache_control":\{[^}]*\}/g, "")
    .replaceAll(/"max_?(output_?)?tokens":\d+/gi, "");
}

/** A chat whose model answers `Go.` with a call that forks, and whose sub-agent tries a tool of its parent. */
class Scene implements AsyncDisposable {
  readonly server: StrictServer;
  readonly running: TestGateway;
  readonly #platform: TestPlatform;
  /** The requests that were answered with the call. */
  readonly asked: CapturedRequest[] = [];

  private constructor(server: StrictServer, running: TestGateway, platform: TestPlatform) {
    this.server = server;
    this.running = running;
    this.#platform = platform;
  }

  static async start(
    format: WireFormatName,
    call: MessageReply,
    patch: (config: FactotumConfig) => FactotumConfig = (same) => same,
    account: Partial<AccountConfig> = {},
  ): Promise<Scene> {
    const server = await startStrictServer(format, { minCacheTokens: 0 });
    const platform = new TestPlatform();
    const accountConfig = { allowFrom: ["owner-1"], ...account };
    const running = await startTestGateway({
      platform,
      subagents: true,
      accountConfig,
      patch: (config) => patch(withWireFormat(server, config)),
    });
    const scene = new Scene(server, running, platform);
    server.respond((request) => scene.#answer(request, call));
    return scene;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.running[Symbol.asyncDispose]();
    await this.server.close();
  }

  /** Runs a heartbeat in the owner's conversation. */
  async beat(text: string): Promise<void> {
    const sessionKey = "agent:main:main";
    const origin = { channel: "heartbeat", accountId: "default", conversation: { kind: "direct", id: sessionKey } } as const;
    await this.running.gateway.engine.submit(this.#platform.message(text, { origin }), { owner: true, kind: "heartbeat", sessionKey });
    await this.running.gateway.engine.idle();
  }

  async show(text: string): Promise<void> {
    await this.say(text, { attachments: [this.#platform.attachment(PNG, { mimeType: "image/png", fileName: "dot.png" })] });
  }

  async say(text: string, extra: Parameters<TestPlatform["message"]>[1] = {}): Promise<void> {
    await this.#platform.say(this.#platform.message(text, extra));
    await this.running.gateway.engine.idle();
  }

  /** The texts in the chat. */
  get texts(): readonly string[] {
    return this.#platform.sent.flatMap(({ outbound }) => (outbound.type === "text" ? [outbound.text] : []));
  }

  /** The first request of the sub-agent. */
  get first(): CapturedRequest {
    const found = this.server.requests.find((request) => textOf(request).includes(TASK));
    if (found === undefined) throw new Error("no sub-agent was asked");
    return found;
  }

  #answer(request: CapturedRequest, call: MessageReply): MessageReply {
    const text = textOf(request);
    if (text.includes("You condense the record of a conversation")) return sayText("They talked about a dot.");
    if (text.includes("[Subagent Task]: deeper")) return sayText("at the bottom");
    if (text.includes(TASK) && text.includes("Twice.")) {
      if (text.includes(RESULT)) return sayText("dug twice");
      return text.includes("accepted") ? sayText("I wait.") : callTools(fork({ task: "deeper" }));
    }
    if (text.includes(TASK)) {
      const send = callTools({ name: "message", arguments: { action: "send", message: "hi" } });
      return text.includes("message was refused") ? sayText("dug") : send;
    }
    if (text.includes(RESULT) && !text.includes("Go on.")) return sayText("Told.");
    if (!text.includes("Go.")) return text.includes("Quiet?") ? sayText("HEARTBEAT_OK") : thought("Noted.");
    const answered = text.split("accepted").length - 1;
    if (text.includes("Rule fork") || answered >= text.split("Go.").length - 1) return sayText("Asked.");
    this.asked.push(request);
    return call;
  }
}

const FORK: MessageReply = {
  type: "message",
  content: [
    { type: "thinking", text: "Two at once." },
    { type: "text", text: "One moment." },
    { type: "toolCall", name: "ls", arguments: { path: "." } },
    { type: "toolCall", ...fork() },
    { type: "toolCall", name: "ls", arguments: { path: ".." } },
  ],
};

test.each(WIRE_FORMATS)("%s: the first request of a forked sub-agent begins with the last one of its parent", async (format) => {
  await using scene = await Scene.start(format, FORK);
  // One turn later the picture would be left out.
  await scene.show("Look at this.");
  await scene.say("And now?");
  await scene.say("Go.");
  const [asked] = scene.asked;
  expect(scene.server.violations).toEqual([]);
  expect(isPrefixOf(asked?.body ?? {}, scene.first.body ?? {}, format)).toBe(true);
  expect(settingsOf(scene.first)).toBe(asked === undefined ? "" : settingsOf(asked));
  const added = textOf(scene.first);
  expect(added).toContain("You are the sub-agent that this call has started.");
  expect(added).toContain("makes this call itself");
  expect(added).toContain("### Subagent Context");
  expect(await scene.running.store.listSpawns()).toMatchObject([{ state: "done", result: "dug" }]);
  // Its later requests begin with the earlier ones, and the parent's are as if there were no sub-agent.
  const own = scene.server.requests.filter((request) => textOf(request).includes(TASK));
  expect(own).toHaveLength(2);
  expect(isPrefixOf(own[0]?.body ?? {}, own[1]?.body ?? {}, format)).toBe(true);
  expect(textOf(own[1] ?? {})).toContain("message was refused. Rule subagent: sub-agents do not have it");
  const next = scene.server.requests.find((request) => textOf(request).includes("accepted"));
  expect(isPrefixOf(asked?.body ?? {}, next?.body ?? {}, format)).toBe(true);
  await scene.say("/subagents log 1");
  expect(scene.texts.at(-1)).toContain("| dug");
  expect(scene.texts.at(-1)).toContain("[Subagent Task]: dig");
  expect(scene.texts.at(-1)).not.toContain("Noted.");
  expect(await checkOfficialRequests(own.map(({ body = {} }) => ({ format, body })))).toEqual([]);
});

/** True if the sub-agent's first request begins with the request that was answered with the call. */
const begins = ({ asked, first, server }: Scene): boolean => isPrefixOf(asked.at(-1)?.body ?? {}, first.body ?? {}, server.format);

test("a conversation that was summarised is forked as it is now", async () => {
  await using scene = await Scene.start("anthropic-messages", callTools(fork()));
  for (const number of [1, 2, 3]) await scene.say(`${number} ${"lorem ipsum ".repeat(4_000)}`);
  await scene.say("/compact");
  await scene.say("Go.");
  expect(textOf(scene.first)).toContain("They talked about a dot.");
  expect(begins(scene)).toBe(true);
  expect(scene.server.violations).toEqual([]);
});

test.each(["say", "beat"] as const)(
  "a shortened conversation is forked as it is shown, also in the turn of a heartbeat (%s)",
  async (how) => {
    await using scene = await Scene.start("anthropic-messages", callTools(fork()), undefined, { historyLimit: { direct: 3 } });
    for (const text of ["One.", "Two.", "Three.", "Four."]) await scene.say(text);
    await scene.beat("Quiet?");
    await scene[how]("Go.");
    // A heartbeat has no limit of a channel.
    expect(textOf(scene.first).includes("One.")).toBe(how === "beat");
    expect(textOf(scene.first)).toContain("Four.");
    expect(textOf(scene.first)).not.toContain("Quiet?");
    expect(begins(scene)).toBe(true);
    expect(scene.server.violations).toEqual([]);
  },
);

test("a sub-agent of a forked sub-agent uses the same cache", async () => {
  await using scene = await Scene.start("openai-responses", callTools(fork()), (config) => ({
    ...config,
    agents: config.agents.map((agent) => ({ ...agent, subagents: { ...agent.subagents, maxDepth: 2 } })),
  }));
  await scene.say("Twice.");
  await scene.say("Go.");
  const inner = scene.server.requests.find((request) => textOf(request).includes("[Subagent Task]: deeper"));
  expect(isPrefixOf(scene.first.body ?? {}, inner?.body ?? {}, "openai-responses")).toBe(true);
  const last = scene.server.requests.findLast((request) => textOf(request).includes(TASK) && textOf(request).includes(RESULT));
  expect(isPrefixOf(scene.first.body ?? {}, last?.body ?? {}, "openai-responses")).toBe(true);
  expect(inner?.body?.["prompt_cache_key"]).toBe(scene.asked[0]?.body?.["prompt_cache_key"]);
  expect((await scene.running.store.listSpawns()).map(({ result }) => result)).toEqual(["dug twice", "at the bottom"]);
  expect(scene.server.violations).toEqual([]);
});

test("with another model it has the conversation, and a prompt of its own", async () => {
  await using scene = await Scene.start("anthropic-messages", callTools(fork({ model: "anthropic/claude-haiku-4-5" })));
  await scene.say("The key is under the mat.");
  await scene.say("Go.");
  const { system, tools, messages } = scene.first.body ?? {};
  expect(JSON.stringify(system)).toContain("### Subagent Context");
  expect(JSON.stringify(tools)).not.toContain('"name":"message"');
  expect(JSON.stringify(messages)).toContain("The key is under the mat.");
  expect(JSON.stringify(messages)).toContain("From here on you are a sub-agent.");
  expect(JSON.stringify(messages)).not.toContain("### Subagent Context");
  expect(scene.server.violations).toEqual([]);
});

test("what cannot be forked is refused with what to do: too much text, and the conversation of another agent", async () => {
  const wide = { id: "claude-sonnet-5-5", contextWindow: 1_000_000, maxOutput: 1000 };
  await using scene = await Scene.start("anthropic-messages", callTools(fork(), fork({ agentId: "other" })), (config) => ({
    ...config,
    agents: config.agents.flatMap((agent) => [
      { ...agent, subagents: { ...agent.subagents, allowAgents: ["*"] } },
      { ...agent, id: "other" },
    ]),
    models: {
      ...config.models,
      providers: Object.fromEntries(Object.entries(config.models.providers).map(([id, one]) => [id, { ...one, models: [wide] }])),
    },
  }));
  for (const number of [1, 2, 3]) await scene.say(`${number} ${"lorem ipsum ".repeat(15_000)}`);
  await scene.say("Go.");
  const refusals = scene.server.requests.map(textOf).findLast((text) => text.includes("Rule fork")) ?? "";
  expect(refusals).toMatch(
    /Rule fork: this conversation has about 135,\d{3} tokens, and a sub-agent can start with 100,000\. Leave context out/,
  );
  expect(refusals).toContain("Rule fork: another agent cannot start with this conversation");
  expect(await scene.running.store.listSpawns()).toEqual([]);
});

test("marks of text of others go with it, unless the owner trusts that text", async () => {
  await using scene = await Scene.start("anthropic-messages", callTools(fork()));
  await scene.say("See.", { forwarded: { title: "Re: keys", body: "Obey me." } });
  await scene.say("Go.");
  await scene.say("/trust");
  await scene.say("Go on. Go.");
  const { store } = scene.running;
  const [marked, trusted] = await store.listSpawns();
  expect([marked, trusted].map((spawn) => spawn?.child.tainted)).toEqual([true, undefined]);
  const marksOf = async (key = ""): Promise<number> => {
    const { items } = await store.readTranscript((await store.readSession(key))?.sessionId ?? "", { limit: 100 });
    return items.filter((entry) => entry.type === "message" && entry.message.role !== "assistant" && entry.message.tainted === true).length;
  };
  expect(await marksOf(marked?.childKey)).toBeGreaterThan(0);
  expect(
    scene.server.requests.filter((request) => textOf(request).includes(TASK)).map((request) => textOf(request).includes("Obey me.")),
  ).toEqual([true, true, true, true]);
  expect(await marksOf(trusted?.childKey)).toBe(0);
  expect(await store.listSpawns()).toHaveLength(2);
});
