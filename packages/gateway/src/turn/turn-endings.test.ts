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
    ["as many characters as the agent's block limit", { maxChars: 150, platformChars: 4_000, chunkLimit: undefined, shown: 150 }],
    ["as many as the platform accepts", { maxChars: 3_000, platformChars: 100, chunkLimit: undefined, shown: 100 }],
    ["as many as the account configures", { maxChars: 3_000, platformChars: 4_000, chunkLimit: 120, shown: 120 }],
    [
      "as many as the platform accepts if the account configures more",
      { maxChars: 3_000, platformChars: 100, chunkLimit: 120, shown: 100 },
    ],
    ["a readable minimum if the configured limit is tiny", { maxChars: 5, platformChars: 4_000, chunkLimit: 5, shown: 32 }],
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

describe("a run that is stopped from elsewhere", () => {
  const stop = (running: TestGateway): Promise<unknown> =>
    running.gateway.engine.sessions.stopper.stop(SESSION, { queued: false, reason: "you asked me to stop" });

  test("is reported to its sender, as a reply to the message", async () => {
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

  test("is not reported where it was stopped: the answer to the stop says so", async () => {
    await using running = await start();
    const gate = server.hold();
    await platform.say(platform.message("hello"));
    await server.nextRequest();
    await platform.say(platform.message("/stop"));
    gate.open();
    await running.gateway.engine.idle();
    expect(scene.sentTexts()).toEqual(["Stopped what I was working on."]);
  });

  test("and is unattended is reported to nobody", async () => {
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

describe("a run that only sends by the message tool", () => {
  const send = (message: string): ReturnType<typeof toolReply> => toolReply({ name: "message", input: { action: "send", message } });

  test("ends without repeating the text, and an empty answer is no failure", async () => {
    await using running = await start();
    server.script([send("Here it is."), textReply("Here it is.")]);
    expect(await say(running, "one")).toEqual(["Here it is."]);
    server.script([send("And this."), textReply("NO_REPLY")]);
    expect(await say(running, "two")).toEqual(["And this."]);
    expect((await running.store.listInputs({ state: "told", limit: 9 })).items).toEqual([]);
  });
});
