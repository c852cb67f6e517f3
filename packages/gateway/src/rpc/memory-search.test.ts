import { expect, test } from "vitest";
import { NO_MEMORY } from "../../test/no-memory.ts";
import { memoryHandlers } from "./memory-handlers.ts";

test("what a search of the memory finds has its secrets hidden, as the notes themselves do", async () => {
  const hit = {
    path: "MEMORY.md",
    startLine: 1,
    endLine: 1,
    text: "The key is s3cret-value.",
    score: 1,
    source: "notes",
    origin: "agent",
  } as const;
  const memory = { ...NO_MEMORY, provider: { ...NO_MEMORY.provider, search: async () => ({ hits: [hit] }) } };
  const parts = { hideSecrets: (text: string) => text.replaceAll("s3cret-value", "[hidden]") };
  const sessions = { agentId: () => "main" } as unknown as Parameters<typeof memoryHandlers>[0]["sessions"];
  const { signal } = new AbortController();
  const found = await memoryHandlers({ sessions, parts }, memory)["memory.search"]({ query: "key" }, { signal } as never);
  expect(found.hits).toMatchObject([{ path: "MEMORY.md", text: "The key is [hidden]." }]);
});
