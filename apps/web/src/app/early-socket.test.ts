import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ManualTimers } from "../../test/manual-timers.ts";
import { reached } from "../../test/reached.ts";
import { ScriptedGateway } from "../../test/scripted-gateway.ts";
import { GatewayClient } from "../gateway-client/gateway-client.ts";
import { dropEarlySocket, openEarlySocket, PAGE_CLIENT, takeSocket } from "./early-socket.ts";

let gateway: ScriptedGateway;
let base: string;
/** Every socket of the page. */
let sockets: WebSocket[];

beforeEach(async () => {
  gateway = new ScriptedGateway();
  await gateway.listen();
  base = `http://127.0.0.1:${gateway.port}/`;
  sockets = [];
  const Observed = class extends WebSocket {
    constructor(address: string | URL) {
      super(address);
      sockets.push(this);
    }
  };
  vi.stubGlobal("WebSocket", Observed);
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await gateway.close();
});

async function happens(type: "open" | "message" | "close"): Promise<void> {
  await new Promise((resolve) => sockets[0]?.addEventListener(type, resolve, { once: true }));
}

/** Connects, and asks for something, with what `takeSocket` gives for the gateway's token. */
async function connect(): Promise<void> {
  const client = new GatewayClient({
    openSocket: () => takeSocket(base, gateway.token),
    token: gateway.token,
    client: PAGE_CLIENT,
    timers: new ManualTimers(),
    random: () => 1,
  });
  client.start();
  await reached(client, "connected");
  expect(await client.request("warnings.list", {})).toEqual({ warnings: [] });
  client.stop();
}

test.each(["message", "open", "nothing"] as const)("the early socket is greeted once if it is taken after: %s", async (seen) => {
  openEarlySocket(base, gateway.token);
  if (seen !== "nothing") await happens(seen);
  await connect();
  expect([gateway.greetings, sockets.length]).toEqual([[gateway.token], 1]);
});

test("a socket that was opened for another token is closed, and another one opened", async () => {
  openEarlySocket(base, "of-before");
  await happens("open");
  const closed = happens("close");
  await connect();
  await closed;
  expect([gateway.greetings, sockets.length]).toEqual([["of-before", gateway.token], 2]);
});

test("a socket that was refused meanwhile is not used", async () => {
  openEarlySocket(base, gateway.token);
  await happens("open");
  const closed = happens("close");
  gateway.cut();
  await closed;
  await connect();
  expect([gateway.greetings.at(-1), sockets.length]).toEqual([gateway.token, 2]);
});

test("a token that was refused meanwhile is not sent again", async () => {
  openEarlySocket(base, "wrong");
  await happens("open");
  await happens("close");
  const client = new GatewayClient({
    openSocket: () => takeSocket(base, "wrong"),
    token: "wrong",
    client: PAGE_CLIENT,
    timers: new ManualTimers(),
    random: () => 1,
  });
  client.start();
  const { reason } = await reached(client, "refused");
  expect([reason, gateway.greetings, sockets.length]).toEqual(["unauthorized", ["wrong"], 1]);
});

test("a socket that nothing is left for is closed", async () => {
  openEarlySocket(base, gateway.token);
  await happens("open");
  const closed = happens("close");
  dropEarlySocket();
  await closed;
  expect(sockets.length).toBe(1);
});
