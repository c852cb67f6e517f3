import type { ChatSnapshot } from "@factotum/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ManualTimers } from "../../test/manual-timers.ts";
import { reached } from "../../test/reached.ts";
import { MAIN_KEY, ScriptedGateway } from "../../test/scripted-gateway.ts";
import { applyEvent, applySnapshot, type ChatState } from "../chat/chat-state.ts";
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

function makeClient(token = gateway.token): GatewayClient {
  return new GatewayClient({
    openSocket: () => takeSocket(base, token),
    token,
    client: PAGE_CLIENT,
    timers: new ManualTimers(),
    random: () => 1,
  });
}

/** Connects, and asks for something, with what `takeSocket` gives for the gateway's token. */
async function connect(): Promise<void> {
  const client = makeClient();
  client.start();
  await reached(client, "connected");
  expect(await client.request("warnings.list", {})).toEqual({ warnings: [] });
  client.stop();
}

test.each(["message", "open", "nothing"] as const)("the early socket is greeted once if it is taken after: %s", async (seen) => {
  openEarlySocket(base, { token: gateway.token, sessionKey: undefined });
  if (seen !== "nothing") await happens(seen);
  await connect();
  expect([gateway.greetings, sockets.length]).toEqual([[gateway.token], 1]);
});

test("a socket that was opened for another token is closed, and another one opened", async () => {
  openEarlySocket(base, { token: "of-before", sessionKey: MAIN_KEY });
  await happens("open");
  const closed = happens("close");
  await connect();
  await closed;
  expect([gateway.greetings, sockets.length]).toEqual([["of-before", gateway.token], 2]);
});

test("a socket that was refused meanwhile is not used", async () => {
  openEarlySocket(base, { token: gateway.token, sessionKey: undefined });
  await happens("open");
  const closed = happens("close");
  gateway.cut();
  await closed;
  await connect();
  expect([gateway.greetings.at(-1), sockets.length]).toEqual([gateway.token, 2]);
});

test("a token that was refused meanwhile is not sent again", async () => {
  openEarlySocket(base, { token: "wrong", sessionKey: MAIN_KEY });
  await happens("open");
  await happens("close");
  const client = makeClient("wrong");
  client.start();
  const { reason } = await reached(client, "refused");
  expect([reason, gateway.greetings, sockets.length]).toEqual(["unauthorized", ["wrong"], 1]);
});

/** Follows a session until its first snapshot. */
async function snapshotOf(client: GatewayClient, sessionKey: string): Promise<ChatSnapshot> {
  return new Promise((resolve, reject) => {
    client.watchChat(sessionKey, {
      onSnapshot: resolve,
      onEvent: () => reject(new Error("An event came before the snapshot.")),
      onError: reject,
    });
  });
}

/** The parameters of the requests of a method, in order. */
function asked(method: string): unknown[] {
  return gateway.requests.filter((request) => request.method === method).map(({ params }) => params);
}

test("the conversation of the address is asked for once, before the program is there", async () => {
  gateway.conversation(MAIN_KEY).session.say("hello", "k-1");
  openEarlySocket(base, { token: gateway.token, sessionKey: MAIN_KEY });
  await happens("message");
  await happens("message");
  const client = makeClient();
  const snapshot = snapshotOf(client, MAIN_KEY);
  client.start();
  expect((await snapshot).entries).toHaveLength(1);
  expect(asked("chat.subscribe")).toEqual([{ sessionKey: MAIN_KEY }]);
  client.stop();
});

test("a conversation that is asked for while the early answer is on its way comes with that answer", async () => {
  openEarlySocket(base, { token: gateway.token, sessionKey: MAIN_KEY });
  await happens("message");
  const client = makeClient();
  const snapshot = snapshotOf(client, MAIN_KEY);
  client.start();
  expect((await snapshot).entries).toEqual([]);
  expect(asked("chat.subscribe")).toHaveLength(1);
  client.stop();
});

test("events that follow the early answer are applied to it", async () => {
  const { session } = gateway.conversation(MAIN_KEY);
  openEarlySocket(base, { token: gateway.token, sessionKey: MAIN_KEY });
  await happens("message");
  await happens("message");
  session.say("later", "k-2");
  await happens("message");
  const client = makeClient();
  const said = new Promise<ChatState>((resolve, reject) => {
    let state: ChatState | undefined;
    client.watchChat(MAIN_KEY, {
      onSnapshot: (snapshot) => (state = applySnapshot(state, snapshot)),
      onEvent: (event) => {
        if (state === undefined) throw new Error("An event came before the snapshot.");
        state = applyEvent(state, event);
        if (state.entries.length > 0) resolve(state);
      },
      onError: reject,
    });
  });
  client.start();
  expect((await said).entries).toHaveLength(1);
  client.stop();
});

