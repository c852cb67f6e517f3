import type { AccountConfig } from "@factotum/config";
import { textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import { TestPlatform } from "../../test/gateway-harness.ts";
import { ReplyScene } from "../../test/reply-scene.ts";
import type { AgentPatch } from "../../test/reply-scene.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const SESSION = "agent:main:main";

let scene: ReplyScene;
let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  scene = await ReplyScene.create();
  ({ server, platform } = scene);
});
afterEach(() => scene[Symbol.asyncDispose]());

const start = (agent: AgentPatch = {}, accountConfig: Partial<AccountConfig> = {}): Promise<TestGateway> =>
  scene.start(agent, accountConfig);

async function say(running: TestGateway, text: string): Promise<readonly string[]> {
  return scene.sentDuring(running, async () => platform.say(platform.message(text)));
}

describe("blocks of an answer", () => {
  const TEXT = "word ".repeat(400).trim();
  const blocks = (maxChars: number): AgentPatch => ({
    blockStreamingDefault: "on",
    blockStreamingChunk: { minChars: 1, maxChars },
    blockStreamingCoalesce: { idleMs: 1 },
  });

  test.each([
    ["as many characters as the agent's blocks", { maxChars: 150, platformChars: 4_000, chunkLimit: undefined, shown: 150 }],
    ["as the platform takes", { maxChars: 3_000, platformChars: 100, chunkLimit: undefined, shown: 100 }],
    ["as the account wants", { maxChars: 3_000, platformChars: 4_000, chunkLimit: 120, shown: 120 }],
    ["as the platform takes where the account wants more", { maxChars: 3_000, platformChars: 100, chunkLimit: 120, shown: 100 }],
    ["as anybody can read, however few are wanted", { maxChars: 5, platformChars: 4_000, chunkLimit: 5, shown: 32 }],
  ])("have at most %s", async (_name, { maxChars, platformChars, chunkLimit, shown }) => {
    const text = { maxLength: platformChars, unit: "utf16" as const, markdown: "full" as const, dialect: "markdown" };
    platform = new TestPlatform("platform", { text });
    scene.platform = platform;
    server.script([textReply(TEXT)]);
    await using running = await start(blocks(maxChars), {
      blockStreaming: true,
      ...withoutUndefined({ textChunkLimit: chunkLimit }),
    });
    const pieces = await say(running, "hello");
    expect(pieces.join(" ")).toBe(TEXT);
    const longest = Math.max(...pieces.map(({ length }) => length));
    expect(longest).toBeLessThanOrEqual(shown);
    expect(longest).toBeGreaterThan(shown - 10);
  });
});

describe("a run that somebody stops elsewhere", () => {
  const stop = (running: TestGateway): Promise<unknown> =>
    running.gateway.engine.sessions.stopper.stop(SESSION, { queued: false, reason: "you asked me to stop" });

  test("is told to its sender, as a reply to what was said", async () => {
    await using running = await start();
    const gate = server.hold();
    await platform.say(platform.message("hello"));
    await server.nextRequest();
    await stop(running);
    gate.open();
    await running.gateway.engine.idle();
    expect(platform.sent).toMatchObject([{ outbound: { text: "The work on this message was stopped.", replyTo: "message-1" } }]);
    expect((await running.store.listInputs({ state: "interrupted", limit: 9 })).items).toHaveLength(1);
  });

  test("is not told where it was stopped: there the answer to that says so", async () => {
    await using running = await start();
    const gate = server.hold();
    await platform.say(platform.message("hello"));
    await server.nextRequest();
    await platform.say(platform.message("/stop"));
    gate.open();
    await running.gateway.engine.idle();
    expect(scene.sentTexts()).toEqual(["Stopped what I was working on."]);
  });

  test("and that nobody waits for is told to nobody", async () => {
    await using running = await start();
    const gate = server.hold();
    await running.gateway.engine.submit(platform.message("Look after it."), { owner: true, kind: "cron", sessionKey: SESSION });
    await server.nextRequest();
    await stop(running);
    gate.open();
    await running.gateway.engine.idle();
    expect(scene.sentTexts()).toEqual([]);
  });
});

describe("a run that only sends with a tool", () => {
  const send = (message: string): ReturnType<typeof toolReply> => toolReply({ name: "message", input: { action: "send", message } });

  test("is over with that: nothing is said twice, and an empty end is no failure", async () => {
    await using running = await start();
    server.script([send("Here it is."), textReply("Here it is.")]);
    expect(await say(running, "one")).toEqual(["Here it is."]);
    server.script([send("And this."), textReply("NO_REPLY")]);
    expect(await say(running, "two")).toEqual(["And this."]);
    expect((await running.store.listInputs({ state: "told", limit: 9 })).items).toEqual([]);
  });
});
