import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { FactotumConfig, HumanDelayConfig } from "@factotum/config";
import type { Store } from "@factotum/store";
import { createGate, startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer, Gate } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import { startTestGateway, TestPlatform, withModel } from "../../../test/gateway-harness.ts";
import type { TestGateway } from "../../../test/gateway-harness.ts";

const SESSION = "agent:main:main";

/** Ten different paragraphs of about sixty characters. */
const PARAGRAPHS = Array.from({ length: 10 }, (_, index) => `Paragraph ${index} ${String.fromCharCode(97 + index).repeat(40)} ends here.`);
const LONG = PARAGRAPHS.join("\n\n");

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

interface Settings {
  readonly default?: "on" | "off";
  readonly break?: "text_end" | "message_end";
  readonly humanDelay?: HumanDelayConfig;
  readonly idleMs?: number;
  readonly account?: NonNullable<Parameters<typeof startTestGateway>[0]>["accountConfig"];
  readonly home?: string;
  readonly contextWindow?: number;
  readonly around?: (store: Store) => Store;
}

function start(settings: Settings = {}): Promise<TestGateway> {
  const rows = {
    blockStreamingDefault: settings.default ?? "on",
    blockStreamingBreak: settings.break ?? "text_end",
    blockStreamingChunk: { minChars: 50, maxChars: 150 },
    blockStreamingCoalesce: { idleMs: settings.idleMs ?? 1 },
    ...withoutUndefined({ humanDelay: settings.humanDelay }),
  } as const;
  return startTestGateway({
    platform,
    accountConfig: settings.account ?? { blockStreaming: true },
    patch: (config: FactotumConfig) => {
      const base = withWindow(withModel(server.baseUrl)(config), settings.contextWindow);
      return { ...base, agents: base.agents.map((agent) => ({ ...agent, ...rows })) };
    },
    ...withoutUndefined({ home: settings.home, around: settings.around }),
  });
}

/** A model with this context window. */
function withWindow(config: FactotumConfig, contextWindow?: number): FactotumConfig {
  const anthropic = config.models.providers["anthropic"];
  if (anthropic === undefined || contextWindow === undefined) return config;
  const models = [{ id: "claude-sonnet-5-5", contextWindow, maxOutput: 1_000 }];
  return { ...config, models: { ...config.models, providers: { anthropic: { ...anthropic, models } } } };
}

const shown = (): string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : outbound.type));
/** The shown messages as one text, without whitespace. */
const words = (texts: readonly string[]): string => texts.join(" ").replaceAll(/\s+/g, " ").trim();

/** An answer that pauses in the middle until the gate opens. */
function halting(text: string, until: Gate, afterBytes = 6_000): AnthropicReply {
  return { type: "message", content: [{ type: "text", text }], deltaCharacters: 7, fault: { type: "stall", afterBytes, until } };
}

describe("an answer", () => {
  test.each([
    ["off by default", { default: "off" as const }],
    ["not configured for the account", { account: {} }],
  ])("is one message when blocks are %s", async (_name, settings) => {
    server.script([textReply(LONG)]);
    await using running = await start(settings);
    await platform.say(platform.message("hi"));
    await running.gateway.engine.idle();
    expect(shown()).toEqual([LONG]);
  });

  test("is sent in blocks on a platform that uses them by default", async () => {
    platform = new TestPlatform("platform", { blocksByDefault: true });
    server.script([textReply(LONG)]);
    await using running = await start({ account: {} });
    await platform.say(platform.message("hi"));
    await running.gateway.engine.idle();
    expect(shown().length).toBeGreaterThan(3);
    expect(words(shown())).toBe(words([LONG]));
  });
});

