import type { ChatEvent, ChatSnapshot } from "@factotum/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ManualTimers } from "../../test/manual-timers.ts";
import { reached } from "../../test/reached.ts";
import { MAIN_KEY, ScriptedGateway } from "../../test/scripted-gateway.ts";
import { applyEvent, applySnapshot, type ChatState } from "../chat/chat-state.ts";
import { backoffDelayMs } from "./backoff.ts";
import { GatewayClient } from "./gateway-client.ts";

let gateway: ScriptedGateway;
let timers: ManualTimers;
let clients: GatewayClient[];

beforeEach(async () => {
  gateway = new ScriptedGateway();
  timers = new ManualTimers();
  clients = [];
  await gateway.listen();
});

afterEach(async () => {
  for (const client of clients) client.stop();
  await gateway.close();
});

function makeClient(options: { token?: string; port?: () => number } = {}): GatewayClient {
  const client = new GatewayClient({
    openSocket: () => ({ socket: new WebSocket(`ws://127.0.0.1:${options.port?.() ?? gateway.port}/ws`) }),
    token: options.token ?? gateway.token,
    client: { name: "test", version: "0" },
    timers,
    random: () => 1,
  });
  clients.push(client);
  return client;
}

/** Follows a chat like the page, with promises to wait for. */
function follow(client: GatewayClient, key: string) {
  let state: ChatState | undefined;
  let snapshots = 0;
  const waiting = new Set<() => void>();
  const changed = (next: ChatState): void => {
    state = next;
    for (const check of waiting) check();
  };
  const end = client.watchChat(key, {
    onSnapshot: (snapshot: ChatSnapshot) => {
      snapshots += 1;
      changed(applySnapshot(state, snapshot));
    },
    onEvent: (event: ChatEvent) => {
      if (state === undefined) throw new Error("An event came before the snapshot.");
      changed(applyEvent(state, event));
    },
    onError: (error) => {
      throw error;
    },
  });
  return {
    end,
    get state() {
      return state;
    },
    get snapshots() {
      return snapshots;
    },
    until: (fits: (state: ChatState) => boolean) =>
      new Promise<ChatState>((resolve) => {
        const check = (): void => {
          if (state === undefined || !fits(state)) return;
          waiting.delete(check);
          resolve(state);
        };
        waiting.add(check);
        check();
      }),
  };
}

test("connects with the token in its first frame and gets responses", async () => {
  const client = makeClient();
  client.start();
  expect(await reached(client, "connected")).toEqual({ type: "connected", serverVersion: "0.0.0-test" });
  const { agents } = await client.request("agents.list", {});
  expect(agents.map((agent) => agent.mainSessionKey)).toEqual([MAIN_KEY]);
});

test("a wrong token ends in a refusal with the gateway's message, without a retry", async () => {
  const client = makeClient({ token: "wrong" });
  client.start();
  expect(await reached(client, "refused")).toEqual({
    type: "refused",
    reason: "unauthorized",
    message: "The token is not the one of this gateway.",
  });
  timers.advance(3_600_000);
  expect(client.state.type).toBe("refused");
});

test("reconnects after a cut and catches up", async () => {
  const client = makeClient();
  const { session } = gateway.conversation(MAIN_KEY);
  session.say("before", "k-1");
  client.start();
  const chat = follow(client, MAIN_KEY);
  await chat.until((state) => state.entries.length === 1);
  session.startRun();
  session.startBlock("text");
  session.write("half of ");
  await chat.until((state) => state.live?.blocks[0]?.text === "half of ");

  gateway.cut();
  const waiting = await reached(client, "waiting");
  expect(waiting).toMatchObject({ attempt: 1, retryAtMs: 500, reason: "The gateway cannot be reached." });
  session.write("the answer");
  session.say("missed", "k-2");

  timers.advance(500);
  await chat.until((state) => state.entries.length === 2);
  expect({ ...chat.state, rows: undefined }).toEqual(session.snapshot());
  expect(chat.state?.live?.blocks[0]?.text).toBe("half of the answer");
  session.commitAnswer([], "stop");
  session.endRun("done");
  await chat.until((state) => state.live === undefined);
  const { rows: _rows, ...state } = chat.state ?? {};
  expect(state).toEqual(session.snapshot());
  expect(chat.snapshots).toBe(2);
});

