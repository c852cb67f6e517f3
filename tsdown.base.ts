import { defineConfig, type UserConfig } from "tsdown";
import { configSchemaFile } from "./scripts/build/config-schema.ts";
import { thirdPartyNotices } from "./scripts/build/third-party-notices.ts";

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

/**
 * The build of an extension: a package whose folder `dist` has the JSON Schema of an account, too, which its manifest names. The contract and the kit are bundled,
 * so that a package needs nothing of this repository, and its version of the kit is its own.
 */
export function defineExtension(): UserConfig {
  const notices = thirdPartyNotices({ isOwn: (name) => name.startsWith("@factotum/"), exceptions: {}, otherBundles: [] });
  return definePackage({
    plugins: [configSchemaFile(), notices],
    // As in the product: white space and comments cost time when a package is loaded; names stay, so that stack traces are readable.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    outputOptions: { charset: "ascii" },
    deps: { alwaysBundle: [/^@factotum\//, "zod"], onlyBundle: false },
    inputOptions: { resolve: { conditionNames: ["factotum-source", "import", "module", "node", "default"] } },
  });
}
