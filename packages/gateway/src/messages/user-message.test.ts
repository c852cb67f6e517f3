import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "@factotum/agent-contract";
import { parseEffectivePrompt, startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer, ParsedEffectivePrompt } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endsAsKilled, realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const SESSION = "agent:main:main";
const ZONE = "America/New_York";

let server: AnthropicServer;
let platform: TestPlatform;
let nowMs: number;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  platform = new TestPlatform();
  nowMs = Date.UTC(2026, 5, 15, 14, 31);
});
afterEach(() => server[Symbol.asyncDispose]());

/** Wall-clock time is set by the test; deadlines run in real time. */
const clock: Clock = { ...realClock, now: () => nowMs };

const start = (options: Partial<Parameters<typeof startTestGateway>[0]> = {}): Promise<TestGateway> =>
  startTestGateway({
    platform,
    clock,
    patch: (config) => {
      const base = withModel(server.baseUrl)(config);
      return { ...base, agents: base.agents.map((agent) => ({ ...agent, userTimezone: ZONE })) };
    },
    ...options,
  });

/** Sends a message and returns its text for the model. */
async function say(running: TestGateway, ...message: Parameters<TestPlatform["message"]>): Promise<ParsedEffectivePrompt> {
  await platform.say(platform.message(...message));
  await running.gateway.engine.idle();
  return lastText();
}

function lastText(): ParsedEffectivePrompt {
  const messages = server.requests.at(-1)?.body?.["messages"] as {
    readonly role: string;
    readonly content: readonly { readonly text?: string }[];
  }[];
  // An unanswered turn and the next one are one message with several texts.
  return parseEffectivePrompt(messages.findLast(({ role }) => role === "user")?.content.at(-1)?.text ?? "");
}

const hint = ({ blocks }: ParsedEffectivePrompt): string | undefined => blocks.find(({ title }) => title === "Session hint")?.text;

/** Sends a message and stops the gateway during its model request. */
async function sayAndStop(running: TestGateway, text: string): Promise<void> {
  const gate = server.hold();
  await platform.say(platform.message(text));
  await server.nextRequest();
  await running.stop();
  gate.open();
}

/** Starts a gateway on an earlier one's state, and kills it in the middle of the turn that it resumes. */
async function startAndKill(home: string): Promise<void> {
  const gate = server.hold();
  const running = await start({ home, around: endsAsKilled });
  await server.nextRequest();
  await running.stop();
  gate.open();
}

describe("the session hint", () => {
  test("reports a stopped run once, also after a restart and a heartbeat", async () => {
    const first = await start();
    expect(hint(await say(first, "one"))).toBeUndefined();
    const gate = server.hold();
    await platform.say(platform.message("two"));
    // The previous run and the held one: an input stopped before its request was never a run.
    for (let count = 0; count < 2; count += 1) await server.nextRequest();
    await first.gateway.engine.sessions.stopper.stop(SESSION, { queued: false, reason: "you asked me to stop" });
    gate.open();
    await first.gateway.engine.idle();
    await first.stop();

    await using second = await start({ home: first.home });
    server.script([textReply("HEARTBEAT_OK")]);
    await second.gateway.engine.submit(platform.message("Heartbeat."), { owner: true, kind: "heartbeat", sessionKey: SESSION });
    await second.gateway.engine.idle();
    expect(hint(lastText())).toBeUndefined();
    server.respond(() => textReply("Yes."));
    expect(hint(await say(second, "three"))).toMatch(/was stopped on request/);
    expect(hint(await say(second, "four"))).toBeUndefined();
  });

  test("belongs to its conversation and is not carried into a new one", async () => {
    await using running = await start();
    const gate = server.hold();
    await platform.say(platform.message("one"));
    await server.nextRequest();
    await platform.say(platform.message("/new"));
    gate.open();
    await running.gateway.engine.idle();
    expect(hint(await say(running, "two"))).toBeUndefined();
  });

  test("is not given for a turn that was interrupted by a restart and completed", async () => {
    const first = await start();
    await sayAndStop(first, "one");
    await using second = await start({ home: first.home });
    await second.gateway.engine.idle();
    expect(platform.sent).toHaveLength(1);
    expect(hint(await say(second, "two"))).toBeUndefined();
  });

  test("is not given after a failure that was reported", async () => {
    await using running = await start();
    server.script([{ type: "error", errorType: "invalid_request_error", message: "not like this" }]);
    await say(running, "one");
    expect(platform.sent).toMatchObject([{ outbound: { text: expect.stringContaining("not like this") as string } }]);
    expect(hint(await say(running, "two"))).toBeUndefined();
  });

  test("reports a run that was given up after kills, once", async () => {
    const first = await start({ around: endsAsKilled });
    await sayAndStop(first, "one");
    for (let kills = 0; kills < 3; kills += 1) await startAndKill(first.home);
    await using last = await start({ home: first.home });
    await last.gateway.engine.idle();
    expect(hint(await say(last, "two"))).toMatch(/cut short by a restart/);
    expect(hint(await say(last, "three"))).toBeUndefined();
  });
});

