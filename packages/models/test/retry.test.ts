import { ModelError, type ModelClient, type ModelErrorCode, type ModelEvent, type Retry } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import { createFailoverClient, createRetryClient, type ModelRetry } from "../src/index.ts";
import { clientFor, collect, failureOf, messageOf, requestOf } from "./client.ts";
import { FakeClock } from "./fake-clock.ts";
import { assistant, text } from "./history.ts";
import { compatibleChat } from "./wires/openai-chat.ts";

/** A clock whose delays end at once; each is recorded. */
class HastyClock extends FakeClock {
  readonly pauses: number[] = [];

  override schedule(delayMs: number, callback: () => void): Disposable {
    this.pauses.push(delayMs);
    return super.schedule(0, callback);
  }
}

interface Played {
  readonly client: ModelClient;
  readonly retries: ModelRetry[];
  calls: number;
}

/** A retrying client over one that emits these events, one script per call; the last script is repeated. */
function playing(
  scripts: readonly (readonly ModelEvent[])[],
  { clock, jitter = 0, withdrawText }: { readonly clock: FakeClock; readonly jitter?: number; readonly withdrawText?: () => boolean },
): Played {
  const { info } = clientFor(compatibleChat, "http://127.0.0.1:9");
  const retries: ModelRetry[] = [];
  const inner: ModelClient = {
    info,
    async *stream(): AsyncGenerator<ModelEvent, void, undefined> {
      played.calls += 1;
      yield* scripts[Math.min(played.calls, scripts.length) - 1] ?? [];
    },
  };
  const random = { bytes: (count: number) => new Uint8Array(count), uuid: () => "", float: () => jitter };
  const client = createRetryClient(inner, {
    clock,
    random,
    onRetry: (retry) => retries.push(retry),
    ...(withdrawText !== undefined && { withdrawText }),
  });
  const played: Played = { client, retries, calls: 0 };
  return played;
}

function failing(code: ModelErrorCode, retry: Retry = { type: "backoff" }): ModelEvent[] {
  return [{ type: "message-start" }, { type: "message-failed", error: new ModelError(code, `it was ${code}`, { retry }) }];
}

const THOUGHT: readonly ModelEvent[] = [
  { type: "thinking-start", index: 0 },
  { type: "thinking-delta", index: 0, text: "Hmm" },
];
const CALL: readonly ModelEvent[] = [{ type: "tool-call-start", index: 0, id: "c", name: "ls" }];
const TEXT: readonly ModelEvent[] = [
  { type: "text-start", index: 0 },
  { type: "text-delta", index: 0, text: "Once upon" },
];
const ANSWER: readonly ModelEvent[] = [
  { type: "message-start" },
  ...TEXT,
  { type: "message-end", message: assistant([text("Once upon")]) },
];