test("delays grow while the gateway is away, and retrying now skips them", async () => {
  const { port } = gateway;
  await gateway.close();
  const client = makeClient({ port: () => port });
  client.start();
  const delays: number[] = [];
  for (let attempt = 1; attempt <= 7; attempt += 1) {
    const state = await reached(client, "waiting");
    expect(state.attempt).toBe(attempt);
    delays.push(state.retryAtMs - timers.nowMs);
    timers.advance(state.retryAtMs - timers.nowMs);
  }
  expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
  await reached(client, "waiting");
  gateway = new ScriptedGateway();
  await gateway.listen(port);
  client.retryNow();
  await reached(client, "connected");
});

test("treats a gap in the events as a lost connection, and starts again with a snapshot", async () => {
  const client = makeClient();
  client.start();
  const chat = follow(client, MAIN_KEY);
  await chat.until(() => true);
  gateway.broadcast("sessions-change", { keys: [] }, { skipSeq: true });
  expect(await reached(client, "waiting")).toMatchObject({ reason: "Events were lost on the way." });
  timers.advance(500);
  await reached(client, "connected");
});

test("ignores unknown events, and requests a reload after a known one with another shape", async () => {
  const client = makeClient();
  client.start();
  await reached(client, "connected");
  gateway.broadcast("weather", { sun: true });
  gateway.broadcast("chat", { sessionKey: MAIN_KEY, event: { type: "made-up" } });
  expect(await reached(client, "refused")).toMatchObject({ reason: "unsupported-protocol" });
});

test("a request times out without a response, and fails when its connection is lost", async () => {
  const client = makeClient();
  client.start();
  await reached(client, "connected");
  const held = Promise.withResolvers<void>();
  gateway.intercept = (request) => {
    if (request.method === "status") held.resolve();
    return "ignore";
  };
  const late = client.request("status", {}, { timeoutMs: 1000 });
  await held.promise;
  timers.advance(1000);
  await expect(late).rejects.toMatchObject({ code: "timeout", isTransient: true });

  const lost = client.request("status", {});
  gateway.cut();
  await expect(lost).rejects.toMatchObject({ code: "disconnected", isTransient: true });
  await expect(client.request("status", {})).rejects.toMatchObject({ code: "disconnected" });
});

test("a refusal by the gateway is not transient, and a message over the frame's limit is never sent", async () => {
  const client = makeClient();
  client.start();
  await reached(client, "connected");
  gateway.intercept = () => ScriptedGateway.refusal("forbidden", "You may not do this.");
  await expect(client.request("status", {})).rejects.toMatchObject({
    code: "forbidden",
    message: "You may not do this.",
    isTransient: false,
  });
  const before = gateway.requests.length;
  const huge = client.request("chat.send", { text: "漢".repeat(400_000), idempotencyKey: "k" });
  await expect(huge).rejects.toMatchObject({ code: "too-large" });
  expect(gateway.requests).toHaveLength(before);
});

test("answers silence with a probe, and reconnects if the probe is not answered", async () => {
  const client = makeClient();
  client.start();
  await reached(client, "connected");
  const probed = Promise.withResolvers<void>();
  gateway.intercept = () => {
    probed.resolve();
    return "ignore";
  };
  timers.advance(25_000);
  await probed.promise;
  timers.advance(10_000);
  expect(await reached(client, "waiting")).toMatchObject({ reason: "The gateway stopped answering." });
});

test("applies events that overtake their snapshot after it", async () => {
  const { session } = gateway.conversation(MAIN_KEY);
  const runId = session.startRun();
  session.startBlock("text");
  gateway.intercept = (request) => {
    if (request.method !== "chat.subscribe") return "handle";
    const answer = session.snapshot();
    gateway.broadcast("chat", { sessionKey: MAIN_KEY, event: { type: "block-delta", runId, text: "early" } });
    return { answer };
  };
  const client = makeClient();
  client.start();
  const chat = follow(client, MAIN_KEY);
  const state = await chat.until((next) => next.live?.blocks[0]?.text !== "");
  expect(state.live?.blocks).toEqual([{ type: "text", text: "early" }]);
});

