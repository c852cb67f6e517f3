import { ModelError, type ModelClient, type ModelErrorCode, type ModelEvent, type Retry } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import { Cooldowns, createFailoverClient, type FailoverCandidate, type FailoverSwitch } from "../src/index.ts";
import { clientFor, collect, failureOf, messageOf, requestOf } from "./client.ts";
import { FakeClock } from "./fake-clock.ts";
import { assistant, text } from "./history.ts";
import { sendJson, sendStream, startWireServer } from "./wire-server.ts";
import { compatibleChat } from "./wires/openai-chat.ts";
import { answerOf } from "./wires/wire.ts";

interface Scripted extends FailoverCandidate {
  calls: number;
}

/** A candidate that emits these events at each call; the last script is repeated. */
function candidate(model: string, scripts: readonly (readonly ModelEvent[])[], credential = "key"): Scripted {
  const info = { ...clientFor(compatibleChat, "http://127.0.0.1:9").info, id: model };
  const scripted: Scripted = {
    calls: 0,
    credential,
    client: {
      info,
      async *stream(): AsyncGenerator<ModelEvent, void, undefined> {
        scripted.calls += 1;
        yield* scripts[Math.min(scripted.calls, scripts.length) - 1] ?? [];
      },
    },
  };
  return scripted;
}

function failing(code: ModelErrorCode, retry: Retry = { type: "backoff" }): ModelEvent[] {
  return [{ type: "message-start" }, { type: "message-failed", error: new ModelError(code, `it was ${code}`, { retry }) }];
}

function answering(words: string): ModelEvent[] {
  return [
    { type: "message-start" },
    { type: "text-start", index: 0 },
    { type: "text-delta", index: 0, text: words },
    { type: "text-end", index: 0, text: words },
    { type: "message-end", message: assistant([text(words)]) },
  ];
}

function failover(
  candidates: readonly FailoverCandidate[],
  clock = new FakeClock(),
  cooldowns = new Cooldowns(),
): { readonly client: ModelClient; readonly switches: FailoverSwitch[] } {
  const switches: FailoverSwitch[] = [];
  return { client: createFailoverClient(candidates, { clock, cooldowns, onSwitch: (change) => switches.push(change) }), switches };
}

test("seventeen fallbacks with 429, 404 and timeouts: each is asked once over the wire, the last answers, one switch reports it all", async () => {
  const servers = await Promise.all(Array.from({ length: 18 }, () => startWireServer()));
  const clock = new FakeClock();
  const counts = { input: 1, cacheRead: 0, output: 1 };
  const candidates = servers.map((server, index): FailoverCandidate => {
    if (index === 17) server.answer(sendStream(answerOf(compatibleChat, [{ type: "text", pieces: ["I am ", "here."] }], "stop", counts)));
    else if (index % 3 === 0) server.answer(sendJson(429, { error: { message: "Rate limit reached", type: "rate_limit_error" } }));
    else if (index % 3 === 1) server.answer(sendJson(404, { error: { message: "The model does not exist", code: "model_not_found" } }));
    else server.answer(() => clock.advance(1_000));
    const client = clientFor(compatibleChat, server.url, { clock, timeouts: { firstEventMs: 1_000 }, info: { id: `m${index}` } });
    return { client, credential: `key-${index}` };
  });
  const { client, switches } = failover(candidates, clock);
  const events = await collect(client);
  expect(messageOf(events).model).toBe("m17");
  expect(events.filter(({ type }) => type === "message-start")).toHaveLength(1);
  expect(servers.map(({ requests }) => requests.length)).toEqual(Array.from({ length: 18 }, () => 1));
  expect(switches).toHaveLength(1);
  expect(switches[0]).toMatchObject({ from: { model: "m0" }, to: { model: "m17", credential: "key-17" }, modelChanged: true });
  expect(switches[0]?.reasons.map(({ reason }) => reason)).toEqual(
    Array.from({ length: 17 }, (_, index) => (["rate-limited", "not-found", "timeout"] as const)[index % 3]),
  );

  const again = await collect(client);
  expect(messageOf(again).model).toBe("m17");
  expect(servers.slice(0, 17).every(({ requests }) => requests.length === 1)).toBe(true);
  expect(switches[1]?.reasons.every(({ type }) => type === "skipped")).toBe(true);
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
});

