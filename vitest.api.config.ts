import { defineConfig } from "vitest/config";

/** The declarations of the published packages as they were built, against those that were reviewed. */
export default defineConfig({
  test: { name: "api", include: ["scripts/built-checks/**/*.test.ts"], environment: "node" },
});