describe("the notes of today and yesterday", () => {
  /** 23:30 on the evening of June 15th in New York; in UTC it is the 16th. */
  const EVENING_MS = Date.UTC(2026, 5, 16, 3, 30);

  async function write(running: TestGateway, notes: Readonly<Record<string, string>>): Promise<void> {
    const folder = path.join(running.home, "workspace", "memory");
    await mkdir(folder, { recursive: true });
    for (const [day, text] of Object.entries(notes)) await writeFile(path.join(folder, `${day}.md`), text);
  }

  const notes = ({ untrusted }: ParsedEffectivePrompt): unknown => untrusted.find(({ title }) => title === "Daily notes")?.value;

  test("are in the first turn of a private session, by the user's calendar", async () => {
    await using running = await start();
    nowMs = EVENING_MS;
    await write(running, { "2026-06-14": "yesterday", "2026-06-15": `today ${"x".repeat(2_000)}`, "2026-06-16": "tomorrow" });
    const shown = notes(await say(running, "one")) as { readonly path: string; readonly text: string }[];
    expect(shown.map((note) => note.path)).toEqual(["memory/2026-06-15.md", "memory/2026-06-14.md"]);
    expect(shown[0]?.text).toMatch(/^today x+…$/);
    expect(shown[0]?.text.length).toBeLessThanOrEqual(1_200);
    expect(shown[1]?.text).toBe("yesterday");
    expect(notes(await say(running, "two"))).toBeUndefined();

    nowMs += 60 * 60_000;
    await say(running, "/new");
    expect(notes(await say(running, "two and a half"))).toMatchObject([
      { path: "memory/2026-06-16.md", text: "tomorrow" },
      { path: "memory/2026-06-15.md" },
    ]);
    expect(notes(await say(running, "three"))).toBeUndefined();
  });

  test("include those of the day before, also across a clock change", async () => {
    await using running = await start();
    // 00:30 after the day of 23 hours.
    nowMs = Date.UTC(2026, 2, 9, 4, 30);
    await write(running, { "2026-03-08": "short day", "2026-03-07": "too old" });
    expect(notes(await say(running, "one"))).toEqual([{ path: "memory/2026-03-08.md", text: "short day" }]);
  });

  test("are left out without any, in a group, and before anyone but the owner", async () => {
    await using running = await start({
      accountConfig: { dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open", groups: { "*": { requireMention: false } } },
    });
    expect(notes(await say(running, "one"))).toBeUndefined();
    nowMs = EVENING_MS;
    await write(running, { "2026-06-15": "today" });
    const group = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-1" } };
    expect(notes(await say(running, "two", { origin: group }))).toBeUndefined();
    const other = { origin: { ...group, conversation: { kind: "direct" as const, id: "dm-eve" } }, sender: { id: "eve", isBot: false } };
    expect(JSON.stringify(await say(running, "three", other))).not.toContain("today");
  });
});

describe("the response format", () => {
  test("is described in a turn from another channel than the prompt's", async () => {
    const other = new TestPlatform();
    await using running = await start({
      accounts: [{ ...other.account(), channel: "other" }],
      patch: (config) => {
        const base = withModel(server.baseUrl)(config);
        return { ...base, commands: { ...base.commands, ownerAllowFrom: ["test:owner-1", "other:owner-1"] } };
      },
    });
    const format = ({ trusted }: ParsedEffectivePrompt): unknown => trusted["response_format"];
    expect(format(await say(running, "one"))).toBeUndefined();
    await other.say(
      other.message("two", { origin: { channel: "other", accountId: "default", conversation: { kind: "direct", id: "dm-1" } } }),
    );
    await running.gateway.engine.idle();
    expect(lastText().body).toBe("two");
    expect(format(lastText())).toEqual({ markup: "markdown", markdown: "full", max_message_chars: 4000 });
    expect(format(await say(running, "three"))).toBeUndefined();
    const sessions = await running.store.listSessions({ limit: 10 });
    expect(sessions.items.map(({ key }) => key)).toEqual([SESSION]);
  });
});

test("files that were posted in a group before the assistant was addressed are named to the model, and not fetched", async () => {
  const accountConfig = { groupPolicy: "open" as const, groups: { "*": { requireMention: true } } };
  await using _running = await start({ accountConfig });
  const origin = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-1" } };
  let fetched = 0;
  const file = platform.attachment(async () => {
    fetched += 1;
    return new Uint8Array();
  });
  await platform.say(platform.message("", { origin, attachments: [file] }));
  await platform.say(platform.message("the plan", { origin, attachments: [{ ...file, kind: "file", fileName: "plan.pdf" }] }));
  await platform.say(platform.message("what do you think?", { origin, mentionsBot: true }));
  await platform.waitForSends(1);
  const body = JSON.stringify(server.requests.at(-1)?.body);
  for (const words of ["[image]", "the plan", "[file: plan.pdf]"]) expect(body).toContain(words);
  expect(fetched).toBe(0);
});