describe("blocks", () => {
  test("are sent while the answer is written, in order, each once; only the first is a reply", async () => {
    const gate = createGate();
    server.script([halting(LONG, gate)]);
    await using running = await start();
    const message = platform.message("hi");
    await platform.say(message);
    await platform.waitForSends(2);
    const before = shown();
    expect(words([LONG]).startsWith(words(before))).toBe(true);
    gate.open();
    await running.gateway.engine.idle();
    expect(shown().slice(0, before.length)).toEqual(before);
    expect(shown().length).toBeGreaterThan(before.length);
    expect(words(shown())).toBe(words([LONG]));
    for (const text of shown()) expect(text.length).toBeLessThanOrEqual(150);
    expect(platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.replyTo : ""))).toEqual([
      message.messageId,
      ...shown()
        .slice(1)
        .map(() => undefined),
    ]);
  });

  test("with message_end are sent only when the message is complete", async () => {
    const gate = createGate();
    server.script([halting(LONG, gate, 12_000)]);
    await using running = await start({ break: "message_end" });
    await platform.say(platform.message("hi"));
    await server.nextRequest();
    gate.open();
    await running.gateway.engine.idle();
    expect(shown().length).toBeGreaterThan(3);
    expect(words(shown())).toBe(words([LONG]));
    const { items } = await running.store.listSessions({ limit: 1 });
    expect(items).toHaveLength(1);
  });

  test.each(["text_end", "message_end"] as const)(
    "text before a tool call is sent before it, text after it afterwards (%s)",
    async (at) => {
      server.script([
        {
          type: "message",
          content: [
            { type: "text", text: "I look first." },
            { type: "tool_use", name: "ls", input: {} },
          ],
        },
        {
          type: "message",
          content: [
            { type: "text", text: `${LONG}` },
            { type: "tool_use", name: "message", input: { action: "send", message: "On the way." } },
          ],
        },
        textReply("Done."),
      ]);
      await using running = await start({ break: at });
      await platform.say(platform.message("hi"));
      await running.gateway.engine.idle();
      expect(words(shown())).toBe(words(["I look first.", LONG, "On the way.", "Done."]));
      expect(shown()[0]).toBe("I look first.");
      expect(shown().slice(-2)).toEqual(["On the way.", "Done."]);
    },
  );

  test("text with the last tool call, with nothing after it, is the answer and is not repeated", async () => {
    server.script([
      {
        type: "message",
        content: [
          { type: "text", text: "It is done." },
          { type: "tool_use", name: "ls", input: {} },
        ],
      },
      { type: "message", content: [] },
    ]);
    await using running = await start();
    await platform.say(platform.message("hi"));
    await running.gateway.engine.idle();
    expect(shown()).toEqual(["It is done."]);
  });

  test("a code block that is split is closed and reopened, also at the end of the streamed part", async () => {
    const code = `See:\n\n\`\`\`js\n${Array.from({ length: 20 }, (_, index) => `const line${index} = ${index};`).join("\n")}\n\`\`\`\n\nThat is all.`;
    server.script([{ type: "message", content: [{ type: "text", text: code }], deltaCharacters: 5 }]);
    await using running = await start();
    await platform.say(platform.message("hi"));
    await running.gateway.engine.idle();
    for (const text of shown()) expect(text.split("```").length % 2).toBe(1);
    const lines = words(shown()).match(/const line\d+ = \d+;/g);
    expect(lines).toHaveLength(20);
    expect(new Set(lines).size).toBe(20);
  });
});

