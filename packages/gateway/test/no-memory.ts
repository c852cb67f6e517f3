import type { MemoryProvider } from "@factotum/agent-contract";

/** The memory of tests that have none. */
export const NO_MEMORY: MemoryProvider = {
  search: async () => ({ hits: [] }),
  get: async () => ({ type: "not-found", message: "there is no memory in this test" }),
  status: async () => ({ provider: "none", works: false, files: 0, chunks: 0, problems: [] }),
  index: () => Promise.reject(new Error("there is no memory in this test")),
};
