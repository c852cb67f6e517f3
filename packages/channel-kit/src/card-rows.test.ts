import type { AccountValue } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import { createTestHost } from "../test/test-host.ts";
import { createCardRows } from "./card-rows.ts";

const DELETE = { actionId: "delete", label: "Delete", style: "danger", value: "x".repeat(1_000) } as const;
const KEEP = { actionId: "keep", label: "Keep", style: "default" } as const;
const INPUT = { type: "text", id: "why", label: "Why?", multiline: false } as const;

interface Scene {
  readonly rows: ReturnType<typeof createCardRows>;
  readonly state: Map<string, AccountValue>;
  /** Milliseconds since the epoch at which the rows expire. */
  readonly expiries: (number | undefined)[];
  readonly nowMs: number;
  readonly fail: () => void;
}

function setUp(): Scene {
  const expiries: (number | undefined)[] = [];
  const state = new Map<string, AccountValue>();
  let failure: Error | undefined;
  const { clock, random } = createTestHost();
  const rows = createCardRows({
    clock,
    random,
    state: {
      get: (key) => Promise.resolve(state.get(key)),
      set(key, value, { expiresAtMs } = {}) {
        if (failure !== undefined) return Promise.reject(failure);
        state.set(key, value);
        expiries.push(expiresAtMs);
        return Promise.resolve();
      },
      delete: () => Promise.resolve(),
      list: () => Promise.resolve([]),
    },
  });
  return { rows, state, expiries, nowMs: clock.now(), fail: () => (failure = new Error("the disk is full")) };
}

describe("what buttons say", () => {
  test("is found by their ids, with the card's title and inputs", async () => {
    const { rows } = setUp();
    const [first = "", second = ""] = await rows.keep({ title: "Draft", buttons: [DELETE, KEEP], inputs: [INPUT] });
    expect(first.length).toBeLessThanOrEqual(20);
    expect(await rows.find(first)).toMatchObject({ button: DELETE, card: { title: "Draft", inputs: [INPUT] } });
    expect(await rows.find(second)).toMatchObject({ button: KEEP });
  });

  test("is unknown for another program's button, one of a forgotten card, and one that the card has not", async () => {
    const { rows, state } = setUp();
    const [first = ""] = await rows.keep({ buttons: [DELETE] });
    expect(await rows.find("delete:everything")).toBeUndefined();
    expect(await rows.find(first.replace(":0", ":1"))).toBeUndefined();
    state.clear();
    expect(await rows.find(first)).toBeUndefined();
  });

  test("is kept for a year", async () => {
    const { rows, expiries, nowMs } = setUp();
    await rows.keep({ buttons: [KEEP] });
    expect(expiries).toEqual([nowMs + 365 * 24 * 60 * 60_000]);
  });

  test("takes no room for a card without buttons", async () => {
    const { rows, state } = setUp();
    expect(await rows.keep({ title: "Draft" })).toEqual([]);
    expect(state.size).toBe(0);
  });

  test("that cannot be kept fails the send in this process, so that the card is not shown", async () => {
    const { rows, fail } = setUp();
    fail();
    await expect(rows.keep({ buttons: [KEEP] })).rejects.toMatchObject({ reason: { type: "local" } });
  });
});