test("an answer resets the failures of its candidate, so the next cooldown is as short as the first", async () => {
  const clock = new FakeClock();
  const cooldowns = new Cooldowns();
  const flaky = candidate("a", [failing("overloaded"), answering("hello"), failing("overloaded")]);
  const { client } = failover([flaky, candidate("b", [answering("b")])], clock, cooldowns);
  await collect(client);
  const [first] = cooldowns.list(clock.monotonic());
  const restMs = (first?.untilMs ?? 0) - clock.monotonic();
  clock.advance(restMs);
  expect(await collect(client)).toEqual(answering("hello"));
  await collect(client);
  expect(cooldowns.list(clock.monotonic())).toMatchObject([{ model: "a", untilMs: clock.monotonic() + restMs }]);
});

describe("events that are passed on", () => {
  test("none of a candidate that failed before it showed anything", async () => {
    const { client, switches } = failover([candidate("a", [failing("overloaded")]), candidate("b", [answering("hello")])]);
    expect(await collect(client)).toEqual(answering("hello"));
    expect(switches).toHaveLength(1);
  });

  test("after a first text there is no failover", async () => {
    const shown: ModelEvent = { type: "text-delta", index: 0, text: "Once upon" };
    const second = candidate("b", [answering("hello")]);
    const { client, switches } = failover([candidate("a", [[{ type: "message-start" }, shown, ...failing("truncated").slice(1)]]), second]);
    const events = await collect(client);
    expect(events).toContainEqual(shown);
    expect(failureOf(events).error.code).toBe("truncated");
    expect(second.calls).toBe(0);
    expect(switches).toEqual([]);
  });

  test.each([true, false])(
    "text that nobody has seen (%s) can be withdrawn by the caller, and then the next candidate answers",
    async (isUnseen) => {
      const text: ModelEvent = { type: "text-delta", index: 0, text: "Once upon" };
      const second = candidate("b", [answering("hello")]);
      const first = candidate("a", [[{ type: "message-start" }, text, ...failing("truncated").slice(1)]]);
      const client = createFailoverClient([first, second], { clock: new FakeClock(), withdrawText: () => isUnseen });
      expect((await collect(client)).at(-1)?.type).toBe(isUnseen ? "message-end" : "message-failed");
      expect(second.calls).toBe(isUnseen ? 1 : 0);
    },
  );

  test.each(["thinking-delta", "tool-call-start"] as const)("after a %s the next candidate's start withdraws it", async (type) => {
    const begun: ModelEvent = type === "tool-call-start" ? { type, index: 0, id: "c", name: "ls" } : { type, index: 0, text: "Hmm" };
    const second = candidate("b", [answering("hello")]);
    const { client, switches } = failover([candidate("a", [[{ type: "message-start" }, begun, ...failing("truncated").slice(1)]]), second]);
    expect(await collect(client)).toEqual([{ type: "message-start" }, begun, ...answering("hello")]);
    expect(switches).toMatchObject([{ modelChanged: true, to: { model: "b" } }]);
  });

  test("the first candidate's answer is not a switch, and another credential of the same model need not be reported", async () => {
    const quiet = failover([candidate("a", [answering("hello")]), candidate("b", [answering("no")])]);
    await collect(quiet.client);
    expect(quiet.switches).toEqual([]);
    const { client, switches } = failover([
      candidate("a", [failing("rate-limited")], "work"),
      candidate("a", [answering("hello")], "home"),
    ]);
    await collect(client);
    expect(switches).toMatchObject([{ modelChanged: false, to: { credential: "home" } }]);
  });

  test.each(["aborted", "denied", "refused", "filtered", "invalid-request", "context-overflow", "output-limit"] as const)(
    "%s is the request's fault: no other candidate is asked",
    async (code) => {
      const second = candidate("b", [answering("hello")]);
      const { client } = failover([candidate("a", [failing(code, { type: "never" })]), second]);
      expect(failureOf(await collect(client)).error).toMatchObject({ code, message: `it was ${code}` });
      expect(second.calls).toBe(0);
    },
  );

  test("every credential of a model is asked before the next model, each once, and the answering one is reported each time", async () => {
    const work = candidate("a", [failing("rate-limited")], "work");
    const home = candidate("a", [failing("unauthorized", { type: "never" })], "home");
    const spare = candidate("b", [answering("hello")], "spare");
    const answered: string[] = [];
    const switches: FailoverSwitch[] = [];
    const client = createFailoverClient([work, home, spare], {
      clock: new FakeClock(),
      onAnswer: ({ model, credential }) => answered.push(`${model} ${credential}`),
      onSwitch: (change) => switches.push(change),
    });
    await collect(client);
    await collect(client);
    expect([work.calls, home.calls, spare.calls]).toEqual([1, 1, 2]);
    expect(answered).toEqual(["b spare", "b spare"]);
    expect(switches.map(({ reasons }) => reasons.map(({ credential, type, reason }) => `${credential} ${type} ${reason}`))).toEqual([
      ["work failed rate-limited", "home failed unauthorized"],
      ["work skipped rate-limited", "home skipped unauthorized"],
    ]);
  });

  test("a prompt that is too long for the model is so with every credential: it is for the session to compact", async () => {
    const spare = candidate("b", [answering("hello")]);
    const { client } = failover([
      candidate("a", [failing("rate-limited")], "work"),
      candidate("a", [failing("context-overflow", { type: "never" })], "home"),
      spare,
    ]);
    expect(failureOf(await collect(client)).error.code).toBe("context-overflow");
    expect(spare.calls).toBe(0);
  });

  test("a fallback whose window is too small is skipped, and an abort during a call is reported as such", async () => {
    const overflow = candidate("b", [failing("context-overflow", { type: "never" })]);
    const { client } = failover([candidate("a", [failing("server")]), overflow, candidate("c", [answering("hello")])]);
    expect(messageOf(await collect(client)).content).toEqual([text("hello")]);
    const stopped = failover([candidate("a", [failing("server")]), candidate("b", [failing("aborted", { type: "never" })])]);
    expect(failureOf(await collect(stopped.client)).error.code).toBe("aborted");
  });

  test("leaving early closes the candidate's stream", async () => {
    let closed = false;
    const endless = candidate("a", []);
    const client: ModelClient = {
      info: endless.client.info,
      async *stream() {
        try {
          for (;;) yield await Promise.resolve<ModelEvent>({ type: "text-delta", index: 0, text: "and " });
        } finally {
          closed = true;
        }
      },
    };
    for await (const event of failover([{ client, credential: "key" }]).client.stream(requestOf(), {
      signal: new AbortController().signal,
    })) {
      if (event.type === "text-delta") break;
    }
    expect(closed).toBe(true);
  });
});

