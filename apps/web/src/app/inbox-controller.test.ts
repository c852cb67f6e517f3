import type { RpcMethod } from "@factotum/protocol";
import { expect, test } from "vitest";
import { ManualTimers } from "../../test/manual-timers.ts";
import type { GatewayEvent } from "../gateway-client/connection.ts";
import type { ConnectionState } from "../gateway-client/gateway-client.ts";
import { RpcError } from "../gateway-client/rpc-error.ts";
import { type AppState, INITIAL_STATE } from "./app-state.ts";
import { InboxController } from "./inbox-controller.ts";
import { Store } from "./store.ts";

/** A controller at a gateway with so many calls that wait and dead letters; `waiting` undefined refuses. */
function open() {
  const gateway = { waiting: 0 as number | undefined, letters: 0, asked: 0, refused: 0, held: undefined as Promise<void> | undefined };
  let say = (_event: GatewayEvent): void => undefined;
  let become = (_state: ConnectionState): void => undefined;
  const client = {
    state: { type: "connecting" } as ConnectionState,
    onEvent: (listener: typeof say) => ((say = listener), () => undefined),
    onStateChange: (listener: typeof become) => ((become = listener), () => undefined),
    request: async (method: RpcMethod) => {
      if (gateway.waiting === undefined) {
        gateway.refused += 1;
        throw new RpcError("forbidden", "Only for the owner.");
      }
      if (method === "deadletters.list") return { letters: Array.from({ length: gateway.letters }) };
      gateway.asked += 1;
      const waiting = Array.from({ length: gateway.waiting });
      await gateway.held;
      return { waiting, grants: [] };
    },
  };
  const store = new Store<AppState>(INITIAL_STATE, (notify) => notify());
  const timers = new ManualTimers();
  const controller = new InboxController(client as never, store, timers);
  const connect = (type: "connected" | "stopped"): void => {
    client.state = type === "connected" ? { type, serverVersion: "1" } : { type };
    become(client.state);
  };
  const announce = (type: "approvals-change" | "deadletters-change"): void => say({ type, payload: {} });
  return { gateway, controller, store, timers, connect, announce, say: () => announce("approvals-change") };
}

test("what waits is counted with a connection, once after a burst of events, and after a decision", async () => {
  const { gateway, controller, store, timers, connect, say } = open();
  const count = () => store.get().inbox?.approvals;
  say();
  timers.advance(1000);
  expect(gateway.asked).toBe(0);
  gateway.waiting = 1;
  connect("connected");
  await expect.poll(count).toBe(1);
  gateway.waiting = 2;
  say();
  say();
  timers.advance(1000);
  await expect.poll(count).toBe(2);
  expect(gateway.asked).toBe(2);
  gateway.waiting = 3;
  controller.refresh();
  await expect.poll(count).toBe(3);
  say();
  connect("stopped");
  timers.advance(300_000);
  expect(gateway.asked).toBe(3);
});

test("a message that was given up is counted", async () => {
  const { gateway, store, timers, connect, announce } = open();
  connect("connected");
  await expect.poll(() => store.get().inbox).toEqual({ approvals: 0, deadLetters: 0 });
  gateway.letters = 1;
  announce("deadletters-change");
  timers.advance(1000);
  await expect.poll(() => store.get().inbox).toEqual({ approvals: 0, deadLetters: 1 });
});

test("a refused count leaves the badge as it was", async () => {
  const { gateway, controller, store, connect } = open();
  gateway.waiting = 1;
  connect("connected");
  await expect.poll(() => store.get().inbox?.approvals).toBe(1);
  gateway.waiting = undefined;
  controller.refresh();
  await expect.poll(() => gateway.refused).toBe(2);
  expect(store.get().inbox).toEqual({ approvals: 1, deadLetters: 0 });
});

test("an answer that comes after that of a later question counts nothing", async () => {
  const { gateway, controller, store, connect } = open();
  const { promise: held, resolve: answer } = Promise.withResolvers<void>();
  Object.assign(gateway, { waiting: 2, held });
  connect("connected");
  await expect.poll(() => gateway.asked).toBe(1);
  Object.assign(gateway, { waiting: 1, held: undefined });
  controller.refresh();
  await expect.poll(() => store.get().inbox?.approvals).toBe(1);
  answer();
  await held;
  // After everything that the answer has set in motion.
  await new Promise(setImmediate);
  expect(store.get().inbox?.approvals).toBe(1);
});
