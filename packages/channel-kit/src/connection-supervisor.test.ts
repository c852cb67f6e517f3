import { ManualClock } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { createConnectionSupervisor } from "./index.ts";
import type { SupervisedConnection } from "./index.ts";

const never = new AbortController().signal;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

class TestConnection implements SupervisedConnection {
  readonly #ended = Promise.withResolvers<Error>();
  readonly ended = this.#ended.promise;
  closed = 0;

  break(reason = "broken"): void {
    this.#ended.resolve(new Error(reason));
  }

  close(): Promise<void> {
    this.closed += 1;
    this.break("closed");
    return Promise.resolve();
  }
}

/** A platform that refuses connections while `refusal` is set. */
function setUp(options: { minDelayMs?: (failure: Error) => number } = {}) {
  const clock = new ManualClock(0);
  const connections: TestConnection[] = [];
  const retries: number[] = [];
  const platform: { refusal: Error | undefined; attempts: number } = { refusal: undefined, attempts: 0 };
  const supervisor = createConnectionSupervisor<TestConnection>({
    clock,
    random: { float: () => 0.5 },
    ...options,
    onRetry: (_, delayMs) => void retries.push(delayMs),
    open: () => {
      platform.attempts += 1;
      if (platform.refusal !== undefined) return Promise.reject(platform.refusal);
      const connection = new TestConnection();
      connections.push(connection);
      return Promise.resolve(connection);
    },
  });
  return { supervisor, clock, connections, retries, platform };
}

test("a first attempt that fails rejects, is not repeated, and may be made again", async () => {
  const { supervisor, platform, clock } = setUp();
  platform.refusal = new Error("refused");
  await expect(supervisor.start({ signal: never })).rejects.toThrow("refused");
  expect(supervisor.state).toBe("idle");
  expect(supervisor.failure?.message).toBe("refused");
  expect(clock.pending).toEqual([]);
  platform.refusal = undefined;
  await supervisor.start({ signal: never });
  expect(supervisor.state).toBe("connected");
});

test("two starts are one connection", async () => {
  const { supervisor, platform } = setUp();
  await Promise.all([supervisor.start({ signal: never }), supervisor.start({ signal: never })]);
  await supervisor.start({ signal: never });
  expect(platform.attempts).toBe(1);
});

test("a connection that ends is opened again, later after every failure", async () => {
  const { supervisor, clock, connections, retries, platform } = setUp();
  await supervisor.start({ signal: never });
  platform.refusal = new Error("down");
  connections[0]?.break("reset");
  await settle();
  expect(supervisor.state).toBe("waiting");
  expect(supervisor.failure?.message).toBe("reset");
  for (let turn = 0; turn < 3; turn += 1) {
    clock.advance(clock.pending[0] ?? 0);
    await settle();
  }
  platform.refusal = undefined;
  clock.advance(clock.pending[0] ?? 0);
  await settle();
  expect(retries).toEqual([500, 1_000, 2_000, 4_000]);
  expect(supervisor.connection).toBe(connections[1]);
  expect(supervisor.state).toBe("connected");
});

test("the backoff begins again only after a connection that lasted a minute", async () => {
  const { supervisor, clock, connections, retries } = setUp();
  await supervisor.start({ signal: never });
  for (const lastedMs of [0, 59_999, 60_000]) {
    clock.advance(lastedMs);
    connections.at(-1)?.break();
    await settle();
    clock.advance(clock.pending[0] ?? 0);
    await settle();
  }
  expect(retries).toEqual([500, 1_000, 500]);
});

test("a failure can demand a longer delay", async () => {
  const { supervisor, connections, retries } = setUp({ minDelayMs: ({ message }) => (message === "throttled" ? 60_000 : 0) });
  await supervisor.start({ signal: never });
  connections[0]?.break("throttled");
  await settle();
  expect(retries).toEqual([60_500]);
});

test("stop closes the connection and opens no other", async () => {
  const { supervisor, connections, clock } = setUp();
  await supervisor.start({ signal: never });
  await supervisor.stop({ signal: never });
  await supervisor.stop({ signal: never });
  await settle();
  expect(connections.map(({ closed }) => closed)).toEqual([1]);
  expect(clock.pending).toEqual([]);
  expect(supervisor.state).toBe("stopped");
  await expect(supervisor.start({ signal: never })).rejects.toThrow("not started again");
});

test("stop cancels a scheduled attempt", async () => {
  const { supervisor, connections, clock, platform } = setUp();
  await supervisor.start({ signal: never });
  connections[0]?.break();
  await settle();
  await supervisor.stop({ signal: never });
  clock.advance(1_000_000);
  await settle();
  expect(platform.attempts).toBe(1);
});

test("a connection that opens after the stop is closed", async () => {
  const clock = new ManualClock(0);
  const opening = Promise.withResolvers<TestConnection>();
  const supervisor = createConnectionSupervisor({ clock, random: { float: () => 0 }, open: () => opening.promise });
  const started = supervisor.start({ signal: never });
  const stopped = supervisor.stop({ signal: never });
  const connection = new TestConnection();
  opening.resolve(connection);
  await expect(started).rejects.toThrow("stopped");
  await stopped;
  expect(connection.closed).toBe(1);
  expect(supervisor.connection).toBeUndefined();
});

test("a start whose signal has fired opens nothing", async () => {
  const { supervisor, platform } = setUp();
  await expect(supervisor.start({ signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no");
  expect(platform.attempts).toBe(0);
});