describe("when no candidate answers", () => {
  test("the error is the first one's, names every candidate, and says when to retry", async () => {
    const { client } = failover([
      candidate("a", [failing("unauthorized", { type: "never" })], "old"),
      candidate("b", [failing("rate-limited", { type: "after", delayMs: 7_000 })]),
      candidate("c", [failing("server")]),
    ]);
    const { error } = failureOf(await collect(client));
    expect(error).toMatchObject({ code: "unauthorized", retry: { type: "after", delayMs: 7_000 } });
    expect(error.message).toMatch(/a \(old\): it was unauthorized .*b \(key\): it was rate-limited .*c \(key\): it was server/);
    expect(error.cause).toBeInstanceOf(ModelError);
  });

  test("one candidate alone fails with its own error", async () => {
    const { client } = failover([candidate("a", [failing("server")])]);
    expect(failureOf(await collect(client)).error.message).toBe("it was server");
  });

  test("while all cool down, the one with the shortest cooldown is asked anyway", async () => {
    const slow = candidate("a", [failing("server"), failing("server"), answering("late")]);
    const quick = candidate("b", [failing("server"), answering("hello")]);
    const clock = new FakeClock();
    const cooldowns = new Cooldowns();
    await collect(failover([slow], clock, cooldowns).client);
    clock.advance(30_000);
    await collect(failover([slow], clock, cooldowns).client);
    await collect(failover([quick], clock, cooldowns).client);
    expect(messageOf(await collect(failover([slow, quick], clock, cooldowns).client)).content).toEqual([text("hello")]);
    expect([slow.calls, quick.calls]).toEqual([2, 2]);
  });

  test("a cooldown that the provider requested or that needs a person is kept", async () => {
    const told = candidate("a", [failing("rate-limited", { type: "after", delayMs: 1_000 })]);
    const broke = candidate("b", [failing("billing", { type: "never" })]);
    const { client } = failover([told, broke]);
    await collect(client);
    expect(failureOf(await collect(client)).error.message).toContain("skipped");
    expect([told.calls, broke.calls]).toEqual([1, 1]);
  });

  test("skipped candidates alone give an error with the remaining time", async () => {
    const { client } = failover([candidate("a", [failing("billing", { type: "never" })])]);
    await collect(client);
    const { error } = failureOf(await collect(client));
    expect(error).toMatchObject({ code: "billing", retry: { type: "never" } });
    expect(error.message).toContain("skipped, rests for 18000 s after billing");
  });
});

test("throws without candidates", () => {
  expect(() => createFailoverClient([], { clock: new FakeClock() })).toThrow(
    new TypeError("A failover client needs at least one candidate."),
  );
});
