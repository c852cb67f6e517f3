import { RpcError } from "../src/kernel/rpc-error.ts";
import type { GatewayMemory } from "../src/rpc/memory-handlers.ts";

const missing = async (): Promise<never> => Promise.reject(new RpcError("not-found", "there is no memory in this test"));

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
    read: missing,
    write: missing,
    remove: missing,
    onChange: () => ({ [Symbol.dispose]: () => undefined }),
  },
  history: {
    notes: async () => [],
    list: async () => [],
    read: missing,
    restore: missing,
  },
  audit: async () => [],
  forgetting: {
    plan: async () => ({ type: "nothing", counts: {}, notes: [], untouched: [] }),
    forget: missing,
  },
};
