import type { AgentMessage, SessionFilter } from "@factotum/agent-contract";
import { NO_USAGE } from "@factotum/agent-contract";
import type { SpawnRecord } from "@factotum/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { askerOf, ASKERS, EVERYBODY, idOf, NAMES, NOW, SESSIONS, startWithSessions } from "../../test/session-matrix.ts";
import type { Asker, Name } from "../../test/session-matrix.ts";

let running: TestGateway;
beforeAll(async () => {
  running = await startWithSessions();
});
afterAll(() => running[Symbol.asyncDispose]());

async function listed(asker: Asker, filter: Partial<SessionFilter> = {}): Promise<readonly Name[]> {
  const { sessions, caller } = askerOf(running, asker);
  const { sessions: found } = await sessions.list({ limit: 50, messageLimit: 0, ...filter }, caller);
  return found.flatMap(({ key }) => NAMES.find((name) => SESSIONS[name].key === key) ?? []);
}

describe("which sessions a run sees, reads and finds", () => {
  test.each(ASKERS)("%s", async (_who, asker, expected) => {
    expect(await listed(asker)).toEqual(expected);
    const { sessions, caller } = askerOf(running, asker);
    const page = { limit: 5, includeTools: false };
    for (const name of NAMES) {
      const byKey = await sessions.history({ sessionKey: SESSIONS[name].key }, page, caller);
      const byId = await sessions.history({ sessionKey: idOf(name).slice(0, 5) }, page, caller);
      const isVisible = expected.includes(name);
      expect([name, byKey?.key, byId?.key]).toEqual(
        isVisible ? [name, SESSIONS[name].key, SESSIONS[name].key] : [name, undefined, undefined],
      );
    }
  });

  test("four characters of an id name its session, three could do so by chance", async () => {
    const { sessions, caller } = askerOf(running, { from: "main" });
    const found = async (chars: number): Promise<string | undefined> =>
      (await sessions.history({ sessionKey: idOf("job").slice(0, chars) }, { limit: 5, includeTools: false }, caller))?.key;
    expect([await found(4), await found(3)]).toEqual([SESSIONS.job.key, undefined]);
  });

  test("a hidden session makes no label ambiguous; a visible one does, unless the agent is named", async () => {
    const page = { limit: 5, includeTools: false };
    const found = async (asker: Asker, reference: { label: string; agentId?: string }): Promise<string | undefined> => {
      const { sessions, caller } = askerOf(running, asker);
      return (await sessions.history(reference, page, caller))?.key;
    };
    expect(await found({ from: "main" }, { label: "Work" })).toBe(SESSIONS.group.key);
    expect(await found({ from: "main", allow: EVERYBODY }, { label: "work" })).toBeUndefined();
    expect(await found({ from: "main", allow: EVERYBODY }, { label: "work", agentId: "coder" })).toBe(SESSIONS.coder.key);
    expect(await found({ from: "main" }, { label: "work", agentId: "coder" })).toBeUndefined();
    expect(await found({ from: "guest", guest: true }, { label: "work" })).toBeUndefined();
  });

  test("agents are listed as far as they can be reached", async () => {
    const reached = async (asker: Asker): Promise<readonly string[]> => {
      const { sessions, caller } = askerOf(running, asker);
      return (await sessions.agents(caller)).map(({ id, isSelf }) => (isSelf ? `${id}!` : id));
    };
    expect(await reached({ from: "main" })).toEqual(["main!"]);
    expect(await reached({ from: "main", allow: EVERYBODY })).toEqual(["main!", "coder"]);
    expect(await reached({ from: "main", sandboxed: true, allow: EVERYBODY })).toEqual(["main!"]);
    expect(await reached({ from: "guest", guest: true, allow: EVERYBODY })).toEqual(["main!"]);
    expect(await reached({ from: "coder", allow: [{ from: "coder", to: "main" }] })).toEqual(["main", "coder!"]);
    const { sessions, caller } = askerOf(running, { from: "main", starts: ["CODER"] });
    expect(await sessions.agents(caller)).toMatchObject([{ id: "main" }, { id: "coder", hasSessions: false, isStartable: true }]);
  });
});

