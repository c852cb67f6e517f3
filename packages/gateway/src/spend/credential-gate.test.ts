import { ModelError } from "@factotum/agent-contract";
import type { ModelEvent } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { CredentialGate, type CredentialCall } from "./credential-gate.ts";

const KEY = { provider: "anthropic", credential: "default" };
const PIECE: ModelEvent = { type: "thinking-start", index: 0 };

function failed(code: "unauthorized" | "server", status = 401): ModelEvent {
  return { type: "message-failed", error: new ModelError(code, "No.", { retry: { type: "never" }, status }) };
}

/** Unattended calls that begin at once, and what they got so far: `undefined` is a refusal. */
function beginCalls(gate: CredentialGate, count: number, signal = new AbortController().signal) {
  const admitted: (CredentialCall | undefined)[] = [];
  const ends = Array.from({ length: count }, async () => void admitted.push(await gate.enter(KEY, { isAttended: false, signal })));
  return { admitted, ends };
}

/** Every call that can proceed has proceeded. */
const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("of any number of calls at once three are sent; refused, they are the last, over all that follow", async () => {
  const gate = new CredentialGate();
  const { admitted, ends } = beginCalls(gate, 10);
  await settle();
  expect(admitted).toHaveLength(3);
  for (const call of admitted) call?.observe(failed("unauthorized"));
  await Promise.all(ends);
  expect(admitted.slice(3)).toEqual(Array.from({ length: 7 }));
  expect([gate.tellOnce(KEY), gate.tellOnce(KEY)]).toEqual([true, false]);
  expect(await gate.enter({ ...KEY, credential: "other" }, { isAttended: false, signal: new AbortController().signal })).toBeDefined();
});

test("after two refusals one call is sent at a time, and any answer releases all of them", async () => {
  const gate = new CredentialGate();
  const first = beginCalls(gate, 2);
  await Promise.all(first.ends);
  for (const call of first.admitted) call?.observe(failed("unauthorized"));
  const { admitted } = beginCalls(gate, 5);
  await settle();
  expect(admitted).toHaveLength(1);
  const person = await gate.enter(KEY, { isAttended: true, signal: new AbortController().signal });
  person?.observe({ type: "message-start" });
  await settle();
  expect(admitted).toHaveLength(1);
  person?.observe(PIECE);
  await settle();
  expect(admitted).toHaveLength(3);
  admitted[0]?.observe(PIECE);
  admitted[1]?.observe(PIECE);
  await settle();
  expect(admitted).toHaveLength(5);
});

test.each([
  ["another failure", (call: CredentialCall) => call.observe(failed("server", 500))],
  ["a refusal of one model", (call: CredentialCall) => call.observe(failed("unauthorized", 403))],
  ["a reader that stops", (call: CredentialCall) => call[Symbol.dispose]()],
])("%s is no verdict: the next call is sent", async (_name, end) => {
  const gate = new CredentialGate();
  const { admitted, ends } = beginCalls(gate, 8);
  for (let sent = 0; sent < 8; sent += 1) {
    await expect.poll(() => admitted.length).toBeGreaterThan(sent);
    const call = admitted[sent];
    if (call === undefined) throw new Error("it was refused");
    end(call);
    call[Symbol.dispose]();
  }
  await Promise.all(ends);
});

test("a call that waits ends with its signal, and a person's call never waits", async () => {
  const gate = new CredentialGate();
  beginCalls(gate, 3);
  const stop = new AbortController();
  const { ends } = beginCalls(gate, 1, stop.signal);
  await settle();
  expect(await gate.enter(KEY, { isAttended: true, signal: stop.signal })).toBeDefined();
  stop.abort(new Error("stopped"));
  await expect(Promise.all(ends)).rejects.toThrow("stopped");
});

test("a pause is reported once, and again when it returns after an answer", async () => {
  const gate = new CredentialGate();
  const signal = new AbortController().signal;
  const refuse = async (): Promise<void> => {
    const { admitted, ends } = beginCalls(gate, 3);
    await Promise.all(ends);
    for (const call of admitted) call?.observe(failed("unauthorized"));
  };
  await refuse();
  expect([gate.tellOnce(KEY), gate.tellOnce(KEY)]).toEqual([true, false]);
  (await gate.enter(KEY, { isAttended: true, signal }))?.observe(PIECE);
  await refuse();
  expect([gate.tellOnce(KEY), gate.tellOnce(KEY)]).toEqual([true, false]);
});
