import type { FactotumConfig } from "@factotum/config";
import { isPrefixOf, startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { rebuildRequest } from "../requests/rebuild-request.ts";
import type { QueueSettings } from "./queue-settings.ts";

const SESSION = "agent:main:main";

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

type StartOptions = Partial<Parameters<typeof startTestGateway>[0]>;

function start(queue: Partial<QueueSettings>, options: StartOptions = {}): Promise<TestGateway> {
  return startTestGateway({
    platform,
    patch: (config: FactotumConfig) => {
      const base = withModel(server.baseUrl)(config);
      // Without this, each person would have a session and a queue of their own.
      const session = { ...base.session, sharedMain: true };
      return { ...base, session, messages: { ...base.messages, queue: { ...base.messages.queue, ...queue } } };
    },
    ...options,
  });
}

const say = (text: string, extra: Parameters<TestPlatform["message"]>[1] = {}) => platform.say(platform.message(text, extra));
const sentTexts = (): string[] => platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
const bodyText = (index: number): string => JSON.stringify(server.requests.at(index)?.body?.["messages"]);
const occurrences = (text: string, word: string): number => text.split(word).length - 1;

/** Starts a run that blocks in its model request until `open` is called. */
async function hold(text: string): Promise<{ open(): void }> {
  const gate = server.hold();
  await say(text);
  await server.nextRequest();
  return gate;
}

async function inputStates(running: TestGateway): Promise<Record<string, string>> {
  const states: Record<string, string> = {};
  for (const state of ["waiting", "claimed", "answered", "interrupted", "told", "command", "dead"] as const) {
    for (const input of (await running.store.listInputs({ state, limit: 100 })).items) states[input.message.text] = state;
  }
  return states;
}

describe("steer", () => {
  test("is inserted before calls that have not started, is durable before the model sees it, and is in the rebuilt request", async () => {
    server.script([
      toolReply({ name: "write", input: { path: "a.txt", content: "1" } }, { name: "write", input: { path: "b.txt", content: "2" } }),
      textReply("Stopped after a.txt."),
      textReply("Yes."),
    ]);
    await using running = await start({});
    const gate = await hold("write both");
    await say("no, only a.txt");
    gate.open();
    await platform.waitForSends(1);
    await say("thanks");
    await platform.waitForSends(2);
    await running.gateway.engine.idle();
    expect(sentTexts()).toEqual(["Stopped after a.txt.", "Yes."]);
    expect(server.violations).toEqual([]);
    expect(bodyText(1)).toContain("Wrote a.txt");
    expect(bodyText(1)).toContain("write was skipped: a message came in meanwhile");
    expect(bodyText(1).indexOf("was skipped")).toBeLessThan(bodyText(1).indexOf("no, only a.txt"));
    const bodies = server.requests.map(({ body }) => body ?? {});
    expect(isPrefixOf(bodies[0] ?? {}, bodies[1] ?? {})).toBe(true);
    expect(isPrefixOf(bodies[1] ?? {}, bodies[2] ?? {})).toBe(true);
    expect(await inputStates(running)).toEqual({ "write both": "answered", "no, only a.txt": "answered", thanks: "answered" });
    const session = await running.store.readSession(SESSION);
    const { items } = await running.store.listRequests({ sessionId: session?.sessionId ?? "", limit: 10 });
    expect(items).toHaveLength(3);
    for (const request of items) expect((await rebuildRequest(request, running.store))?.exact).toBe(true);
  });

  test("a message that arrives while no tool runs gets a turn of its own", async () => {
    server.script([textReply("One."), textReply("Two.")]);
    await using _running = await start({});
    const gate = await hold("one");
    await say("two");
    gate.open();
    await platform.waitForSends(2);
    expect(sentTexts()).toEqual(["One.", "Two."]);
  });

  test.each([
    ["from a guest", { sender: { id: "guest-1", isBot: false } }],
    [
      "from another conversation",
      { origin: { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: "dm-2" } } },
    ],
    [
      "from another thread",
      { origin: { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: "dm-1", threadId: "t" } } },
    ],
  ])("a message %s is not steered into the owner's run: it waits and is answered in its own conversation", async (_name, extra) => {
    server.script([toolReply({ name: "ls", input: {} }), textReply("One."), textReply("Two.")]);
    await using _running = await start({}, { accountConfig: { allowFrom: ["guest-1"] } });
    const gate = await hold("one");
    const message = platform.message("two", extra);
    await platform.say(message);
    gate.open();
    await platform.waitForSends(2);
    expect(bodyText(1)).not.toContain("two");
    expect(platform.sent).toMatchObject([{ outbound: { text: "One." } }, { target: message.origin, outbound: { text: "Two." } }]);
  });

  test("a steered message stays in its turn after a restart and is sent once", async () => {
    server.script([toolReply({ name: "ls", input: {} })]);
    const first = await start({});
    const gate = await hold("look around");
    await say("and hurry");
    const again = server.hold();
    gate.open();
    await server.nextRequest();
    expect(await inputStates(first)).toEqual({ "look around": "claimed", "and hurry": "claimed" });
    await first.stop();
    again.open();
    server.respond(() => textReply("Both done."));
    await using second = await start({}, { home: first.home });
    await platform.waitForSends(1);
    await second.gateway.engine.idle();
    expect(sentTexts()).toEqual(["Both done."]);
    expect(occurrences(bodyText(-1), "and hurry")).toBe(1);
    expect(await inputStates(second)).toEqual({ "look around": "answered", "and hurry": "answered" });
    expect(server.violations).toEqual([]);
  });
});

