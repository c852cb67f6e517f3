import type { Logger } from "@factotum/agent-contract";
import type { SendReceipt } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { AccountGates } from "./account-gates.ts";

const LOGGER: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => LOGGER,
};
const ACCOUNT = { channel: "test", accountId: "default" };
const REFUSED: SendReceipt = { type: "rejected", code: "unauthorized", retry: { type: "never" }, message: "app secret invalid" };

test("an unused probe is passed to the next message at once", async () => {
  let nowMs = 0;
  const gates = new AccountGates({
    clock: { now: () => nowMs, monotonic: () => nowMs, schedule: () => ({ [Symbol.dispose]: () => undefined }) },
    random: { bytes: (count) => new Uint8Array(count), uuid: () => "", float: () => 0.5 },
    logger: LOGGER,
  });
  const { signal } = new AbortController();
  const waits: string[] = [];
  const enter = () => gates.enter(ACCOUNT, { limitMs: 1_000_000, signal, onWait: (reason) => void waits.push(reason) });
  (await enter())?.report(REFUSED);
  nowMs = 100_000;
  const probe = await enter();
  const next = enter();
  expect(waits).toHaveLength(1);
  probe?.[Symbol.dispose]();
  expect(await next).toBeDefined();
  expect(waits).toHaveLength(1);
});

test("a refusal of a message sent before the account was blocked does not postpone the next probe", async () => {
  let nowMs = 0;
  const gates = new AccountGates({
    clock: { now: () => nowMs, monotonic: () => nowMs, schedule: () => ({ [Symbol.dispose]: () => undefined }) },
    random: { bytes: (count) => new Uint8Array(count), uuid: () => "", float: () => 0.5 },
    logger: LOGGER,
  });
  const abort = new AbortController();
  const waits: string[] = [];
  const enter = () =>
    gates.enter(ACCOUNT, {
      limitMs: 1_000_000,
      signal: abort.signal,
      onWait: (reason) => {
        waits.push(reason);
        abort.abort();
      },
    });
  const first = await enter();
  const late = await enter();
  first?.report(REFUSED);
  nowMs = 100_000;
  late?.report({ ...REFUSED, message: "app is disabled" });
  using probe = await enter();
  expect(waits).toEqual([]);
  expect(probe).toBeDefined();
  expect(gates.problemOf(ACCOUNT)).toBe("unauthorized: app secret invalid");
  expect(gates.refusalOf(ACCOUNT)).toEqual(REFUSED);
});
