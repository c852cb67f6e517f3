import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { FactotumConfig } from "@factotum/config";
import { StoreError } from "@factotum/store";
import type { Store } from "@factotum/store";
import { isPrefixOf, startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { listContextRequests } from "../requests/list-context-requests.ts";

const SESSION = "agent:main:main";
/** A request that is never answered. */
const SILENCE: AnthropicReply = { ...textReply("Never."), fault: { type: "stall", afterBytes: 0 } } as AnthropicReply;

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

function windowed(config: FactotumConfig): FactotumConfig {
  const base = withModel(server.baseUrl)(config);
  const anthropic = base.models.providers["anthropic"];
  if (anthropic === undefined) throw new Error("no provider");
  const models = [{ id: "claude-sonnet-5-5", contextWindow: 62_000, maxOutput: 1000 }];
  return { ...base, models: { ...base.models, providers: { anthropic: { ...anthropic, models } } } };
}

type Kind = "turn" | "notes" | "summary";

function kindOf(body: unknown): Kind {
  if (JSON.stringify(body).includes("You condense the record of a conversation")) return "summary";
  const messages = (body as { readonly messages?: readonly { readonly role: string; readonly content: unknown }[] } | undefined)?.messages;
  const last = JSON.stringify(messages?.findLast(({ role }) => role === "user")?.content ?? "");
  return last.includes(String.raw`\"run\":\"memory\"`) ? "notes" : "turn";
}

/** Answers each kind of request as scripted, and counts the requests. */
function play(answers: Partial<Record<Kind, () => AnthropicReply | Promise<AnthropicReply>>>) {
  const counts: Record<Kind, number> = { turn: 0, notes: 0, summary: 0 };
  const waiting: { readonly kind: Kind; readonly count: number; readonly wake: () => void }[] = [];
  const usual = { turn: () => textReply("Noted."), notes: () => textReply("NO_REPLY"), summary: () => textReply("Known: words.") };
  server.respond(async ({ body }) => {
    const kind = kindOf(body);
    counts[kind] += 1;
    for (const { kind: wanted, count, wake } of waiting) if (wanted === kind && counts[kind] >= count) wake();
    return (answers[kind] ?? usual[kind])();
  });
  const asked = async (kind: Kind, count = 1): Promise<void> => {
    if (counts[kind] < count) await new Promise<void>((wake) => waiting.push({ kind, count, wake }));
  };
  return { counts, asked };
}

/** The same with a held summary, released by the gate. */
function playHeldSummary(reply: AnthropicReply) {
  const gate = Promise.withResolvers<void>();
  const summary = async (): Promise<AnthropicReply> => {
    await gate.promise;
    return reply;
  };
  return { gate, ...play({ summary }) };
}

async function say(text: string, facts: Parameters<TestPlatform["message"]>[1] = {}): Promise<void> {
  const sent = platform.sent.length;
  await platform.say(platform.message(text, facts));
  await platform.waitForSends(sent + 1);
}

/** Sends messages until background work is requested. */
async function fillUntil(running: TestGateway, asked: Promise<void>): Promise<number> {
  let isAsked = false;
  void asked.then(() => (isAsked = true));
  let count = 0;
  for (; !isAsked && count < 30; count += 1) {
    await say(`word-${count} ${"lorem ipsum ".repeat(700)}`);
    // Background work has started once the lane is empty or the model is asked.
    await Promise.race([running.gateway.engine.idle(), asked]);
  }
  if (!isAsked) throw new Error("nothing was asked for");
  return count;
}

const said = (): readonly string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
const lastBody = (): Parameters<typeof isPrefixOf>[0] | undefined => server.requests.findLast(({ body }) => kindOf(body) === "turn")?.body;

describe("notes", () => {
  test("that stall delay no message: they yield, are retried in the background, three times in total, and a summary is made without them", async () => {
    const { counts, asked } = play({ notes: () => SILENCE });
    await using running = await startTestGateway({ platform, patch: windowed });
    await fillUntil(running, asked("notes"));
    for (const tries of [2, 3]) {
      await say("And?");
      await asked("notes", tries);
      expect(counts).toMatchObject({ notes: tries, summary: 0 });
    }
    await say("And?");
    await running.gateway.engine.idle();
    expect(counts).toMatchObject({ notes: 3, summary: 1 });
    await say("Still there?");
    expect(new Set(said())).toEqual(new Set(["Noted."]));
    expect(JSON.stringify(lastBody())).toContain("Known: words.");
    // Each part of the conversation has its own notes.
    expect((await running.store.readSession(SESSION))?.memoryFlushAtMs).toBeUndefined();
    expect(server.violations).toEqual([]);
    expect(running.logger.lines.filter((line) => line.includes('"error"'))).toEqual([]);
  });

  test("that yielded leave nothing in the model's context", async () => {
    const { asked } = play({ notes: () => SILENCE });
    await using running = await startTestGateway({ platform, patch: windowed });
    await fillUntil(running, asked("notes"));
    const before = lastBody();
    await say("And?");
    expect(isPrefixOf(before ?? {}, lastBody() ?? {})).toBe(true);
  });

  test("whose end cannot be stored are completed before any later message", async () => {
    let failures = 1;
    const around = (store: Store): Store =>
      new Proxy(store, {
        get: (target, name: keyof Store) => {
          if (name !== "endTurn") return (target[name] as () => unknown).bind(target);
          return async (end: Parameters<Store["endTurn"]>[0]) => {
            if (end.outbox.length === 0 && end.inputState.type === "silent" && failures-- > 0)
              throw new StoreError("internal", "The disk could not be read.");
            return target.endTurn(end);
          };
        },
      });
    const { counts, asked } = play({});
    await using running = await startTestGateway({ platform, patch: windowed, around });
    await fillUntil(running, asked("notes"));
    await running.gateway.engine.idle();
    await say("And?");
    await running.gateway.engine.idle();
    expect(counts.notes).toBeGreaterThanOrEqual(1);
    expect(failures).toBeLessThan(0);
    const sessionId = (await running.store.readSession(SESSION))?.sessionId ?? "";
    const { items } = await running.store.readTranscript(sessionId, { limit: 200 });
    const turns = new Set(items.flatMap((entry) => (entry.turnId === undefined ? [] : [entry.turnId])));
    const states = await Promise.all([...turns].map(async (id) => (await running.store.readTurn(id))?.state));
    expect(states).not.toContain("running");
  });

  test("that a kill interrupted are closed before a waiting message, which is answered first", async () => {
    const { asked } = play({ notes: () => SILENCE });
    const folder = await mkdtemp(path.join(tmpdir(), "factotum-kill-"));
    const image = path.join(folder, "home");
    const copied = Promise.withResolvers<void>();
    let home = "";
    const around = (store: Store): Store =>
      new Proxy(store, {
        get: (target, name: keyof Store) => {
          if (name !== "endTurn") return (target[name] as () => unknown).bind(target);
          return async (end: Parameters<Store["endTurn"]>[0]) => {
            if (end.forgetsMemoryFlush === true) {
              await cp(home, image, { recursive: true, filter: (file) => !file.endsWith("-shm") });
              copied.resolve();
            }
            return target.endTurn(end);
          };
        },
      });
    {
      await using running = await startTestGateway({ platform, patch: windowed, around });
      ({ home } = running);
      await fillUntil(running, asked("notes"));
      await platform.say(platform.message("And?"));
      await copied.promise;
    }
    const asks = server.requests.length;
    platform = new TestPlatform();
    const { counts } = play({});
    await using running = await startTestGateway({ platform, patch: windowed, home: image });
    await running.gateway.engine.idle();
    expect(said()).toEqual(["Noted."]);
    expect(server.requests.slice(asks).map(({ body }) => kindOf(body))).toEqual(["turn", "notes", "summary"]);
    expect(counts).toEqual({ turn: 1, notes: 1, summary: 1 });
    await rm(folder, { recursive: true, force: true });
  });
});

describe("a summary", () => {
  test("is made while later messages are answered, and is stored between two turns", async () => {
    const { gate, counts, asked } = playHeldSummary(textReply("Known: words."));
    await using running = await startTestGateway({ platform, patch: windowed });
    await fillUntil(running, asked("summary"));
    await say("first meanwhile");
    await say("second meanwhile");
    expect(JSON.stringify(lastBody())).toContain("word-0");
    gate.resolve();
    await running.gateway.engine.idle();
    expect((await running.store.readSession(SESSION))?.compactionCount).toBe(1);
    await say("after");
    const body = JSON.stringify(lastBody());
    for (const text of ["Known: words.", "first meanwhile", "second meanwhile"]) expect(body).toContain(text);
    expect(body).not.toContain("word-0");
    expect(counts).toMatchObject({ notes: 1, summary: 1 });
    const { requests } = await listContextRequests({ sessionKey: SESSION, limit: 100 }, running.gateway.engine.parts);
    expect(requests.filter(({ kind }) => kind === "compaction").map(({ outcome }) => outcome.type)).toEqual(["answered"]);
    expect(server.violations).toEqual([]);
  });

  test("in progress is awaited by a message that needs the space, and requested once", async () => {
    const { gate, counts, asked } = playHeldSummary(textReply("Known: words."));
    await using running = await startTestGateway({ platform, patch: windowed });
    const count = await fillUntil(running, asked("summary"));
    await say(`word-${count} ${"lorem ipsum ".repeat(1500)}`);
    await platform.say(platform.message(`last ${"lorem ipsum ".repeat(10)}`));
    const sent = platform.sent.length;
    gate.resolve();
    await platform.waitForSends(sent + 1);
    await running.gateway.engine.idle();
    expect(counts.summary).toBe(1);
    expect(JSON.stringify(lastBody())).toContain("Known: words.");
    expect(JSON.stringify(lastBody())).toContain(`word-${count} `);
    expect(new Set(said())).toEqual(new Set(["Noted."]));
  });

  test("that fails while a message waits for it is not retried: the conversation is truncated by rule, and the message answered", async () => {
    const { gate, counts, asked } = playHeldSummary({ type: "error", errorType: "invalid_request_error", message: "no" });
    await using running = await startTestGateway({ platform, patch: windowed });
    const count = await fillUntil(running, asked("summary"));
    await say(`word-${count} ${"lorem ipsum ".repeat(1500)}`);
    await platform.say(platform.message("the last word"));
    gate.resolve();
    await platform.waitForSends(count + 2);
    await running.gateway.engine.idle();
    expect(counts.summary).toBe(1);
    expect((await running.store.readSession(SESSION))?.compactionCount).toBe(1);
    expect(JSON.stringify(lastBody())).toContain("the last word");
    expect(new Set(said())).toEqual(new Set(["Noted."]));
  });

  test("of a conversation that was reset meanwhile cuts nothing", async () => {
    const { gate, asked } = playHeldSummary(textReply("Known: words."));
    await using running = await startTestGateway({ platform, patch: windowed });
    await fillUntil(running, asked("summary"));
    await say("/new");
    gate.resolve();
    await running.gateway.engine.idle();
    await say("fresh");
    expect((await running.store.readSession(SESSION))?.compactionCount).toBe(0);
    expect(JSON.stringify(lastBody())).not.toContain("Known: words.");
    expect(running.logger.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  test("that no model provides is attempted after three turns, and nothing is truncated while there is space", async () => {
    const { counts, asked } = play({ summary: () => ({ type: "error", errorType: "invalid_request_error", message: "no" }) });
    await using running = await startTestGateway({ platform, patch: windowed });
    await fillUntil(running, asked("summary"));
    for (let index = 0; index < 5; index += 1) {
      await running.gateway.engine.idle();
      await say("And?");
    }
    await running.gateway.engine.idle();
    expect(counts).toMatchObject({ notes: 1, summary: 3 });
    expect((await running.store.readSession(SESSION))?.compactionCount).toBe(0);
    expect(JSON.stringify(lastBody())).toContain("word-0");
  });

  test("ends with the gateway, and the next start continues without it", async () => {
    const { asked } = play({ summary: () => SILENCE });
    const first = await startTestGateway({ platform, patch: windowed });
    await fillUntil(first, asked("summary"));
    await first.stop();
    play({});
    await using second = await startTestGateway({ platform, patch: windowed, home: first.home });
    await say("And?");
    await second.gateway.engine.idle();
    expect((await second.store.readSession(SESSION))?.compactionCount).toBe(1);
  });
});

test("more conversations than background places: their notes stall, and everyone is answered", async () => {
  const { counts, asked } = play({ notes: () => SILENCE });
  await using running = await startTestGateway({ platform, patch: windowed });
  const keys = ["a", "b", "c", "d", "e", "f"].map((name) => `agent:main:http:${name}`);
  const submit = async (sessionKey: string, text: string): Promise<void> => {
    const sent = platform.sent.length;
    await running.gateway.engine.submit(platform.message(text), { owner: true, kind: "user", sessionKey });
    await platform.waitForSends(sent + 1);
  };
  for (let index = 0; index < 18; index += 1) for (const key of keys) await submit(key, `word-${index} ${"lorem ipsum ".repeat(700)}`);
  await asked("notes", 4);
  for (const key of keys) await submit(key, "And?");
  expect(new Set(said())).toEqual(new Set(["Noted."]));
  expect(counts.summary).toBe(0);
});
