import type { AgentToolResult, JsonObject, MemoryHit, MemoryProvider, MemoryQuery, RunFacts } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { createMemoryTools } from "./memory-tools.ts";

let rig: ToolRig;
beforeEach(async () => {
  rig = await createToolRig();
});
afterEach(() => rig[Symbol.asyncDispose]());

const HIT: MemoryHit = {
  path: "memory/2026-11-20.md",
  startLine: 3,
  endLine: 4,
  text: "The boiler was serviced.",
  score: 0.9,
  source: "notes",
  origin: "agent",
  day: "2026-11-20",
};

interface Given {
  readonly hits?: readonly MemoryHit[];
  readonly degraded?: string;
  readonly isPrivate?: boolean;
  readonly run?: Partial<RunFacts>;
}

function call(index: 0 | 1, args: JsonObject, { hits = [HIT], degraded, isPrivate = true, run = {} }: Given = {}) {
  const asked: unknown[] = [];
  const memory: MemoryProvider = {
    search: async (query: MemoryQuery, { agentId }) => {
      asked.push({ ...query, agentId });
      return { hits, ...(degraded === undefined ? {} : { degraded }) };
    },
    get: async ({ path, from, lines }, { agentId }) => {
      asked.push({ path, from, lines, agentId });
      const origin = hits[0]?.origin ?? "agent";
      return path === "gone.md"
        ? { type: "not-found", message: "There is no note gone.md." }
        : { type: "found", path, startLine: from, endLine: from + 1, text: "one\ntwo", origin, isCut: true };
    },
    status: () => Promise.reject(new Error("not asked for")),
    index: () => Promise.reject(new Error("not asked for")),
  };
  const tool = createMemoryTools({ memory, isPrivate: async () => isPrivate })[index];
  if (tool === undefined) throw new Error("there are two tools");
  const result: Promise<AgentToolResult> = rig.call(tool, args, { run });
  return { asked, result };
}

test("a search gives passages with their place, for this agent", async () => {
  const { asked, result } = call(0, { query: "boiler" });
  expect(textOf(await result)).toBe("memory/2026-11-20.md#L3-L4 (score 0.9, 2026-11-20)\nThe boiler was serviced.");
  expect((await result).untrusted).toBeUndefined();
  expect(asked).toEqual([
    { query: "boiler", maxResults: 6, minScore: 0, sources: ["notes", "sessions"], exceptSession: expect.any(String), agentId: "main" },
  ]);
});

test("what was said is cited by its entry, and the search can be for that alone", async () => {
  const said = { ...HIT, path: "s-1#e01", startLine: 1, source: "sessions" } as const;
  const { asked, result } = call(0, { query: "boiler", sources: ["sessions"] }, { hits: [said, { ...said, startLine: 9 }] });
  expect(textOf(await result)).toContain("s-1#e01 (score 0.9, 2026-11-20)\n");
  expect(textOf(await result)).toContain("s-1#e01 from 9 (score");
  expect(asked).toMatchObject([{ sources: ["sessions"] }]);
});

test("text of others is marked, and taints", async () => {
  const { result } = call(0, { query: "boiler" }, { hits: [HIT, { ...HIT, origin: "untrusted" }] });
  expect(textOf(await result)).toContain("may hold text of others");
  expect((await result).untrusted).toBe(true);
  expect((await call(1, { path: "a.md" }, { hits: [{ ...HIT, origin: "untrusted" }] }).result).untrusted).toBe(true);
});

test("a search that found nothing, or was less complete, says so", async () => {
  const { result } = call(0, { query: "boiler" }, { hits: [], degraded: "the index is still being updated" });
  expect(textOf(await result)).toBe("Nothing was found.\n\n[The search was less complete than usual: the index is still being updated.]");
});

test("lines of a note, with where it goes on", async () => {
  const { asked, result } = call(1, { path: "a.md", from: 5, lines: 2 });
  expect(textOf(await result)).toBe("a.md#L5-L6\none\ntwo\n[There is more: from 7.]");
  expect(asked).toEqual([{ path: "a.md", from: 5, lines: 2, agentId: "main" }]);
  expect(await call(1, { path: "gone.md" }).result).toMatchObject({ isError: true });
});

test.each([
  ["a guest", { run: { owner: false } }],
  ["a session that others are in", { isPrivate: false }],
])("%s is refused, and nothing is asked", async (_name, given) => {
  for (const { asked, result } of [call(0, { query: "boiler" }, given), call(1, { path: "a.md" }, given)]) {
    expect(await result).toMatchObject({ isError: true });
    expect(textOf(await result)).not.toContain("boiler");
    expect(asked).toEqual([]);
  }
});
