import type { Origin } from "@factotum/channel-contract";
import type { InputAdmission } from "@factotum/store";
import { expect, test } from "vitest";
import { createMemoryLogger, realClock, TestPlatform } from "../../test/gateway-harness.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { createThread } from "./create-thread.ts";

const GROUP: Origin = { channel: "test", accountId: "default", conversation: { kind: "group", id: "g1" } };

/** The thread of a sub-agent that a turn of the group has started, whose report has this admission. */
async function threadOf(admission: Partial<InputAdmission>): Promise<Origin | undefined> {
  const platform = new TestPlatform("platform", { threads: "native", actions: ["thread-create"] });
  platform.act = async () => ({ type: "done", value: { threadId: "t1" } });
  const moves = { current: (target: Origin) => ({ target }) };
  const channels = { channelFor: () => platform.channel, moves } as unknown as ChannelRegistry;
  const report = { message: platform.message("", { origin: GROUP }), admission: { owner: true, kind: "a2a" as const, ...admission } };
  const child = { owner: true, kind: "subagent" as const, cause: "user" as const };
  const spawn = { report, child, task: "Watch.", parentKey: "agent:main:test:group:g1" };
  const signal = new AbortController().signal;
  return createThread(spawn, { channels, clock: realClock, logger: createMemoryLogger(), isTaken: () => false, signal });
}

test("a sub-agent that another session has asked for gets no thread in the chat, which would show its answers", async () => {
  expect(await threadOf({})).toMatchObject({ conversation: { id: "g1", threadId: "t1" } });
  const sessions = { requesterSession: "agent:main:main", targetSession: "agent:main:test:group:g1" };
  const agentToAgent = { ...sessions, exchangeId: "x1", step: "message", turn: 1, maxTurns: 6, path: ["agent:main:main"] } as const;
  expect(await threadOf({ agentToAgent })).toBeUndefined();
});
