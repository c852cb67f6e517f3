import type { GatewayMemory } from "../src/rpc/memory-handlers.ts";

/** The memory of tests that have none. */
export const NO_MEMORY: GatewayMemory = {
  embedWith: () => undefined,
  provider: {
    search: async () => ({ hits: [] }),
    get: async () => ({ type: "not-found", message: "there is no memory in this test" }),
    status: async () => ({ provider: "none", works: false, files: 0, chunks: 0, problems: [] }),
    index: () => Promise.reject(new Error("there is no memory in this test")),
  },
  files: {
    list: async () => [],
    read: async () => ({ type: "not-found" }),
    write: async () => ({ type: "not-found" }),
    remove: async () => ({ type: "not-found" }),
    onChange: () => ({ [Symbol.dispose]: () => undefined }),
  },
  history: {
    notes: async () => [],
    list: async () => [],
    read: async () => undefined,
    restore: async () => ({ type: "not-found" }),
  },
  audit: async () => [],
  forgetting: {
    plan: async () => ({ type: "nothing", counts: {}, notes: [], untouched: [] }),
    forget: async () => "there is no memory in this test",
  },
};
