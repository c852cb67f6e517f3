import { messageId } from "@factotum/channel-contract";
import type { InputAdmission, SpawnRecord } from "@factotum/store";
import { expect, test } from "vitest";
import { realClock } from "../../test/gateway-harness.ts";
import { SpawnBook } from "./spawn-book.ts";
import { SpawnEnds } from "./spawn-ends.ts";
import type { SpawnEndsOptions } from "./spawn-ends.ts";

/** Where an end is told whose parent conversation is gone. */
async function toldIn(admission: Partial<InputAdmission>): Promise<readonly string[]> {
  const told: string[] = [];
  const ends = new SpawnEnds({
    store: { announceSpawn: async () => undefined },
    book: new SpawnBook(),
    notices: { sendToChat: async () => void told.push("chat"), addEntry: async () => void told.push("transcript") },
    clock: realClock,
  } as unknown as SpawnEndsOptions);
  const origin = { channel: "test", accountId: "default", conversation: { kind: "group", id: "g1" } } as const;
  const report = { message: { origin, messageId: messageId("") }, admission: { owner: true, kind: "a2a", ...admission } };
  await ends.tellPlainly({
    id: "s1",
    parentKey: "agent:main:test:group:g1",
    state: "done",
    task: "Count.",
    result: "Two.",
    report,
  } as SpawnRecord);
  return told;
}

test("the end of what another session has asked for is not told in the chat of the session that it asked", async () => {
  expect(await toldIn({})).toEqual(["chat", "transcript"]);
  const sessions = { requesterSession: "agent:main:main", targetSession: "agent:main:test:group:g1" };
  const agentToAgent = { ...sessions, exchangeId: "x1", step: "message", turn: 1, maxTurns: 6, path: ["agent:main:main"] } as const;
  expect(await toldIn({ agentToAgent })).toEqual(["transcript"]);
});