describe("the list", () => {
  test("is filtered by kind, agent, label, words and time, newest first, and says when it is cut", async () => {
    const all: Asker = { from: "main", allow: EVERYBODY };
    expect(await listed(all, { kinds: ["group"] })).toEqual(["group", "coderGroup"]);
    expect(await listed(all, { kinds: ["main", "cron"] })).toEqual(["main", "job", "coder"]);
    expect(await listed(all, { agentId: "CODER" })).toEqual(["coder", "coderGroup", "coderChild"]);
    expect(await listed(all, { label: "WORK" })).toEqual(["group", "coder"]);
    expect(await listed(all, { search: "name of job" })).toEqual(["job"]);
    expect(await listed(all, { activeMinutes: 2 })).toEqual(["main", "group", "guest"]);
    const { sessions, caller } = askerOf(running, all);
    const page = await sessions.list({ limit: 2, messageLimit: 0 }, caller);
    expect([page.sessions.length, page.isCut]).toEqual([2, true]);
    expect((await sessions.list({ limit: NAMES.length, messageLimit: 0 }, caller)).isCut).toBe(false);
  });

  test("has sub-agents that have ended last", async () => {
    const child = { childKey: SESSIONS.child.key, state: "done" } as unknown as SpawnRecord;
    const open = { childKey: SESSIONS.coderChild.key, state: "running" } as unknown as SpawnRecord;
    const { sessions, caller } = askerOf(running, { from: "main" }, { spawns: [child, open] });
    const keysOf = async (limit: number): Promise<readonly string[]> =>
      (await sessions.list({ limit, messageLimit: 0 }, caller)).sessions.map(({ key }) => key);
    expect((await keysOf(50)).at(-1)).toBe(SESSIONS.child.key);
    expect(await keysOf(7)).not.toContain(SESSIONS.child.key);
    expect((await sessions.list({ limit: 7, messageLimit: 0 }, caller)).isCut).toBe(true);
    expect((await sessions.list({ limit: 8, messageLimit: 0 }, caller)).isCut).toBe(false);
  });

  test("shows the names of others' sessions only where names are asked for, and marks them", async () => {
    const { sessions, caller } = askerOf(running, { from: "main" });
    const named = async (filter: Partial<SessionFilter>): Promise<readonly unknown[]> =>
      (await sessions.list({ limit: 2, messageLimit: 0, ...filter }, caller)).sessions.map(({ displayName, untrusted }) => [
        displayName,
        untrusted,
      ]);
    expect(await named({})).toEqual([
      ["Name of main", false],
      [undefined, false],
    ]);
    expect(await named({ search: "name" })).toEqual([
      ["Name of main", false],
      ["Name of group", true],
    ]);
  });
});

describe("the history", () => {
  const said = async (name: Name, message: AgentMessage): Promise<void> => {
    await running.store.appendEntry(idOf(name), { type: "message", message }, { timestampMs: NOW });
  };
  const user = (text: string, more: Partial<Extract<AgentMessage, { role: "user" }>> = {}): AgentMessage => ({
    role: "user",
    content: [{ type: "text", text: `Inbound context (trusted):\n{}\n${text}` }],
    parts: { body: text, systemEvents: [] },
    timestamp: NOW,
    ...more,
  });
  const assistant = (text: string): AgentMessage => ({
    role: "assistant",
    content: [
      { type: "thinking", text: "hidden thought" },
      { type: "text", text },
      { type: "toolCall", id: "t1", name: "read", arguments: { path: "a.txt" } },
    ],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "m",
    usage: NO_USAGE,
    stopReason: "toolUse",
    timestamp: NOW,
  });
  const result = (text: string, tainted: boolean): AgentMessage => ({
    role: "toolResult",
    toolCallId: "t1",
    toolName: "read",
    content: [{ type: "text", text }],
    isError: false,
    ...(tainted ? { tainted } : {}),
    timestamp: NOW,
  });

  test("has the words alone, tools on request, page by page, with marks where text of others is", async () => {
    await said("child", user("first"));
    await said("child", assistant("second"));
    await said("child", result("third", false));
    const { sessions, caller } = askerOf(running, { from: "main" });
    const reference = { sessionKey: SESSIONS.child.key };
    const read = async (page: { limit: number; cursor?: string; includeTools: boolean }) => {
      const found = await sessions.history(reference, page, caller);
      return { ...found, messages: found?.messages.map(({ from, text }) => `${from}: ${text}`) };
    };
    expect(await read({ limit: 10, includeTools: false })).toEqual({
      key: SESSIONS.child.key,
      messages: ["user: first", "assistant: second"],
      untrusted: false,
    });
    const newest = await read({ limit: 1, includeTools: true });
    expect(newest.messages).toEqual(["tool-result: third"]);
    const older = await read({ limit: 2, includeTools: true, cursor: newest.cursor ?? "" });
    expect(older.messages).toEqual(["assistant: second", 'tool-call: {"path":"a.txt"}']);
    // What belongs to one message is not split, or it would never be shown.
    expect((await read({ limit: 1, includeTools: true, cursor: newest.cursor ?? "" })).messages).toEqual(older.messages);
    expect((await read({ limit: 2, includeTools: true, cursor: older.cursor ?? "" })).messages).toEqual(["user: first"]);
    await said("child", result("from the web", true));
    const marked = await sessions.history(reference, { limit: 10, includeTools: true }, caller);
    expect(marked?.untrusted).toBe(true);
    expect(marked?.messages.map(({ untrusted }) => untrusted)).toEqual([false, true, true, false, true]);
    const row = (await sessions.list({ limit: 50, messageLimit: 1 }, caller)).sessions.find(({ key }) => key === SESSIONS.child.key);
    expect(row).toMatchObject({ untrusted: true, messages: [{ text: "second" }] });
  });

  test("is bounded in each message and in all", async () => {
    for (let index = 0; index < 30; index += 1) await said("grandchild", user(`${index} ${"x".repeat(9_000)}`));
    const { sessions, caller } = askerOf(running, { from: "main" });
    const page = await sessions.history({ sessionKey: SESSIONS.grandchild.key }, { limit: 200, includeTools: false }, caller);
    expect(page?.messages.every(({ text }) => text.length <= 4_000)).toBe(true);
    expect(page?.messages.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(80_000);
    expect(page?.messages.at(-1)?.text).toMatch(/^29 /);
    expect(page?.cursor).toBeDefined();
  });

  test("an invalid cursor is refused", async () => {
    const { sessions, caller } = askerOf(running, { from: "main" });
    const page = { limit: 5, includeTools: false, cursor: "nonsense" };
    await expect(sessions.history({ sessionKey: SESSIONS.grandchild.key }, page, caller)).rejects.toThrow("not a position in this list");
  });
});