describe("a run that is stopped while a message is prepared for steering", () => {
  test("leaves that message in the queue for a turn of its own", async () => {
    server.script([toolReply({ name: "ls", input: {} }), textReply("One."), textReply("Two.")]);
    await using running = await start({});
    const fetching = Promise.withResolvers<void>();
    const fetched = Promise.withResolvers<Uint8Array>();
    const file = platform.attachment(async () => {
      fetching.resolve();
      return fetched.promise;
    });
    const gate = await hold("one");
    await say("two", { attachments: [file] });
    gate.open();
    await fetching.promise;
    const stopping = running.gateway.engine.sessions.stopper.stop(SESSION, { queued: false, reason: "/stop" });
    fetched.resolve(new TextEncoder().encode("notes"));
    await stopping;
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    const states = await inputStates(running);
    expect(states["two"]).toBe("answered");
    expect(occurrences(bodyText(-1), "two")).toBe(1);
    const { items } = await running.store.readTranscript((await running.store.readSession(SESSION))?.sessionId ?? "", { limit: 50 });
    expect(items.filter((entry) => entry.type === "message" && entry.message.role === "user")).toHaveLength(2);
    expect(server.violations).toEqual([]);
  });
});

describe("followup", () => {
  test("answers each message in a turn of its own, in order", async () => {
    server.script([toolReply({ name: "ls", input: {} }), textReply("One."), textReply("Two."), textReply("Three.")]);
    await using _running = await start({ mode: "followup" });
    const gate = await hold("one");
    await say("two");
    await say("three");
    gate.open();
    await platform.waitForSends(3);
    expect(bodyText(1)).not.toContain("two");
    expect(sentTexts()).toEqual(["One.", "Two.", "Three."]);
  });
});

