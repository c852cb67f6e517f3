import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, expect, test } from "vitest";
import { ManualTimers } from "../../test/manual-timers.ts";
import type { GatewayEvent } from "../gateway-client/connection.ts";
import type { ConnectionState } from "../gateway-client/gateway-client.ts";
import { followGateway } from "./follow-gateway.ts";
import { queryKey } from "./query-keys.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Shown results of two requests, with the events of a gateway. */
async function open() {
  const asked: string[] = [];
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, gcTime: Infinity } } });
  for (const key of [queryKey("sessions.list", {}), queryKey("approvals.list", {})]) {
    const observer = new QueryObserver(queries, { queryKey: key, queryFn: async () => asked.push(key[0]) });
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
  await expect.poll(() => asked.length).toBe(2);
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
