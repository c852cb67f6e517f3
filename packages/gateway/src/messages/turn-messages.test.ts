import { mkdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import type { SkillIndex } from "@factotum/agent-contract";
import type { MsgContext } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import { parseEffectivePrompt, startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer, ParsedEffectivePrompt } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { fakeSkills } from "../../test/fake-skills.ts";

const SESSION = "agent:main:main";
/** A conversation of a guest, with a folder of its own. */
const GUEST: Partial<MsgContext> = {
  origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-eve" } },
  sender: { id: "eve", name: "Eve", isBot: false },
};
const OWNER: Partial<MsgContext> = {};

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

function start(
  change: (config: FactotumConfig) => FactotumConfig = (config) => config,
  options: Partial<Parameters<typeof startTestGateway>[0]> = {},
): Promise<TestGateway> {
  return startTestGateway({
    platform,
    patch: (config) => change(withModel(server.baseUrl)(config)),
    accountConfig: { dmPolicy: "open", allowFrom: ["*"] },
    ...options,
  });
}

/** Sends a message and returns the texts for the model since its last answer. */
async function say(running: TestGateway, text: string, extra: Partial<MsgContext> = {}): Promise<readonly ParsedEffectivePrompt[]> {
  await platform.say(platform.message(text, extra));
  await running.gateway.engine.idle();
  return lastTexts();
}

function lastTexts(): readonly ParsedEffectivePrompt[] {
  const messages = server.requests.at(-1)?.body?.["messages"] as {
    readonly role: string;
    readonly content: readonly { readonly text?: string }[];
  }[];
  return messages.findLast(({ role }) => role === "user")?.content.map(({ text }) => parseEffectivePrompt(text ?? "")) ?? [];
}

const events = (shown: readonly ParsedEffectivePrompt[]): readonly string[] =>
  shown.flatMap(({ systemEvents }) => systemEvents.map(({ text }) => text));

async function put(running: Pick<TestGateway, "home">, file: string, text: string, changedAtMs = 1_000_000_000_000): Promise<void> {
  const target = path.join(running.home, "workspace", file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, text);
  await utimes(target, changedAtMs / 1000, changedAtMs / 1000);
}

describe("a file that was truncated in the prompt", () => {
  const small = (config: FactotumConfig): FactotumConfig => ({
    ...config,
    agents: config.agents.map((agent) => ({ ...agent, bootstrapMaxChars: 500 })),
  });
  const warning = (shown: readonly ParsedEffectivePrompt[]): string | undefined =>
    shown.flatMap(({ blocks }) => blocks).find(({ title }) => title === "Bootstrap truncation warning")?.text;
  const LONG = "Be brief, and rhyme. ".repeat(200);

  test("is named to the owner's turn for which the prompt was rendered, with the removed length", async () => {
    await using running = await start(small);
    await put(running, "AGENTS.md", LONG);
    expect(warning(await say(running, "one"))).toMatch(/^- AGENTS\.md: \d+ of 4199 characters/m);
    expect(warning(await say(running, "two"))).toBeUndefined();
  });

  test.each([
    ["if nothing was truncated", OWNER, "Be brief.", []],
    ["to a sender whose tools work in another folder", GUEST, LONG, []],
    ["if no tool opens files", OWNER, LONG, ["read", "exec", "find", "grep", "ls"]],
  ])("is not named %s", async (_name, extra, text, deny) => {
    await using running = await start((config) => ({ ...small(config), tools: { ...config.tools, deny } }));
    await put(running, "AGENTS.md", text);
    expect(warning(await say(running, "one", extra))).toBeUndefined();
  });
});

describe("a changed source of the prompt", () => {
  const skills = (home: string): SkillIndex =>
    fakeSkills(() => [
      {
        name: "tidy",
        description: "Keeps things in order",
        location: "./skills/tidy/SKILL.md",
        source: "workspace",
        folder: path.join(home, "workspace", "skills", "tidy"),
      },
    ]);

  /** Two gateways, one after the other, with a change in between; the second one looks at the disk without fail. */
  async function afterChange(extra: Partial<MsgContext>, deny: readonly string[] = []): Promise<TestGateway> {
    const denying = (config: FactotumConfig): FactotumConfig => ({ ...config, tools: { ...config.tools, deny } });
    const first = await start();
    await put(first, "AGENTS.md", "Be brief.");
    await put(first, "skills/tidy/SKILL.md", "Sort by date.");
    await first.stop();
    const second = await start(denying, { home: first.home, skills: skills(first.home) });
    expect(events(await say(second, "one", extra))).toEqual([]);
    await second.stop();
    await put(first, "AGENTS.md", "Be long.", 1_100_000_000_000);
    await put(first, "skills/tidy/SKILL.md", "Sort by name.", 1_100_000_000_000);
    return start(denying, { home: first.home, skills: skills(first.home) });
  }

  test("is announced in the owner's next turn, once", async () => {
    await using running = await afterChange(OWNER);
    expect(events(await say(running, "two"))).toEqual(["File changed: AGENTS.md", "Skill changed: tidy"]);
    expect(events(await say(running, "three"))).toEqual([]);
  });

  test("is announced to a sender with another folder only if it is a skill", async () => {
    await using running = await afterChange(GUEST);
    expect(events(await say(running, "two", GUEST))).toEqual(["Skill changed: tidy"]);
  });

  test("is not announced if no tool opens files", async () => {
    await using running = await afterChange(OWNER, ["read", "exec", "find", "grep", "ls"]);
    expect(events(await say(running, "two"))).toEqual([]);
  });

  test("that was announced to a heartbeat is announced to the owner's turn too", async () => {
    await using running = await afterChange(OWNER);
    server.script([textReply("HEARTBEAT_OK")]);
    await running.gateway.engine.submit(platform.message("Heartbeat."), { owner: true, kind: "heartbeat", sessionKey: SESSION });
    await running.gateway.engine.idle();
    expect(events(lastTexts())).toEqual(["File changed: AGENTS.md", "Skill changed: tidy"]);
    expect(events(await say(running, "two"))).toEqual(["File changed: AGENTS.md", "Skill changed: tidy"]);
  });
});

describe("a file that could not be sent", () => {
  beforeEach(() => {
    platform = new TestPlatform("platform", { media: [{ kind: "image", maxBytes: 1_000 }] });
  });

  test("is passed to the model in the next turn only", async () => {
    await using running = await start();
    server.script([textReply("Here.\nMEDIA:nowhere.png")]);
    expect(events(await say(running, "one"))).toEqual([]);
    expect(events(await say(running, "two"))).toEqual([expect.stringMatching(/^nowhere\.png was not sent: /)]);
    expect(events(await say(running, "three"))).toEqual([]);
  });

  test("is passed to the model after a restart, too", async () => {
    const first = await start();
    server.script([textReply("Here.\nMEDIA:nowhere.png")]);
    await say(first, "one");
    await first.stop();
    await using second = await start(undefined, { home: first.home });
    // A message to the gateway itself does not consume the note.
    await say(second, "/status");
    expect(events(await say(second, "two"))).toEqual([expect.stringMatching(/^nowhere\.png was not sent: /)]);
    expect(events(await say(second, "three"))).toEqual([]);
  });
});

describe("messages that there was no room for", () => {
  const crowded = (config: FactotumConfig): FactotumConfig => ({
    ...config,
    messages: { ...config.messages, queue: { ...config.messages.queue, mode: "followup", cap: 1, drop: "summarize" } },
  });
  const file = { kind: "file" as const, ref: "nowhere", fileName: "notes.txt" };
  const GROUP = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-1" } };

  /** The texts of the turn that answers messages received during the first one. */
  async function crowd(running: TestGateway, messages: readonly (readonly [string, Partial<MsgContext>])[]) {
    const gate = server.hold();
    await platform.say(platform.message("zero", messages[0]?.[1].origin === undefined ? {} : { origin: messages[0][1].origin }));
    await server.nextRequest();
    for (const [text, extra] of messages) await platform.say(platform.message(text, extra));
    gate.open();
    await running.gateway.engine.idle();
    return lastTexts();
  }

  test("are listed as one truncated line each, with the number of their files; the newest is shown completely", async () => {
    await using running = await start(crowded);
    const shown = await crowd(running, [
      [`a  b\n${"c".repeat(160)}`, {}],
      ["d".repeat(160), { attachments: [file] }],
      ["more", { attachments: [file, file] }],
      ["the newest", {}],
    ]);
    expect(shown.map(({ body }) => body)).toEqual([
      [
        "More messages came in while you were busy than can be queued. The oldest of them, shortened:",
        `- a b ${"c".repeat(156)}…`,
        `- ${"d".repeat(160)} (1 attachment left out)`,
        "- more (2 attachments left out)",
      ].join("\n"),
      "the newest",
    ]);
  });

  test("of a group are listed by name, or by id if there is none", async () => {
    await using running = await start(crowded, { accountConfig: { groupPolicy: "open", groups: { "*": { requireMention: false } } } });
    const [list] = await crowd(running, [
      ["one", { origin: GROUP, sender: { id: "eve", name: "Eve", isBot: false } }],
      ["two", { origin: GROUP, sender: { id: "u-7", isBot: false } }],
      ["three", { origin: GROUP, sender: { id: "eve", name: "Eve", isBot: false } }],
    ]);
    expect(list?.body.split("\n").slice(1)).toEqual(["- Eve: one", "- u-7: two"]);
  });

  test("contribute only their text, and taint the list if text of others came with them", async () => {
    await using running = await start(crowded);
    const shown = await crowd(running, [
      ["one", {}],
      [
        "two",
        { forwarded: { body: "the news" }, replyTo: { body: "the quote", isQuote: false }, untrusted: [{ source: "s", text: "note" }] },
      ],
      ["three", {}],
    ]);
    expect(shown.map(({ parts }) => parts.map(({ type }) => type))).toEqual([
      ["trusted", "untrusted", "body"],
      ["trusted", "untrusted", "body"],
    ]);
    expect(await taints(running)).toEqual([undefined, true, undefined]);
  });

  test("have the events before a turn in the first message only", async () => {
    await using running = await start(crowded);
    await say(running, "before");
    const gate = server.hold();
    await platform.say(platform.message("zero"));
    for (let count = 0; count < 2; count += 1) await server.nextRequest();
    for (const text of ["one", "two"]) await platform.say(platform.message(text));
    await running.gateway.engine.sessions.stopper.stop(SESSION, { queued: false, reason: "you asked me to stop" });
    gate.open();
    await running.gateway.engine.idle();
    const shown = lastTexts();
    expect(shown.map(({ body }) => body.split("\n").at(-1))).toEqual(["zero", "- one", "two"]);
    expect(shown.map(({ blocks }) => blocks.map(({ title }) => title))).toEqual([[], ["Session hint"], []]);
  });

  test("of the owner alone mark nothing", async () => {
    await using running = await start(crowded);
    await crowd(running, [
      ["one", {}],
      ["two", {}],
    ]);
    expect(await taints(running)).toEqual([undefined, undefined, undefined]);
  });

  async function taints({ store }: TestGateway): Promise<readonly (boolean | undefined)[]> {
    const { items } = await store.readTranscript((await store.readSession(SESSION))?.sessionId ?? "", { limit: 50 });
    return items.flatMap((entry) => (entry.type === "message" && entry.message.role === "user" ? [entry.message.tainted] : []));
  }
});