test("watching a session again waits for the end of the old subscription", async () => {
  const { session } = gateway.conversation(MAIN_KEY);
  session.startRun();
  session.startBlock("text");
  const client = makeClient();
  client.start();
  const first = follow(client, MAIN_KEY);
  await first.until(() => true);
  gateway.intercept = (request) => {
    // From the old subscription, on the wire when the page watched again.
    if (request.method === "chat.unsubscribe") session.write("once");
    return "handle";
  };
  first.end();
  const second = follow(client, MAIN_KEY);
  const state = await second.until(() => true);
  await client.request("agents.list", {});
  expect(state.live?.blocks).toEqual([{ type: "text", text: "once" }]);
  expect(second.state?.live?.blocks).toEqual([{ type: "text", text: "once" }]);
});

test("an ended watch is unsubscribed and gets no more events", async () => {
  const client = makeClient();
  client.start();
  const chat = follow(client, MAIN_KEY);
  await chat.until(() => true);
  chat.end();
  await client.request("agents.list", {});
  expect(gateway.requests.map((request) => request.method)).toContain("chat.unsubscribe");
  gateway.conversation(MAIN_KEY).session.say("unheard", "k-1");
  await client.request("agents.list", {});
  expect(chat.state?.entries).toEqual([]);
});

test("a stopped client is silent", async () => {
  const client = makeClient();
  client.start();
  await reached(client, "connected");
  client.stop();
  timers.advance(3_600_000);
  expect(client.state).toEqual({ type: "stopped" });
});

test("the delay is above zero and within its window", () => {
  fc.assert(
    fc.property(fc.nat({ max: 5000 }), fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (attempt, random) => {
      const delayMs = backoffDelayMs(attempt, random);
      expect(delayMs).toBeGreaterThanOrEqual(250);
      expect(delayMs).toBeLessThanOrEqual(Math.min(15_000, 500 * 2 ** attempt));
    }),
  );
});

test("a conversation that is left before its snapshot comes, and opened again, has each event once", async () => {
  const { session } = gateway.conversation(MAIN_KEY);
  session.startRun();
  session.startBlock("text");
  const client = makeClient();
  client.start();
  await reached(client, "connected");
  let subscriptions = 0;
  gateway.intercept = ({ method }) => {
    subscriptions += method === "chat.subscribe" ? 1 : 0;
    if (method === "chat.subscribe" && subscriptions === 2) session.write("once ");
    return "handle";
  };
  follow(client, MAIN_KEY).end();
  const chat = follow(client, MAIN_KEY);
  await chat.until((state) => state.live?.blocks[0]?.text.startsWith("once ") === true);
  session.write("end");
  const { live } = await chat.until((state) => state.live?.blocks[0]?.text.endsWith("end") === true);
  expect(live?.blocks[0]?.text).toBe("once end");
  expect(subscriptions).toBe(2);
});

test("conversations that are passed by leave no subscription, and few at a time", async () => {
  const client = makeClient();
  client.start();
  await reached(client, "connected");
  const ended: Promise<unknown>[] = [];
  for (let round = 0; round < 5; round += 1) {
    for (let index = 0; index < 20; index += 1) follow(client, `agent:main:webchat:direct:${round}-${index}`).end();
    ended.push(client.request("warnings.list", {}));
  }
  const last = follow(client, "agent:main:webchat:direct:last");
  await last.until(() => true);
  await Promise.all(ended);
  let open = 0;
  let most = 0;
  for (const { method } of gateway.requests) {
    if (method === "chat.subscribe") open += 1;
    if (method === "chat.unsubscribe") open -= 1;
    most = Math.max(most, open);
  }
  expect(open).toBe(1);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(17);
});

test("nothing of a connection counts after it has ended, also what arrived before", async () => {
  const hello = { type: "hello", protocol: 1, server: { version: "1" }, connectionId: "c" };
  const client = new GatewayClient({
    openSocket: () => ({ socket: new WebSocket(`ws://127.0.0.1:${gateway.port}/ws`), received: ["no frame", JSON.stringify(hello)] }),
    token: gateway.token,
    client: { name: "test", version: "0" },
    timers,
    random: () => 1,
  });
  clients.push(client);
  const states: string[] = [];
  client.onStateChange(({ type }) => states.push(type));
  client.start();
  await reached(client, "refused");
  await Promise.resolve();
  expect(states).toEqual(["connecting", "refused"]);
});
