import { expect, test } from "vitest";
import type { FocusRecord } from "../src/index.ts";
import type { ContractContext } from "./contract-context.ts";
import { sampleMessage } from "./samples.ts";

const focus = (key: string): FocusRecord => ({
  key,
  origin: sampleMessage("1").origin,
  sessionKey: "agent:main:subagent:s1",
  agentId: "main",
  senderId: "u1",
  isOwnThread: true,
  createdAtMs: 1_000,
  usedAtMs: 1_000,
});

/** A conversation is focused on one session at a time, through any restart. */
export function describeFocuses(context: () => ContractContext): void {
  test("focused conversations are listed as they were put last, until they are released, also after a restart", async () => {
    const { store, fixture } = context();
    for (const key of ["b", "a", "c"]) await store.putFocus(focus(key));
    const moved: FocusRecord = { ...focus("b"), sessionKey: "agent:main:main", usedAtMs: 2_000 };
    await store.putFocus(moved);
    for (const key of ["a", "a"]) await store.removeFocus(key);
    expect(await store.listFocuses()).toEqual([moved, focus("c")]);
    await store.close();
    const reopened = await fixture.open();
    expect(await reopened.listFocuses()).toEqual([moved, focus("c")]);
    await reopened.close();
  });
}