test("the gateway's refusal of the early request reaches the page", async () => {
  gateway.intercept = ({ method }) =>
    method === "chat.subscribe" ? ScriptedGateway.refusal("not-found", "There is no agent of this name.") : "handle";
  openEarlySocket(base, { token: gateway.token, sessionKey: MAIN_KEY });
  await happens("message");
  await happens("message");
  const client = makeClient();
  const snapshot = snapshotOf(client, MAIN_KEY);
  client.start();
  await expect(snapshot).rejects.toThrow("There is no agent of this name.");
  client.stop();
});

test.each(["other", "none"])("an early answer that the page does not want is given back; it wants: %s", async (wants) => {
  openEarlySocket(base, { token: gateway.token, sessionKey: MAIN_KEY });
  await happens("message");
  await happens("message");
  const client = makeClient();
  const other = "agent:main:webchat:direct:other";
  const snapshot = wants === "other" ? snapshotOf(client, other) : undefined;
  client.start();
  await reached(client, "connected");
  await client.request("warnings.list", {});
  expect((await snapshot)?.sessionKey).toBe(wants === "other" ? other : undefined);
  expect(asked("chat.unsubscribe")).toEqual([{ sessionKey: MAIN_KEY }]);
  // Asked for later, it is subscribed to as ever.
  expect((await snapshotOf(client, MAIN_KEY)).sessionKey).toBe(MAIN_KEY);
  expect(asked("chat.subscribe").at(-1)).toEqual({ sessionKey: MAIN_KEY });
  client.stop();
});

test("an early conversation that is not wanted at first, and opened then, has each event once", async () => {
  const { session } = gateway.conversation(MAIN_KEY);
  session.startRun();
  session.startBlock("text");
  openEarlySocket(base, { token: gateway.token, sessionKey: MAIN_KEY });
  await happens("message");
  await happens("message");
  gateway.intercept = ({ method }) => {
    if (method === "chat.unsubscribe") session.write("once ");
    return "handle";
  };
  const client = makeClient();
  client.start();
  await reached(client, "connected");
  const words = await new Promise<string | undefined>((resolve, reject) => {
    let state: ChatState | undefined;
    const show = (next: ChatState): void => {
      state = next;
      const text = state.live?.blocks[0]?.text;
      if (text?.endsWith("end") === true) resolve(text);
      else if (text === "once ") session.write("end");
      else if (text !== "") resolve(text);
    };
    client.watchChat(MAIN_KEY, {
      onSnapshot: (snapshot) => show(applySnapshot(state, snapshot)),
      onEvent: (event) => state !== undefined && show(applyEvent(state, event)),
      onError: reject,
    });
  });
  expect(words).toBe("once end");
  client.stop();
});

test("after another connection the conversation is asked for again", async () => {
  openEarlySocket(base, { token: gateway.token, sessionKey: MAIN_KEY });
  await happens("message");
  const client = makeClient();
  client.start();
  let snapshots = 0;
  const twice = new Promise<void>((resolve, reject) => {
    client.watchChat(MAIN_KEY, {
      onSnapshot: () => {
        snapshots += 1;
        if (snapshots === 2) resolve();
        else gateway.cut();
      },
      onEvent: () => undefined,
      onError: reject,
    });
  });
  await reached(client, "waiting");
  client.retryNow();
  await twice;
  expect(asked("chat.subscribe")).toHaveLength(2);
  client.stop();
});

test("a token that was refused is not followed by a request", async () => {
  openEarlySocket(base, { token: "wrong", sessionKey: MAIN_KEY });
  await happens("message");
  await happens("close");
  expect(gateway.requests).toEqual([]);
  dropEarlySocket();
});

test("a socket that nothing is left for is closed", async () => {
  openEarlySocket(base, { token: gateway.token, sessionKey: undefined });
  await happens("open");
  const closed = happens("close");
  dropEarlySocket();
  await closed;
  expect(sockets.length).toBe(1);
});
