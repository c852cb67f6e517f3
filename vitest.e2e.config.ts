import { defineConfig } from "vitest/config";

/** End-to-end tests: they drive the built product, one file at a time, so that figures and ports are their own. */
export default defineConfig({
  resolve: { conditions: ["factotum-source"] },
  ssr: { resolve: { conditions: ["factotum-source"] } },
  test: {
    name: "e2e",
    include: ["apps/*/e2e/**/*.test.ts"],
    environment: "node",
    fileParallelism: false,
    testTimeout: 60_000,
    expect: { poll: { timeout: 50_000 } },
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
  },
});
