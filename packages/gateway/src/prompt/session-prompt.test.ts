import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ChannelCapabilities, MsgContext } from "@factotum/channel-contract";
import type { AccountConfig, FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { listContextRequests } from "../requests/list-context-requests.ts";

const MAIN = "agent:main:main";
const GROUP: Partial<MsgContext> = {
  origin: { channel: "test", accountId: "default", conversation: { kind: "group", id: "group-1" } },
};
/** A guest. */
const GUEST: Partial<MsgContext> = {
  origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-eve" } },
  sender: { id: "eve", isBot: false },
};

type Agent = FactotumConfig["agents"][number];

let server: AnthropicServer;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
});
afterEach(() => server[Symbol.asyncDispose]());

interface Scene {
  readonly capabilities?: Partial<ChannelCapabilities>;
  readonly agent?: Partial<Agent>;
  readonly account?: Partial<AccountConfig>;
  readonly deny?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
}

/** The system prompt of a first message. */
async function promptOf(extra: Partial<MsgContext>, scene: Scene = {}): Promise<string> {
  const platform = new TestPlatform("platform", scene.capabilities ?? {});
  await using running = await start(platform, scene);
  await platform.say(platform.message("hello", extra));
  await running.gateway.engine.idle();
  return system();
}

async function start(platform: TestPlatform, { agent = {}, account = {}, deny = [], files = {} }: Scene): Promise<TestGateway> {
  const running = await startTestGateway({
    platform,
    accountConfig: { dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open", groups: { "*": { requireMention: false } }, ...account },
    patch: (config) => {
      const base = withModel(server.baseUrl)(config);
      return { ...base, tools: { ...base.tools, deny }, agents: base.agents.map((one) => ({ ...one, ...agent })) };
    },
  });
  await mkdir(path.join(running.home, "workspace"), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(running.home, "workspace", name), text);
  return running;
}

function system(): string {
  const blocks = server.requests.at(-1)?.body?.["system"] as readonly { readonly text: string }[] | undefined;
  return (blocks ?? []).map(({ text }) => text).join("\n");
}

const runtime = (prompt: string): string => /^agent=main .*$/m.exec(prompt)?.[0] ?? "";

describe("the channel in a prompt", () => {
  const text = { maxLength: 1_234, unit: "utf16" as const, markdown: "subset" as const, dialect: "post" };

  test("describes how replies are shown and what the channel can do", async () => {
    const prompt = await promptOf({}, { capabilities: { text, edit: true, reactions: true, polls: true } });
    expect(prompt).toContain("Factotum renders them as `post`. Emphasis, links, lists and code are safe");
    expect(prompt).toContain("A reply longer than 1234 characters is split");
    expect(runtime(prompt)).toContain(" | channel=test | capabilities=edit,reactions,polls | ");
  });

  test.each([
    ["audio", true],
    ["image", false],
  ] as const)("that accepts files of the kind %s has the voice section: %s", async (kind, isThere) => {
    const prompt = await promptOf({}, { capabilities: { media: [{ kind, maxBytes: 10 }] } });
    expect(prompt.includes("## Voice")).toBe(isThere);
  });

  test("is omitted for a run without a channel", async () => {
    const platform = new TestPlatform();
    await using running = await start(platform, {});
    const origin = { channel: "nowhere", accountId: "default", conversation: { kind: "direct" as const, id: MAIN } };
    await running.gateway.engine.submit(platform.message("hello", { origin }), { owner: true, kind: "cron", sessionKey: MAIN });
    await running.gateway.engine.idle();
    expect(system()).not.toContain("## Channel Format");
    expect(runtime(system())).not.toContain("channel=");
  });
});

describe("the agent's configuration in a prompt", () => {
  test("contains instructions, model aliases and the thinking level", async () => {
    const models = { "anthropic/claude-sonnet-5-5": { alias: "best", params: {} }, "anthropic/claude-haiku-4-5": { params: {} } };
    const prompt = await promptOf({}, { agent: { systemPrompt: "Rhyme.", models, thinking: "low" } });
    expect(prompt).toContain("## Instructions\nRhyme.\n");
    expect(/## Model Aliases\n[^#]*/.exec(prompt)?.[0].match(/^- .*/gm)).toEqual(["- best: anthropic/claude-sonnet-5-5"]);
    expect(runtime(prompt)).toMatch(/thinking=low$/);
  });

  test("omits what is not configured", async () => {
    const prompt = await promptOf({});
    for (const title of ["## Instructions", "## Model Aliases", "## Group Chat", "## Heartbeats"]) expect(prompt).not.toContain(title);
    expect(runtime(prompt)).toMatch(/thinking=default$/);
  });

  test("describes heartbeats in the main session only", async () => {
    const heartbeat = { every: "30m", prompt: "Look after the garden." } as unknown as Agent["heartbeat"];
    const prompts = [await promptOf({}, { agent: { heartbeat } }), await promptOf(GUEST, { agent: { heartbeat } })];
    expect(prompts.map((prompt) => prompt.includes("Look after the garden."))).toEqual([true, false]);
    const off = await promptOf({}, { agent: { heartbeat: "off" } });
    expect(off).not.toContain("## Heartbeats");
  });
});

describe("a group's prompt", () => {
  test.each([
    ["only for messages that address you", true],
    ["for every message", false],
  ])("says that it is activated %s, and has the group's own instructions", async (woken, requireMention) => {
    const account = { groups: { "group-1": { requireMention, systemPrompt: "Speak of gardens." } } };
    const prompt = await promptOf({ ...GROUP, mentionsBot: true }, { account });
    expect(prompt).toContain(`This is a shared conversation on test. You are woken ${woken}.`);
    expect(prompt).toContain("Speak of gardens.");
  });

  test("without configuration is activated by mentions", async () => {
    const account = { groups: {} };
    expect(await promptOf({ ...GROUP, mentionsBot: true }, { account })).toContain("only for messages that address you");
  });
});

describe("files in a prompt", () => {
  const files = { "AGENTS.md": "Be brief.", "MEMORY.md": "The key is under the mat.", "IDENTITY.md": "- **Name:** Bo" };

  test("are complete for the owner, with their paths below the tools' working directory", async () => {
    const prompt = await promptOf({}, { files });
    for (const words of ["Be brief.", "The key is under the mat."]) expect(prompt).toContain(words);
    expect(prompt).toMatch(/^### AGENTS\.md$/m);
    expect(prompt).toMatch(/Your working directory is \/.*\/workspace\./);
    expect(runtime(prompt)).toMatch(/ repo=\/.*\/workspace /);
    expect(prompt).toMatch(/^You are Bo, /);
  });

  test.each([
    ["a group", GROUP],
    ["a guest", GUEST],
  ])("omit private content and the owner's paths for %s", async (_name, extra) => {
    const prompt = await promptOf(extra, { files });
    expect(prompt).toContain("Be brief.");
    expect(prompt).not.toContain("under the mat");
    expect(prompt).toMatch(/^### AGENTS\.md$/m);
    expect(prompt).not.toContain("/workspace");
    expect(runtime(prompt)).not.toContain("repo=");
  });
});

describe("a cold cache after large results", () => {
  test.each([
    ["cache-ttl", ["cold-cache"]],
    ["off", []],
  ] as const)("with contextPruning.mode %s changes the request at %j", async (mode, causes) => {
    let nowMs = Date.UTC(2026, 5, 15, 12);
    const platform = new TestPlatform();
    await using running = await startTestGateway({
      platform,
      clock: { ...realClock, now: () => nowMs },
      patch: (config) => {
        const base = withModel(server.baseUrl)(config);
        const { anthropic } = base.models.providers;
        if (anthropic === undefined) throw new Error("no provider");
        // A window of which the results are a large part, and no reason to compact them.
        const models = [{ id: "claude-sonnet-5-5", contextWindow: 61_000, maxOutput: 1000 }];
        return {
          ...base,
          models: { ...base.models, providers: { anthropic: { ...anthropic, models } } },
          agents: base.agents.map((agent) => ({ ...agent, contextPruning: { mode } })),
        };
      },
    });
    const say = async (text: string): Promise<void> => {
      nowMs += 1_000;
      await platform.say(platform.message(text, { timestampMs: nowMs }));
      await running.gateway.engine.idle();
    };
    await mkdir(path.join(running.home, "workspace"), { recursive: true });
    await writeFile(path.join(running.home, "workspace", "large.txt"), "A line of the large file.\n".repeat(2_000));
    for (let index = 0; index < 8; index += 1) {
      server.script([toolReply({ name: "read", input: { path: "large.txt" } }), textReply("Read.")]);
      await say(`Read it, ${index}.`);
    }
    nowMs += 2 * 60 * 60_000;
    server.script([textReply("Yes.")]);
    await say("And?");
    const { requests } = await listContextRequests({ sessionKey: MAIN, limit: 100 }, running.gateway.engine.parts);
    expect(requests[0]?.causes).toEqual(causes);
  });
});
