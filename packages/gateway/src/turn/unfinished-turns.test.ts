import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { FactotumConfig } from "@factotum/config";
import { StoreError } from "@factotum/store";
import type { Store } from "@factotum/store";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endsAsKilled, startTestGateway, TestPlatform, withMethods, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

const sentTexts = (): string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));

/** A store whose calls fail as `fails` says, like an unreliable disk. */
function failing(fails: Partial<{ [Method in keyof Store]: (...parameters: Parameters<Store[Method]>) => boolean }>) {
  return (store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        const call = (target[name as keyof Store] as (...parameters: unknown[]) => unknown).bind(target);
        const isFailing = fails[name as keyof Store] as ((...parameters: unknown[]) => boolean) | undefined;
        return async (...parameters: unknown[]) => {
          if (isFailing?.(...parameters) === true) throw new StoreError("internal", "The disk could not be read.");
          return call(...parameters);
        };
      },
    });
}

const times = (count: number): (() => boolean) => {
  let left = count;
  return () => left-- > 0;
};

test.each([
  // A turn that cannot start is reported, and that fails too.
  { fails: { startTurnOptimistic: times(1), startTurn: times(1) }, answers: ["To one.", "To two."], sent: ["To one.", "To two."] },
  // The answer was in the commit that failed: it is requested again.
  { fails: { endTurn: times(1) }, answers: ["Lost.", "To one.", "To two."], sent: ["To one.", "To two."] },
])("failed work is completed before any later message ($answers.length answers)", async (row) => {
  server.script(row.answers.map((text) => textReply(text)));
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), around: failing(row.fails) });
  await platform.say(platform.message("one"));
  await platform.say(platform.message("two"));
  await platform.waitForSends(2);
  await running.gateway.engine.idle();
  expect(sentTexts()).toEqual(row.sent);
  const answered = (await running.store.listInputs({ state: "answered", limit: 10 })).items;
  expect(answered.map(({ message }) => message.text)).toEqual(["one", "two"]);
});

test("a message whose first commit was stored but reported as failed continues with the turn that has it", async () => {
  server.script([textReply("To one."), textReply("To two.")]);
  const fails = times(1);
  const around = withMethods((store) => ({
    startTurnOptimistic: async (turn) => {
      const result = await store.startTurn(turn);
      if (fails()) throw new StoreError("internal", "The disk could not be read.");
      return { result, committed: Promise.resolve() };
    },
  }));
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), around });
  await platform.say(platform.message("one"));
  await platform.say(platform.message("two"));
  await platform.waitForSends(2);
  await running.gateway.engine.idle();
  expect(sentTexts()).toEqual(["To one.", "To two."]);
});

test("a turn that can never be finished is given up after four attempts, and the conversation continues", async () => {
  server.script([...Array.from({ length: 4 }, () => textReply("To one.")), textReply("To two.")]);
  let broken: string | undefined;
  const around = failing({
    endTurn: ({ turnId, state }) => {
      broken ??= turnId;
      return turnId === broken && state === "done";
    },
  });
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), around });
  await platform.say(platform.message("one"));
  await platform.waitForSends(1);
  await platform.say(platform.message("two"));
  await platform.waitForSends(2);
  await running.gateway.engine.idle();
  expect(sentTexts()[0]).toContain("Something went wrong on my side");
  expect(sentTexts()[1]).toMatch(/^To /);
  expect((await running.store.listDeadLetters({ limit: 10 })).items).toHaveLength(1);
});

test.each([
  { counts: "starts = 20, solo_starts = 5", sent: "At last." },
  { counts: "starts = 9, solo_starts = 6", sent: "Something went wrong on my side" },
])("gives up a turn that makes progress if crashes interrupted it while it ran solo ($counts)", async ({ counts, sent }) => {
  const gate = server.hold();
  const first = await startTestGateway({ platform, patch: withModel(server.baseUrl), around: endsAsKilled });
  await platform.say(platform.message("one"));
  await server.nextRequest();
  await first.stop();
  using database = new DatabaseSync(path.join(first.home, "state", "factotum.sqlite"));
  database.exec(`UPDATE turns SET attempts = 1, ${counts}`);
  server.script([textReply("At last.")]);
  gate.open();
  await using second = await startTestGateway({ platform, patch: withModel(server.baseUrl), home: first.home });
  await platform.waitForSends(1);
  await second.gateway.engine.idle();
  expect(sentTexts()).toEqual([expect.stringContaining(sent)]);
});

test("clean restarts are no attempts: a long turn survives any number of them", async () => {
  const gate = server.hold();
  let running = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  await platform.say(platform.message("one"));
  await server.nextRequest();
  for (let restart = 0; restart < 5; restart += 1) {
    const { home } = running;
    await running.stop();
    running = await startTestGateway({ platform, patch: withModel(server.baseUrl), home });
    await server.nextRequest();
  }
  server.script([textReply("At last.")]);
  gate.open();
  await platform.waitForSends(1);
  await running.gateway.engine.idle();
  expect(sentTexts()).toHaveLength(1);
  expect((await running.store.listInputs({ state: "answered", limit: 10 })).items).toHaveLength(1);
  await running[Symbol.asyncDispose]();
});

