import { defineConfig, type UserConfig } from "tsdown";

/** The build of every published package: one entry, ESM for Node, its shape checked as a user's resolver sees it. */
export function definePackage(overrides: UserConfig = {}): UserConfig {
  return defineConfig({
    entry: ["src/index.ts"],
    format: "esm",
    platform: "node",
    target: "node24",
    dts: true,
    publint: { strict: true },
    attw: { profile: "esm-only", level: "error" },
    ...overrides,
  });
}
