import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, expect, test } from "vitest";
import { ManualTimers } from "../../test/manual-timers.ts";
import type { GatewayEvent } from "../gateway-client/connection.ts";
import type { ConnectionState } from "../gateway-client/gateway-client.ts";
import { followGateway } from "./follow-gateway.ts";
import { queryKey, type QueryKey } from "./query-keys.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const SHOWN = [queryKey("sessions.list", {}), queryKey("approvals.list", {})];

/** Shown results of requests, with the events of a gateway. */
async function open(keys: readonly QueryKey[] = SHOWN, answer: (asked: number) => Promise<void> = () => Promise.resolve()) {
  const asked: string[] = [];
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, gcTime: Infinity } } });
  for (const key of keys) {
    const observer = new QueryObserver(queries, { queryKey: key, queryFn: async () => answer(asked.push(key[0])).then(() => null) });
    ends.push(observer.subscribe(() => undefined));
  }
  const timers = new ManualTimers();
  let say = (_event: GatewayEvent): void => undefined;
  let become = (_state: ConnectionState): void => undefined;
  const gateway = {
    onEvent: (listener: typeof say) => ((say = listener), () => (say = () => undefined)),
    onStateChange: (listener: typeof become) => ((become = listener), () => (become = () => undefined)),
  };
  const stop = followGateway(queries, gateway, timers);
  ends.push(stop);
  await expect.poll(() => asked.length).toBe(keys.length);
  asked.length = 0;
  return { asked, queries, stop, timers, say: (event: GatewayEvent) => say(event), become: (state: ConnectionState) => become(state) };
}

const SESSIONS: GatewayEvent = { type: "sessions-change", payload: { keys: ["agent:main:main"] } };

test("events request the results that they may have changed, once for a burst, and no others", async () => {
  const { asked, timers, say, queries } = await open();
  say(SESSIONS);
  say(SESSIONS);
  expect(asked).toEqual([]);
  timers.advance(1000);
  await expect.poll(() => asked).toEqual(["sessions.list"]);
  expect(queries.isFetching()).toBe(0);
});

test("what is being requested is requested once more after its answer, however many events come meanwhile", async () => {
  let { promise: answered, resolve: end } = Promise.withResolvers<void>();
  end();
  const { asked, timers, say, queries } = await open([queryKey("sessions.list", {})], () => answered);
  await expect.poll(() => queries.isFetching()).toBe(0);
  ({ promise: answered, resolve: end } = Promise.withResolvers<void>());
  say(SESSIONS);
  timers.advance(1000);
  expect(queries.isFetching()).toBe(1);
  for (let count = 0; count < 5; count += 1) {
    say(SESSIONS);
    timers.advance(1000);
  }
  await expect.poll(() => asked).toHaveLength(1);
  end();
  await expect.poll(() => queries.isFetching()).toBe(0);
  timers.advance(1000);
  await expect.poll(() => asked).toHaveLength(2);
  await expect.poll(() => queries.isFetching()).toBe(0);
  timers.advance(1000);
  expect(asked).toHaveLength(2);
});

test("a changed configuration requests what depends on it, and no conversations", async () => {
  const { asked, timers, say } = await open([...SHOWN, queryKey("status", {}), queryKey("setup.state", {})]);
  say({ type: "config-change", payload: { type: "applied", changed: ["agents.defaults.model"], needsRestart: [], problems: [] } });
  timers.advance(1000);
  await expect.poll(() => [...asked].sort()).toEqual(["setup.state", "status"]);
});

test("a new connection requests everything that is shown", async () => {
  const { asked, become } = await open();
  become({ type: "connecting" });
  expect(asked).toEqual([]);
  become({ type: "connected", serverVersion: "1" });
  await expect.poll(() => [...asked].sort()).toEqual(["approvals.list", "sessions.list"]);
});

test("after its end nothing is requested, not even for an event of before", async () => {
  const { asked, timers, say, stop, queries } = await open();
  say(SESSIONS);
  stop();
  timers.advance(1000);
  expect(queries.isFetching()).toBe(0);
  expect(asked).toEqual([]);
});