test.each([
  { ends: "cleanly", around: (store: Store) => store, isGivenUp: false },
  { ends: "by a kill", around: endsAsKilled, isGivenUp: true },
])("a message whose turn is not stored when the process ends $ends: is given up: $isGivenUp", async ({ around, isGivenUp }) => {
  server.respond(() => textReply("At last."));
  let begun = Promise.withResolvers<void>();
  let hangs = true;
  const list = async (): Promise<never> => {
    begun.resolve();
    return hangs ? new Promise<never>(() => undefined) : ([] as never);
  };
  const options = { platform, patch: withModel(server.baseUrl), skills: { list }, around };
  let running = await startTestGateway(options);
  await platform.say(platform.message("one"));
  for (let restart = 0; restart < 4; restart += 1) {
    await begun.promise;
    begun = Promise.withResolvers();
    hangs = restart < 3;
    const { home } = running;
    await running.stop();
    running = await startTestGateway({ ...options, home });
  }
  await platform.waitForSends(1);
  await running.gateway.engine.idle();
  expect(sentTexts()).toEqual([isGivenUp ? expect.stringContaining("Something went wrong on my side") : "At last."]);
  expect((await running.store.listDeadLetters({ limit: 10 })).items).toHaveLength(isGivenUp ? 1 : 0);
  await running[Symbol.asyncDispose]();
});

test("messages that arrive during recovery are queued behind recovered work, once", async () => {
  const held = server.hold();
  const first = await startTestGateway({ platform, patch: withModel(server.baseUrl), around: endsAsKilled });
  await platform.say(platform.message("one"));
  await server.nextRequest();
  await first.stop();
  server.script([textReply("To one."), textReply("To two.")]);
  held.open();
  const late: Promise<unknown>[] = [];
  // Submitted before recovery, and returned when the message has had its time to come first.
  const around = (store: Store): Store => {
    const listPendingOutbound: Store["listPendingOutbound"] = async (options) => {
      if (late.length === 0) late.push(platform.say(platform.message("two")));
      for (let reads = 0; reads < 20; reads += 1) await store.readSession("agent:main:main");
      return store.listPendingOutbound(options);
    };
    return new Proxy(store, {
      get: (target, name: keyof Store) =>
        name === "listPendingOutbound" ? listPendingOutbound : (target[name] as () => unknown).bind(target),
    });
  };
  await using second = await startTestGateway({ platform, patch: withModel(server.baseUrl), home: first.home, around });
  await Promise.all(late);
  await platform.waitForSends(2);
  await second.gateway.engine.idle();
  expect(sentTexts()).toEqual(["To one.", "To two."]);
});

test("text with the last tool call is the answer, also if the gateway stopped before the model's empty end", async () => {
  const said = { type: "text", text: "It is done." } as const;
  const first = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
  server.respond(({ index }) => ({ type: "message", content: index === 0 ? [said, { type: "tool_use", name: "ls", input: {} }] : [] }));
  await platform.say(platform.message("do it"));
  await server.nextRequest();
  const held = server.hold();
  await server.nextRequest();
  await first.stop();
  held.open();
  await using second = await startTestGateway({ platform, patch: withModel(server.baseUrl), home: first.home });
  await platform.waitForSends(1);
  await second.gateway.engine.idle();
  expect(sentTexts()).toEqual(["It is done."]);
});

test("a message that could not join the active turn gets one of its own afterwards", async () => {
  server.script([toolReply({ name: "ls", input: {} }), textReply("To one."), textReply("To two.")]);
  const held = server.hold();
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), around: failing({ joinTurn: times(1) }) });
  await platform.say(platform.message("one"));
  await server.nextRequest();
  await platform.say(platform.message("two"));
  held.open();
  await platform.waitForSends(2);
  await running.gateway.engine.idle();
  expect((await running.store.listInputs({ state: "answered", limit: 10 })).items).toHaveLength(2);
  expect(JSON.stringify(server.requests.at(-1)?.body?.["messages"]).split("two")).toHaveLength(2);
  expect(sentTexts()).toEqual(["To one.", "To two."]);
});

test("messages that could not join the active turn keep their order", async () => {
  server.script([toolReply({ name: "ls", input: {} })]);
  server.respond(() => textReply("Done."));
  const held = server.hold();
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), around: failing({ joinTurn: times(1) }) });
  await platform.say(platform.message("one"));
  await server.nextRequest();
  await platform.say(platform.message("second"));
  await platform.say(platform.message("third"));
  held.open();
  await platform.waitForSends(2);
  await running.gateway.engine.idle();
  const asked = JSON.stringify(server.requests.at(-1)?.body?.["messages"]);
  expect(asked.indexOf("second")).toBeGreaterThan(asked.indexOf("one"));
  expect(asked.indexOf("third")).toBeGreaterThan(asked.indexOf("second"));
});

