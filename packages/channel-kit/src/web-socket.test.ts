import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { ManualClock } from "@factotum/testing-channels";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocketServer, type WebSocket as ServerSocket } from "ws";
import { createConnectionSupervisor, openWebSocket } from "./index.ts";
import type { WebSocketConnection, WebSocketOptions } from "./index.ts";

const { signal } = new AbortController();
let clock: ManualClock;
let server: WebSocketServer;
let peers: ServerSocket[];
let received: (string | Uint8Array)[];

beforeEach(async () => {
  clock = new ManualClock();
  [peers, received] = [[], []];
  server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  server.on("connection", (peer) => peers.push(peer));
  await once(server, "listening");
});
afterEach(async () => {
  for (const peer of server.clients) peer.terminate();
  await new Promise((resolve) => server.close(resolve));
});

const open = async (more: Partial<WebSocketOptions> = {}): Promise<WebSocketConnection> =>
  openWebSocket({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    platform: "Pigeon",
    clock,
    signal,
    onMessage: (data) => received.push(data),
    ...more,
  });

/** The server's end of the newest connection. */
async function peer(): Promise<ServerSocket> {
  if (peers.length === 0) await once(server, "connection");
  const [last] = peers.slice(-1);
  if (last === undefined) throw new Error("nobody has connected");
  return last;
}

/** Resolves once everything that was sent to the client before has arrived there. */
async function arrived(there: ServerSocket): Promise<void> {
  there.ping();
  await once(there, "pong");
}

test("passes text and bytes on, and sends", async () => {
  const connection = await open();
  const there = await peer();
  const message = once(there, "message");
  connection.send("hello");
  expect(String((await message)[0])).toBe("hello");
  there.send("text");
  there.send(Buffer.from([1, 2]));
  await arrived(there);
  expect(received).toEqual(["text", new Uint8Array([1, 2])]);
  await connection.close({ signal });
  expect(await connection.ended).toMatchObject({ code: "unreachable" });
});

test("is open once the platform has accepted the login", async () => {
  const opening = open({
    awaitsReady: true,
    onOpen: (socket) => socket.send("login"),
    onMessage: (data, socket) => (data === "welcome" ? socket.ready() : undefined),
  });
  let isOpen = false;
  void opening.then(() => (isOpen = true));
  const there = await peer();
  await once(there, "message");
  there.send("wait");
  await arrived(there);
  expect(isOpen).toBe(false);
  there.send("welcome");
  await (await opening).close({ signal });
});

test("a refusal in a message ends the opening with its reason", async () => {
  const opening = open({ awaitsReady: true, onMessage: (_, socket) => socket.end(new Error("the token is refused")) });
  (await peer()).send("no");
  await expect(opening).rejects.toThrow("the token is refused");
});

test("an opening without an acceptance ends in time, and leaves no connection and no timer", async () => {
  const opening = open({ awaitsReady: true });
  const there = await peer();
  const closed = once(there, "close");
  clock.advance(15_000);
  await expect(opening).rejects.toMatchObject({ code: "unreachable", message: "Pigeon did not open the connection in time" });
  await closed;
  expect(clock.pending).toEqual([]);
});

test("an opening ends with its signal", async () => {
  const ending = new AbortController();
  const opening = open({ awaitsReady: true, signal: ending.signal });
  const closed = once(await peer(), "close");
  ending.abort();
  await expect(opening).rejects.toMatchObject({ code: "unreachable" });
  await closed;
  await expect(open({ signal: ending.signal })).rejects.toMatchObject({ code: "unreachable" });
});

test("a server that cannot be reached is unreachable", async () => {
  await expect(open({ url: "ws://127.0.0.1:1" })).rejects.toMatchObject({ code: "unreachable", retry: { type: "backoff" } });
});

test.each([
  [1001, "unreachable", "backoff"],
  [1008, "forbidden", "never"],
  [3000, "unauthorized", "never"],
  [4004, "unauthorized", "never"],
  [4999, "unreachable", "backoff"],
] as const)("the close code %i is %s", async (code, expected, retry) => {
  const connection = await open({ closeCodes: { 4004: "unauthorized" } });
  (await peer()).close(code, "because\u0007");
  expect(await connection.ended).toMatchObject({
    code: expected,
    retry: { type: retry },
    message: `Pigeon closed the connection (${code}: because)`,
  });
});

describe("the heartbeat", () => {
  const heartbeat = { intervalMs: 1_000, ping: () => "ping" };

  test("asks for a sign of life, and any message is one", async () => {
    const connection = await open({ heartbeat });
    const there = await peer();
    for (let beat = 0; beat < 3; beat += 1) {
      const asked = once(there, "message");
      clock.advance(1_000);
      expect(String((await asked)[0])).toBe("ping");
      there.send("alive");
      await arrived(there);
    }
    await connection.close({ signal });
    expect(clock.pending).toEqual([]);
  });

  test("ends a connection that is silent for two intervals", async () => {
    const connection = await open({ heartbeat });
    clock.advance(1_000);
    clock.advance(1_000);
    expect(await connection.ended).toMatchObject({ code: "unreachable", message: "Pigeon's connection has gone silent" });
  });
});

test("a supervisor opens it again when it breaks", async () => {
  const supervisor = createConnectionSupervisor({
    open: async (options) => open(options),
    clock,
    random: { float: () => 0.5 },
  });
  await supervisor.start({ signal });
  const ended = supervisor.connection?.ended;
  (await peer()).terminate();
  expect(await ended).toMatchObject({ message: "Pigeon's connection failed" });
  expect(supervisor.state).toBe("waiting");
  const again = once(server, "connection");
  clock.advance(1_000);
  await again;
  await supervisor.stop({ signal });
});

test("closes with the code that it was given", async () => {
  const connection = await open({ closeCode: 4_900 });
  const closed = once(await peer(), "close");
  await connection.close({ signal });
  expect((await closed)[0]).toBe(4_900);
});