describe("collect", () => {
  test("answers all messages of a busy period in one turn after the debounce window, each thread separately", async () => {
    server.respond(({ index }) => textReply(`Answer ${index}.`));
    await using running = await start({ mode: "collect", debounceMs: 1 });
    const thread = {
      origin: { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: "dm-1", threadId: "t" } },
    };
    const gate = await hold("one");
    for (const text of ["two", "three"]) await say(text);
    await say("elsewhere", thread);
    await say("four");
    gate.open();
    await platform.waitForSends(3);
    await running.gateway.engine.idle();
    expect(server.requests).toHaveLength(3);
    for (const text of ["two", "three", "four"]) expect(bodyText(1)).toContain(text);
    expect(bodyText(1)).not.toContain("elsewhere");
    expect(platform.sent.map(({ target }) => target.conversation.threadId)).toEqual([undefined, undefined, "t"]);
    expect(Object.values(await inputStates(running))).toEqual(Array.from({ length: 5 }, () => "answered"));
    expect(server.violations).toEqual([]);
    const session = await running.store.readSession(SESSION);
    const { items } = await running.store.listRequests({ sessionId: session?.sessionId ?? "", limit: 10 });
    for (const request of items) expect((await rebuildRequest(request, running.store))?.exact).toBe(true);
  });

  test("replies to the last of the collected messages", async () => {
    server.respond(({ index }) => textReply(`Answer ${index}.`));
    await using running = await start({ mode: "collect", debounceMs: 1 });
    const gate = await hold("one");
    await say("two");
    const last = platform.message("three");
    await platform.say(last);
    gate.open();
    await platform.waitForSends(2);
    await running.gateway.engine.idle();
    expect(platform.sent[1]?.outbound).toMatchObject({ type: "text", replyTo: last.messageId });
  });

  test("waits until no message has arrived for the whole window", async () => {
    server.respond(({ index }) => textReply(`Answer ${index}.`));
    let nowMs = 0;
    const timers = new Set<{ readonly delayMs: number; readonly callback: () => void }>();
    const scheduled = Promise.withResolvers<void>();
    const clock = {
      ...realClock,
      monotonic: () => nowMs,
      schedule: (delayMs: number, callback: () => void): Disposable => {
        if (delayMs !== 77_000) return realClock.schedule(delayMs, callback);
        const timer = { delayMs, callback };
        timers.add(timer);
        scheduled.resolve();
        return { [Symbol.dispose]: () => void timers.delete(timer) };
      },
    };
    await using running = await start({ mode: "collect", debounceMs: 77_000 }, { clock });
    const gate = await hold("one");
    await say("two");
    gate.open();
    await platform.waitForSends(1);
    await scheduled.promise;
    expect(server.requests).toHaveLength(1);
    nowMs = 77_000;
    for (const { callback } of timers) callback();
    await running.gateway.engine.idle();
    expect(sentTexts()).toEqual(["Answer 0.", "Answer 1."]);
  });
});

describe("interrupt", () => {
  test("aborts the run and answers the newest message together with those that waited before it", async () => {
    await using running = await start({ mode: "interrupt" });
    const gate = await hold("one");
    await say("two");
    await say("three");
    await server.nextAborted();
    gate.open();
    server.respond(() => textReply("Three it is."));
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    expect(sentTexts()).toEqual(["Three it is."]);
    const asked = bodyText(-1);
    expect([asked.indexOf("one"), asked.indexOf("two"), asked.indexOf("three")].every((at) => at > 0)).toBe(true);
    expect(await inputStates(running)).toMatchObject({ two: "answered", three: "answered" });
    expect(server.violations).toEqual([]);
  });

  test("an interrupted message that had not started is answered in one turn with the interrupting one", async () => {
    server.respond(() => textReply("Both."));
    await using running = await start({ mode: "interrupt" });
    await Promise.all([say("one"), say("two")]);
    await platform.waitForSends(1);
    await running.gateway.engine.idle();
    expect(bodyText(-1)).toContain("one");
    expect(bodyText(-1)).toContain("two");
    expect(Object.values(await inputStates(running)).filter((state) => state === "waiting" || state === "claimed")).toEqual([]);
  });
});

describe("the cap", () => {
  test("summarize gives the model one line for each of the oldest messages, and every message is answered", async () => {
    server.respond(({ index }) => textReply(`Answer ${index}.`));
    await using running = await start({ mode: "followup", cap: 2, drop: "summarize" });
    const gate = await hold("zero");
    for (const text of ["first words", "second words", "third words", "fourth words"]) await say(text);
    gate.open();
    await platform.waitForSends(3);
    await running.gateway.engine.idle();
    expect(server.requests).toHaveLength(3);
    expect(bodyText(1)).toContain("- first words\\n- second words");
    expect(bodyText(1)).toContain("third words");
    expect(bodyText(1)).not.toContain("fourth words");
    expect(Object.values(await inputStates(running))).toEqual(Array.from({ length: 5 }, () => "answered"));
  });

  test.each([
    ["old", "first"],
    ["new", "third"],
  ] as const)("%s drops one message and notifies its sender", async (drop, dropped) => {
    server.respond(({ index }) => textReply(`Answer ${index}.`));
    await using running = await start({ mode: "followup", cap: 2, drop });
    const gate = await hold("zero");
    for (const text of ["first", "second", "third"]) await say(text);
    await platform.waitForSends(1);
    expect(sentTexts()[0]).toContain("Too many messages wait here");
    gate.open();
    await platform.waitForSends(4);
    await running.gateway.engine.idle();
    expect(await inputStates(running)).toEqual({
      zero: "answered",
      first: "answered",
      second: "answered",
      third: "answered",
      [dropped]: "told",
    });
    expect(platform.sent[0]?.outbound).toMatchObject({ replyTo: expect.stringMatching(dropped === "first" ? /-2$/ : /-4$/) });
  });
});