test("an interrupted turn that is resumed alone is requeued to run alone", async () => {
  const common = {
    platform,
    accountConfig: { allowFrom: ["ann"] },
    patch: (config: FactotumConfig): FactotumConfig => {
      const base = withModel(server.baseUrl)(config);
      return { ...base, session: { ...base.session, dmScope: "per-channel-peer" } };
    },
  };
  const gate = server.hold();
  const first = await startTestGateway({ ...common, around: endsAsKilled });
  await platform.say(platform.message("one"));
  await server.nextRequest();
  const origin = { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-ann" } } as const;
  await platform.say(platform.message("from ann", { origin, sender: { id: "ann", isBot: false } }));
  await server.nextRequest();
  await first.stop();
  gate.open();
  // As after two crashes.
  using database = new DatabaseSync(path.join(first.home, "state", "factotum.sqlite"));
  database.exec("UPDATE turns SET starts = 2");
  const changes: string[] = [];
  server.respond(async ({ body }) => {
    // Keeps the other turn active until the failed one is queued again.
    if (JSON.stringify(body).includes("from ann")) await expect.poll(() => changes.some((change) => change !== "1 held")).toBe(true);
    return textReply("At last.");
  });
  const held = server.hold();
  await using second = await startTestGateway({ ...common, home: first.home, around: failing({ endTurn: times(1) }) });
  using _changes = second.gateway.engine.parts.events.subscribe("agent:main:test:direct:owner-1", (event) => {
    if (event.type === "queue-change") changes.push(`${event.queued} ${event.wait?.type ?? "nothing"}`);
  });
  held.open();
  await platform.waitForSends(2);
  await second.gateway.engine.idle();
  expect(sentTexts()).toEqual(["At last.", "At last."]);
  const others = changes.filter((change) => change !== "1 held");
  // On a busy machine the same may be told twice.
  expect(others.filter((change, index) => change !== others[index - 1])).toEqual(["1 restart", "0 nothing"]);
});

describe("shown thoughts", () => {
  const thinking = (text: string) => ({ type: "thinking", thinking: text }) as const;
  const look = { type: "message", content: [thinking("First I look."), { type: "tool_use", name: "ls", input: {} }] } as const;
  const answer = { type: "message", content: [thinking("It is empty."), { type: "text", text: "Nothing there." }] } as const;

  /** Sends a message in a conversation whose thoughts are shown. */
  async function begin(running: TestGateway, reasoning: "on" | "stream"): Promise<void> {
    for (const command of ["/think high", `/reasoning ${reasoning}`]) {
      await platform.say(platform.message(command));
      await running.gateway.engine.idle();
    }
    await platform.say(platform.message("look"));
  }

  test("before the answer are those of the whole turn, also after a resume", async () => {
    const first = await startTestGateway({ platform, patch: withModel(server.baseUrl) });
    server.respond(({ index }) => (index === 0 ? look : answer));
    await begin(first, "on");
    await server.nextRequest();
    const held = server.hold();
    await server.nextRequest();
    await first.stop();
    held.open();
    platform = new TestPlatform();
    await using second = await startTestGateway({ platform, patch: withModel(server.baseUrl), home: first.home });
    await second.gateway.engine.idle();
    expect(sentTexts()).toEqual(["_Thoughts_\n\n> First I look.\n>\n> It is empty.", "Nothing there."]);
  });

  test("during the turn are shown once when a kill has lost their answer", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "factotum-killed-"));
    const copied = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    let home = "";
    const around = (store: Store): Store => {
      const addOutbound: Store["addOutbound"] = async (...parameters) => {
        const rows = await store.addOutbound(...parameters);
        await cp(home, folder, { recursive: true, filter: (file) => !file.endsWith("-shm") });
        copied.resolve();
        // The killed process does not continue.
        await over.promise;
        return rows;
      };
      return new Proxy(store, {
        get: (target, name: keyof Store) => (name === "addOutbound" ? addOutbound : (target[name] as () => unknown).bind(target)),
      });
    };
    const first = await startTestGateway({ platform, patch: withModel(server.baseUrl), around });
    ({ home } = first);
    server.script([look, look, answer]);
    await begin(first, "stream");
    await copied.promise;
    platform = new TestPlatform();
    const second = await startTestGateway({ platform, patch: withModel(server.baseUrl), home: folder });
    await second.gateway.engine.idle();
    const shown = sentTexts();
    over.resolve();
    await first.stop();
    await second.stop();
    expect(shown).toEqual(["_Thoughts_\n\n> First I look.", "_Thoughts_\n\n> It is empty.", "Nothing there."]);
    await rm(folder, { recursive: true, force: true });
  });
});