describe("text that is not for the chat", () => {
  test.each(["NO_REPLY", "no_reply\n", "[[reply_to_current]] NO_REPLY"])("%j in pieces is never shown", async (silence) => {
    server.script([{ type: "message", content: [{ type: "text", text: silence }], deltaCharacters: 1 }]);
    await using running = await start();
    await platform.say(platform.message("hi"));
    await running.gateway.engine.idle();
    expect(shown()).toEqual([]);
  });

  test("tags and file lines in pieces are never shown", async () => {
    const text = `[[reply_to_current]] ${LONG}\n\n[[reply_to:x]]\nMEDIA:/etc/passwd\nBye.`;
    server.script([{ type: "message", content: [{ type: "text", text }], deltaCharacters: 1 }]);
    await using running = await start();
    await platform.say(platform.message("hi"));
    await running.gateway.engine.idle();
    expect(shown().join("\n")).not.toMatch(/reply_to|MEDIA:/);
    expect(words(shown())).toContain("Bye.");
  });

  test("an answer that ends before its blocks were filled leaves nothing to the next answer", async () => {
    const look = { type: "text", text: "I look first." } as const;
    const reply: AnthropicReply = { type: "message", content: [look, { type: "tool_use", name: "ls", input: {} }] };
    server.script([reply, { type: "message", content: [{ type: "text", text: LONG }], deltaCharacters: 7 }]);
    await using running = await start({ idleMs: 60_000 });
    await platform.say(platform.message("hi"));
    await running.gateway.engine.idle();
    expect(words(shown())).toBe(words(["I look first.", LONG]));
  });

  test("answers keep their numbers when the turn is compacted in the middle: no later answer counts as shown", async () => {
    const look = { type: "text", text: "I look first." } as const;
    server.script([
      { type: "message", content: [look, { type: "tool_use", name: "ls", input: {} }] },
      { type: "error", errorType: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
      { type: "message", content: [{ type: "text", text: LONG }], deltaCharacters: 7 },
    ]);
    await using running = await start({ contextWindow: 20_000 });
    await platform.say(platform.message(`hi ${"lorem ipsum ".repeat(4_000)}`));
    await running.gateway.engine.idle();
    expect((await running.store.readSession(SESSION))?.compactionCount).toBe(1);
    expect(words(shown())).toBe(words(["I look first.", LONG]));
  });

  test("text that was sent with a tool is not repeated; other text is sent", async () => {
    const sent = `${LONG}\n\nOnce.`;
    server.script([
      toolReply({ name: "message", input: { action: "send", message: sent } }),
      { type: "message", content: [{ type: "text", text: sent }], deltaCharacters: 9 },
      toolReply({ name: "message", input: { action: "send", message: "Once." } }),
      textReply("Once. And more."),
    ]);
    await using running = await start();
    await platform.say(platform.message("hi"));
    await running.gateway.engine.idle();
    expect(shown()).toEqual([sent]);
    await platform.say(platform.message("again"));
    await running.gateway.engine.idle();
    expect(shown().slice(1)).toEqual(["Once.", "Once. And more."]);
  });

  test("nothing more is sent after /stop, not even text that had its row", async () => {
    const gate = createGate();
    server.script([halting(LONG, gate)]);
    await using running = await start({ humanDelay: { mode: "custom", minMs: 3_600_000, maxMs: 3_600_000 } });
    await platform.say(platform.message("hi"));
    await platform.waitForSends(1);
    const [first] = shown();
    while ((await running.store.listPendingOutbound({ limit: 10 })).length === 0) await new Promise((resolve) => setImmediate(resolve));
    await platform.say(platform.message("/stop"));
    gate.open();
    while ((await running.store.listPendingOutbound({ limit: 10 })).some(({ purpose }) => purpose === "reply"))
      await new Promise((resolve) => setImmediate(resolve));
    expect(shown()[0]).toBe(first);
    expect(words(shown())).not.toContain("Paragraph 9");
    expect(shown().filter((text) => text.startsWith("Paragraph"))).toEqual([first]);
  });

  test("nothing is sent if the send policy denies it", async () => {
    server.script([textReply("Hello."), textReply(LONG)]);
    await using running = await start();
    await platform.say(platform.message("hi"));
    await running.gateway.engine.idle();
    await running.store.patchSession(SESSION, { overrides: { sendPolicy: "deny" } }, { nowMs: 1 });
    await platform.say(platform.message("more"));
    await running.gateway.engine.idle();
    expect(shown()).toEqual(["Hello."]);
  });
});

describe("a process that ends in the middle of an answer", () => {
  /** A copy of the disk as a killed process leaves it. */
  async function killed(home: string): Promise<string> {
    const copy = await mkdtemp(path.join(tmpdir(), "factotum-killed-"));
    await cp(home, copy, { recursive: true });
    return copy;
  }

  test.each(["stopped", "killed"])("%s: nothing is shown twice, and the rest is delivered", async (how) => {
    const gate = createGate();
    server.script([halting(LONG, gate)]);
    const first = await start();
    await platform.say(platform.message("hi"));
    await platform.waitForSends(2);
    // Waits until the receipts of shown messages are recorded: a kill before that is covered by the outbox tests.
    while ((await first.store.listPendingOutbound({ limit: 10 })).length > 0) await new Promise((resolve) => setImmediate(resolve));
    const before = shown();
    const home = how === "killed" ? await killed(first.home) : first.home;
    if (how === "stopped") await first.stop();
    server.respond(() => ({ type: "message", content: [{ type: "text", text: LONG }], deltaCharacters: 11 }));
    const second = await start({ home });
    await platform.waitForSends(before.length + 1);
    await second.gateway.engine.idle();
    const after = shown();
    await second.stop();
    gate.open();
    if (how === "killed") await first[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
    expect(words(after)).toBe(words([LONG]));
    expect(after.slice(0, before.length)).toEqual(before);
  });

  test("stopped while text before a tool call is sent: the rest of it is delivered", async () => {
    const content = [
      { type: "text", text: LONG },
      { type: "tool_use", name: "ls", input: {} },
    ] as const;
    server.script([{ type: "message", content }]);
    const begun = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const first = await start({
      break: "message_end",
      around: (store) =>
        new Proxy(store, {
          get: (target, name: keyof Store) =>
            name === "addOutbound"
              ? async (...parameters: Parameters<Store["addOutbound"]>) => {
                  begun.resolve();
                  await stopped.promise;
                  return target.addOutbound(...parameters);
                }
              : (target[name] as () => unknown).bind(target),
        }),
    });
    await platform.say(platform.message("hi"));
    await begun.promise;
    const stopping = first.stop();
    stopped.resolve();
    await stopping;
    server.respond(() => textReply("That was it."));
    await using second = await start({ home: first.home });
    await second.gateway.engine.idle();
    expect(words(shown())).toBe(words([LONG, "That was it."]));
  });

  test("after an answer that continued with a tool, numbers later answers from there", async () => {
    const gate = createGate();
    const look: AnthropicReply = {
      type: "message",
      content: [
        { type: "text", text: "I look first." },
        { type: "tool_use", name: "ls", input: {} },
      ],
    };
    server.script([look, halting(LONG, gate)]);
    const first = await start();
    await platform.say(platform.message("hi"));
    await platform.waitForSends(3);
    const home = await killed(first.home);
    const before = shown().length;
    server.respond(() => textReply(LONG));
    const second = await start({ home });
    await platform.waitForSends(before + 1);
    await second.gateway.engine.idle();
    // A row on the wire at the kill is sent again under its key, by which a platform deduplicates it.
    const after = [...new Map(platform.sent.map(({ idempotencyKey, outbound }) => [idempotencyKey, outbound])).values()];
    await second.stop();
    gate.open();
    await first[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
    const texts = after.map((outbound) => (outbound.type === "text" ? outbound.text : ""));
    expect(words(texts)).toBe(words(["I look first.", LONG]));
  });
});
