import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { withoutUndefined } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import type { Origin } from "@factotum/channel-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endsAsKilled, realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestRunner } from "../../test/complete-runner.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const STEP_MS = 5_000;

/** Real time, except for timers of five seconds, which fire when the test says so. */
class WaitClock {
  readonly #waiting = new Set<() => void>();
  readonly now = (): number => realClock.now();
  readonly monotonic = (): number => realClock.monotonic();
  readonly schedule = (delayMs: number, callback: () => void): Disposable => {
    if (delayMs !== STEP_MS) return realClock.schedule(delayMs, callback);
    this.#waiting.add(callback);
    return { [Symbol.dispose]: () => void this.#waiting.delete(callback) };
  };

  get waiting(): number {
    return this.#waiting.size;
  }

  pass(steps: number): void {
    for (let step = 0; step < steps; step += 1) {
      const due = Array.from(this.#waiting);
      for (const callback of due) if (this.#waiting.delete(callback)) callback();
    }
  }
}

let server: AnthropicServer;
let platform: TestPlatform;
let clock: WaitClock;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(({ index }) => textReply(`Answer ${index}.`));
  platform = new TestPlatform();
  clock = new WaitClock();
});
afterEach(() => server[Symbol.asyncDispose]());

const patch = (config: FactotumConfig): FactotumConfig => {
  const base = withModel(server.baseUrl)(config);
  const queue = { ...base.messages.queue, mode: "followup" as const };
  return {
    ...base,
    maxConcurrent: 1,
    session: { ...base.session, dmScope: "per-channel-peer" },
    messages: { ...base.messages, queue },
  };
};

const start = (home?: string): Promise<TestGateway> =>
  startTestGateway({ platform, clock, patch, accountConfig: { allowFrom: ["ann", "other"] }, ...withoutUndefined({ home }) });

const chat = (id: string, kind: Origin["conversation"]["kind"] = "direct"): Origin => ({
  channel: "test",
  accountId: "default",
  conversation: { kind, id },
});
const say = (person: string, text: string) =>
  platform.say(platform.message(text, { origin: chat(`dm-${person}`), sender: { id: person, isBot: false } }));
const textsTo = (id: string): string[] =>
  platform.sent.flatMap(({ target, outbound }) => (target.conversation.id === id && outbound.type === "text" ? [outbound.text] : []));

/** Occupies the only place. */
async function occupy(): Promise<() => void> {
  const gate = server.hold();
  await say("other", "asparagus");
  await server.nextRequest();
  return gate.open;
}

const PLACE = "I am answering other people right now. Your message waits for its turn.";

test("a person whose message waits for a place is notified once, after 20 seconds, and answered", async () => {
  await using running = await start();
  const release = await occupy();
  await say("ann", "one");
  await say("ann", "two");
  clock.pass(3);
  expect(textsTo("dm-ann")).toEqual([]);
  clock.pass(1);
  await platform.waitForSends(1);
  expect(textsTo("dm-ann")).toEqual([PLACE]);
  clock.pass(20);
  release();
  await running.gateway.engine.idle();
  expect(textsTo("dm-ann")).toEqual([PLACE, expect.stringMatching(/^Answer/), expect.stringMatching(/^Answer/)]);
  expect(textsTo("dm-other")).toEqual([expect.stringMatching(/^Answer/)]);
});

test("a second wait has a notice of its own; one that ends earlier has none", async () => {
  await using running = await start();
  for (const steps of [4, 3, 4]) {
    const release = await occupy();
    const sent = platform.sent.length;
    await say("ann", "one");
    clock.pass(steps);
    if (steps === 4) await platform.waitForSends(sent + 1);
    release();
    await running.gateway.engine.idle();
    clock.pass(10);
  }
  expect(textsTo("dm-ann").filter((text) => text === PLACE)).toHaveLength(2);
  expect(textsTo("dm-ann")).toHaveLength(5);
});

test("a message behind an earlier one of its own conversation gets a notice, unless something was shown meanwhile", async () => {
  await using running = await start();
  const gate = server.hold();
  await say("ann", "one");
  await server.nextRequest();
  await say("ann", "two");
  await say("ann", "three");
  clock.pass(3);
  const second = server.hold();
  gate.open();
  await platform.waitForSends(1);
  await server.nextRequest();
  // The receipt of the shown line is on disk.
  await running.gateway.engine.parts.dispatcher.idle();
  clock.pass(3);
  // A wait whose line was shown has no timer left.
  expect(clock.waiting).toBe(1);
  expect(textsTo("dm-ann")).toEqual(["Answer 0."]);
  clock.pass(1);
  await platform.waitForSends(2);
  expect(textsTo("dm-ann")[1]).toContain("/stop ends what I am doing");
  second.open();
  await running.gateway.engine.idle();
  expect(textsTo("dm-ann")).toHaveLength(4);
});

test("a person whose run waits for tools of other conversations is notified once", async () => {
  const limited = (config: FactotumConfig): FactotumConfig => ({
    ...patch(config),
    maxConcurrent: 4,
    commands: { ...config.commands, ownerAllowFrom: ["test:ann", "test:other"] },
    tools: { ...config.tools, exec: { ...config.tools.exec, maxConcurrent: 1 } },
  });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const commands: string[] = [];
  const runner: TestRunner = {
    run: async ({ command }) => {
      commands.push(JSON.stringify(command));
      await ended;
      return { end: { type: "exited", exitCode: 0 }, output: "", outputBytes: 0, durationMs: 0 };
    },
  };
  server.respond(({ body }) =>
    JSON.stringify(body).includes("tool_result") ? textReply("Done.") : toolReply({ name: "exec", input: { command: "true" } }),
  );
  await using running = await startTestGateway({ platform, clock, patch: limited, runner });
  await say("other", "one");
  await expect.poll(() => commands.length).toBe(1);
  await say("ann", "two");
  await server.nextRequest();
  await server.nextRequest();
  await expect.poll(() => clock.waiting).toBe(1);
  clock.pass(6);
  await expect.poll(() => textsTo("dm-ann")).toEqual([expect.stringContaining("many tools for other people")]);
  expect(commands).toHaveLength(1);
  end();
  await running.gateway.engine.idle();
  expect(textsTo("dm-ann")).toHaveLength(2);
  expect(textsTo("dm-other")).toEqual(["Done."]);
});

test("a dropped message gets no wait notice", async () => {
  await using running = await start();
  const release = await occupy();
  await say("ann", "one");
  clock.pass(3);
  await say("ann", "/stop");
  await platform.waitForSends(1);
  clock.pass(5);
  release();
  await running.gateway.engine.idle();
  expect(textsTo("dm-ann")).toEqual([expect.stringContaining("ropped 1 waiting message.")]);
});

test("no notice is sent in a group", async () => {
  await using running = await startTestGateway({
    platform,
    clock,
    patch,
    accountConfig: { allowFrom: ["ann", "other"], groupPolicy: "open" },
  });
  const release = await occupy();
  await platform.say(platform.message("one", { origin: chat("group-1", "group"), mentionsBot: true }));
  clock.pass(10);
  release();
  await running.gateway.engine.idle();
  expect(textsTo("group-1")).toEqual([expect.stringMatching(/^Answer/)]);
});

test("a turn that waits to be resumed shows typing after five seconds, and a notice after 20", async () => {
  const around = endsAsKilled;
  const common = { platform, clock, accountConfig: { allowFrom: ["ann", "other"] } };
  const both = (config: FactotumConfig): FactotumConfig => ({ ...patch(config), maxConcurrent: 2 });
  const gate = server.hold();
  const first = await startTestGateway({ ...common, patch: both, around });
  await say("other", "asparagus");
  await server.nextRequest();
  await say("ann", "one");
  await server.nextRequest();
  await first.stop();
  // Simulates two crashes.
  using database = new DatabaseSync(path.join(first.home, "state", "factotum.sqlite"));
  database.exec("UPDATE turns SET starts = 2");
  const typing = new TestPlatform("platform", { typing: true });
  await using second = await startTestGateway({ ...common, platform: typing, patch: both, home: first.home });
  await server.nextRequest();
  const isTyping = (): boolean =>
    typing.sent.some(({ target, outbound }) => outbound.type === "typing" && target.conversation.id === "dm-ann");
  expect(isTyping()).toBe(false);
  clock.pass(1);
  await expect.poll(isTyping).toBe(true);
  clock.pass(3);
  const texts = (): string[] =>
    typing.sent.flatMap(({ target, outbound }) => (target.conversation.id === "dm-ann" && outbound.type === "text" ? [outbound.text] : []));
  await expect.poll(texts).toEqual([expect.stringContaining("one conversation at a time")]);
  gate.open();
  await second.gateway.engine.idle();
  expect(texts()).toEqual([expect.stringContaining("one conversation at a time"), expect.stringMatching(/^Answer/)]);
});

test("clients of a session receive what its messages wait for, and every change of it", async () => {
  await using running = await start();
  const { parts, sessions } = running.gateway.engine;
  const ann = "agent:main:test:direct:ann";
  const waits: unknown[] = [];
  using _watch = parts.events.subscribe(ann, (event) => event.type === "queue-change" && waits.push([event.queued, event.wait?.type]));
  const first = server.hold();
  await say("ann", "one");
  await server.nextRequest();
  const others = server.hold();
  await say("ann", "two");
  expect(waits.at(-1)).toEqual([1, "earlier"]);
  await say("other", "asparagus");
  first.open();
  await server.nextRequest();
  await expect.poll(() => waits.at(-1)).toEqual([1, "place"]);
  const { snapshot, subscription } = await sessions.subscribe(ann, { limit: 10, listener: () => undefined });
  subscription[Symbol.dispose]();
  expect(snapshot).toMatchObject({ queued: 1, wait: { type: "place", limit: 1 } });
  others.open();
  await running.gateway.engine.idle();
  expect(waits.at(-1)).toEqual([0, undefined]);
});