/** Collects while the clock advances by itself. */
async function collectHastily(client: ModelClient, clock: FakeClock): Promise<ModelEvent[]> {
  let done = false;
  const collected = collect(client).finally(() => (done = true));
  while (!done) {
    clock.advance(0);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return collected;
}

describe("retries", () => {
  test.each(["rate-limited", "overloaded", "server", "unreachable", "truncated"] as const)(
    "%s: three requests in total, then the original failure",
    async (code) => {
      const clock = new HastyClock();
      const played = playing([failing(code)], { clock });
      expect(await collectHastily(played.client, clock)).toEqual([failing(code)[1]]);
      expect(played.calls).toBe(3);
      expect(clock.pauses).toEqual([500, 2_000]);
      expect(played.retries.map(({ error, nextTry, maxTries, delayMs }) => [error.code, nextTry, maxTries, delayMs])).toEqual([
        [code, 2, 3, 500],
        [code, 3, 3, 2_000],
      ]);
    },
  );

  test.each([
    "timeout",
    "unauthorized",
    "billing",
    "invalid-request",
    "not-found",
    "refused",
    "filtered",
    "output-limit",
    "context-overflow",
    "budget",
    "aborted",
  ] as const)("never %s", async (code) => {
    const clock = new HastyClock();
    const played = playing([failing(code, code === "timeout" ? { type: "backoff" } : { type: "never" })], { clock });
    expect(failureOf(await collectHastily(played.client, clock)).error.code).toBe(code);
    expect(played.calls).toBe(1);
  });

  test("nothing that will fail again: a transient code whose error says so", async () => {
    const clock = new HastyClock();
    const played = playing([failing("unreachable", { type: "never" })], { clock });
    await collectHastily(played.client, clock);
    expect(played.calls).toBe(1);
  });

  test("an answer at the third attempt looks like one at the first", async () => {
    const clock = new HastyClock();
    const played = playing([failing("overloaded"), failing("rate-limited"), ANSWER], { clock });
    expect(await collectHastily(played.client, clock)).toEqual(ANSWER);
  });
});

describe("already passed on", () => {
  test.each([
    ["thoughts", THOUGHT],
    ["a call", CALL],
  ])("%s: a second start withdraws them", async (_name, begun) => {
    const clock = new HastyClock();
    const cut = [{ type: "message-start" } as const, ...begun, ...failing("truncated").slice(1)];
    const played = playing([cut, ANSWER], { clock });
    expect(await collectHastily(played.client, clock)).toEqual([{ type: "message-start" }, ...begun, ...ANSWER]);
  });

  test("text: the failure is final, and there is no retry", async () => {
    const clock = new HastyClock();
    const cut = [{ type: "message-start" } as const, ...THOUGHT, ...TEXT, ...failing("truncated").slice(1)];
    const played = playing([cut, ANSWER], { clock });
    expect(await collectHastily(played.client, clock)).toEqual(cut);
    expect(played.calls).toBe(1);
  });
});

describe("text that can be withdrawn", () => {
  const cutOff: readonly ModelEvent[] = [{ type: "message-start" }, ...TEXT, ...failing("truncated").slice(1)];

  test("is requested again while nobody has seen it", async () => {
    const clock = new HastyClock();
    const played = playing([cutOff, ANSWER], { clock, withdrawText: () => true });
    const events = await collectHastily(played.client, clock);
    expect(events).toEqual([{ type: "message-start" }, ...TEXT, ...ANSWER]);
    expect(played.calls).toBe(2);
  });

  test("is final once it was seen, and is not withdrawn before the last try", async () => {
    const clock = new HastyClock();
    const asked: number[] = [];
    const withdrawText = (): boolean => asked.push(played.calls) < 2;
    const played = playing([cutOff], { clock, withdrawText });
    const events = await collectHastily(played.client, clock);
    expect(events.at(-1)?.type).toBe("message-failed");
    expect(played.calls).toBe(2);
    const never = playing([cutOff], { clock, withdrawText: () => asked.push(0) > 0 });
    await collectHastily(never.client, clock);
    expect(never.calls).toBe(3);
    expect(asked).toEqual([1, 2, 0, 0]);
  });
});

describe("the delay", () => {
  test("has jitter, and is at least the one the provider requests", async () => {
    const clock = new HastyClock();
    const after = (delayMs: number): ModelEvent[] => failing("rate-limited", { type: "after", delayMs });
    await collectHastily(playing([after(0)], { clock, jitter: 0.5 }).client, clock);
    await collectHastily(playing([after(30_000)], { clock, jitter: 0.5 }).client, clock);
    expect(clock.pauses).toEqual([750, 3_000, 30_000, 30_000]);
  });

  test("of more than 30 s is not waited for", async () => {
    const clock = new HastyClock();
    const played = playing([failing("rate-limited", { type: "after", delayMs: 30_001 })], { clock });
    expect(failureOf(await collectHastily(played.client, clock)).error.retry).toEqual({ type: "after", delayMs: 30_001 });
    expect(played.calls).toBe(1);
  });

  test("does not start once the request was aborted", async () => {
    const clock = new HastyClock();
    const played = playing([failing("overloaded")], { clock });
    const events: ModelEvent[] = [];
    for await (const event of played.client.stream(requestOf(), { signal: AbortSignal.abort() })) events.push(event);
    expect(failureOf(events).error.code).toBe("overloaded");
    expect([played.calls, played.retries, clock.pauses]).toEqual([1, [], []]);
  });

  test("leaves the request its abort signal", async () => {
    const { info } = clientFor(compatibleChat, "http://127.0.0.1:9");
    const signals: AbortSignal[] = [];
    const inner: ModelClient = {
      info,
      async *stream(_, { signal }): AsyncGenerator<ModelEvent, void, undefined> {
        signals.push(signal);
        yield* ANSWER;
      },
    };
    const random = { bytes: (count: number) => new Uint8Array(count), uuid: () => "", float: () => 0 };
    const { signal } = new AbortController();
    const client = createRetryClient(inner, { clock: new FakeClock(), random });
    for await (const event of client.stream(requestOf(), { signal })) expect(event.type).not.toBe("message-failed");
    expect(signals).toHaveLength(1);
    expect(signals[0]).toBe(signal);
  });

  test("is passed to the caller, between the previous try and the next one", async () => {
    const { info } = clientFor(compatibleChat, "http://127.0.0.1:9");
    const log: string[] = [];
    const inner: ModelClient = {
      info,
      async *stream(): AsyncGenerator<ModelEvent, void, undefined> {
        log.push("try");
        yield* log.length === 1 ? failing("overloaded") : ANSWER;
      },
    };
    const clock = new HastyClock();
    const random = { bytes: (count: number) => new Uint8Array(count), uuid: () => "", float: () => 0 };
    const aroundPause = async (pause: () => Promise<void>): Promise<void> => {
      log.push("let go");
      await pause();
      log.push(`hold after ${clock.pauses.length}`);
    };
    await collectHastily(createRetryClient(inner, { clock, random, aroundPause }), clock);
    expect(log).toEqual(["try", "let go", "hold after 1", "try"]);
  });

  test("ends at once with an abort, and leaves no timer", async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    const played = playing([failing("overloaded")], { clock });
    const events: ModelEvent[] = [];
    const running = (async () => {
      for await (const event of played.client.stream(requestOf(), { signal: abort.signal })) events.push(event);
    })();
    await clock.whenSet(500);
    abort.abort();
    const later = new Promise((resolve) => setImmediate(resolve, "still waiting"));
    expect(await Promise.race([running, later])).toBeUndefined();
    expect(failureOf(events).error.code).toBe("aborted");
    expect([played.calls, clock.pending]).toEqual([1, 0]);
  });
});

test("the next candidate is asked only after the retries of the previous one, and answers once", async () => {
  const clock = new HastyClock();
  const first = playing([failing("overloaded")], { clock });
  const second = playing([ANSWER], { clock });
  const client = createFailoverClient(
    [
      { client: first.client, credential: "work" },
      { client: second.client, credential: "home" },
    ],
    { clock },
  );
  expect(messageOf(await collectHastily(client, clock)).content).toEqual([text("Once upon")]);
  expect([first.calls, second.calls]).toEqual([3, 1]);
});