describe("/queue", () => {
  test("overrides the channel, which overrides the configuration; default removes the override", async () => {
    server.respond(() => textReply("Yes."));
    await using running = await start({ mode: "collect", byChannel: { test: "interrupt" } } as Partial<QueueSettings>);
    const ask = async (text: string): Promise<string> => {
      await say(text);
      await running.gateway.engine.idle();
      return sentTexts().at(-1) ?? "";
    };
    expect(await ask("/queue")).toMatch(/^queue interrupt, as configured: .*\n\/queue takes steer,/);
    expect(await ask("/queue followup cap:3 drop:old debounce:2s")).toMatch(
      /^From the next message on: queue followup, .* At most 3 wait; of more the oldest are dropped/,
    );
    expect((await running.store.readSession(SESSION))?.overrides.queue).toEqual({
      mode: "followup",
      cap: 3,
      drop: "old",
      debounceMs: 2000,
    });
    expect(await ask("/queue sideways")).toContain('"sideways" is not understood.');
    expect(await ask("/queue cap:0")).toContain('"cap:0" is not understood.');
    expect(server.requests).toEqual([]);
    server.script([toolReply({ name: "ls", input: {} }), textReply("One."), textReply("Two.")]);
    const gate = await hold("one");
    await say("two");
    gate.open();
    await running.gateway.engine.idle();
    expect(sentTexts().slice(-2)).toEqual(["One.", "Two."]);
    expect(await ask("/queue default")).toContain("queue interrupt, as configured");
    expect(await ask("/queue up some songs")).toBe("Yes.");
  });
});

describe("/stop", () => {
  test("notifies the other senders whose messages it drops", async () => {
    await using running = await start({}, { accountConfig: { allowFrom: ["guest-1"] } });
    const gate = await hold("one");
    await say("mine");
    const other = platform.message("theirs", { sender: { id: "guest-1", isBot: false } });
    await platform.say(other);
    await say("/stop");
    await server.nextAborted();
    gate.open();
    await running.gateway.engine.idle();
    expect(sentTexts().toSorted()).toEqual([
      "Stopped what I was working on, and dropped 2 waiting messages.",
      "This message was dropped: somebody stopped the work here and what waited for it.",
    ]);
    expect(platform.sent.find(({ outbound }) => outbound.type === "text" && outbound.text.startsWith("This"))?.outbound).toMatchObject({
      replyTo: other.messageId,
    });
    expect(await inputStates(running)).toEqual({ one: "interrupted", mine: "told", theirs: "told", "/stop": "command" });
  });
});

describe("unattended runs", () => {
  test("100 stalled background runs delay no turn of a person", async () => {
    const stalled = Promise.withResolvers<ReturnType<typeof textReply>>();
    server.respond(({ body }) => (JSON.stringify(body).includes("beat number") ? stalled.promise : textReply("Here I am.")));
    await using running = await start({});
    for (let count = 0; count < 100; count += 1) {
      await running.gateway.engine.submit(platform.message(`beat number ${count}`), {
        owner: true,
        kind: "heartbeat",
        sessionKey: `agent:main:heartbeat-${count}`,
      });
    }
    for (let count = 0; count < 3; count += 1) await server.nextRequest();
    await say("are you there?");
    await platform.waitForSends(1);
    expect(sentTexts()).toEqual(["Here I am."]);
    expect(server.requests).toHaveLength(4);
    expect((await running.store.listInputs({ state: "silent", limit: 1 })).items).toEqual([]);
    await running.stop();
    stalled.resolve(textReply("HEARTBEAT_OK"));
  });
});
