import { defineConfig, type OxlintOverride } from "oxlint";
import { arrowsOf, testArrowsOf } from "./scripts/layers.ts";
import { workspaceFolders } from "./scripts/workspace.ts";

const TESTS = ["**/*.test.ts", "**/*.test.tsx", "**/*.test-d.ts", "**/test/**", "**/contract/**", "**/e2e/**"];

/** A positive list: every workspace import that is not named is refused, and so is each way around a package's entry. */
function onlyImports(names: readonly string[]): NonNullable<OxlintOverride["rules"]> {
  const allowed = names.map((name) => `!@factotum/${name}`);
  return {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          {
            group: ["@factotum/**", "factotum", ...allowed],
            message:
              "scripts/layers.ts does not list this import: declare what you need of another package as a port in a contract package.",
          },
          {
            regex: "^(\\.\\./)+[\\w-]+/(src|dist|test)/",
            message: "Import the other package by its name: its entry point is its only public module.",
          },
          {
            group: ["**/packages/*/**", "**/extensions/*/**", "**/plugins/*/**", "**/apps/*/**"],
            message: "Import the other package by its name.",
          },
        ],
      },
    ],
  };
}

const arrows: OxlintOverride[] = workspaceFolders().flatMap((folder) => [
  { files: [`${folder}/**`], rules: onlyImports(arrowsOf(folder)) },
  { files: TESTS.map((glob) => `${folder}/${glob}`), rules: onlyImports([...arrowsOf(folder), ...testArrowsOf(folder)]) },
]);

export default defineConfig({
  plugins: ["eslint", "typescript", "unicorn", "oxc", "import", "promise", "node"],
  ignorePatterns: ["**/*.gen.ts", "**/fixtures/**", "**/__snapshots__/**", "templates/**"],
  categories: { correctness: "error" },
  rules: {
    "import/no-cycle": "error",
    "no-console": "error",
    "no-empty": "error",
    "no-var": "error",
    "prefer-const": "error",
    eqeqeq: "error",
    "preserve-caught-error": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/only-throw-error": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "typescript/consistent-type-imports": "error",
    "unicorn/filename-case": ["error", { case: "kebabCase" }],
    "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
    "max-lines-per-function": ["error", { max: 80, skipBlankLines: true, skipComments: true }],
  },
  overrides: [
    ...arrows,
    { files: ["apps/web/**"], plugins: ["eslint", "typescript", "unicorn", "oxc", "import", "promise", "react", "jsx-a11y"] },
    // Time comes from the clock that was injected.
    {
      files: ["packages/*/src/**", "extensions/*/src/**", "plugins/*/src/**"],
      rules: {
        "no-restricted-properties": [
          "error",
          { object: "Date", property: "now", message: "Ask the injected clock: clock.now()." },
          { object: "performance", property: "now", message: "Ask the injected clock: clock.monotonic()." },
        ],
      },
    },
    {
      // The name of a kept version, for a command that has no clock; a library's time of the wall clock that becomes one of the monotonic clock.
      files: ["packages/config/src/write/set-config-value.ts", "extensions/feishu/src/api/feishu-api.ts"],
      rules: { "no-restricted-properties": "off" },
    },
    // The gateway shares one event loop among all conversations (R11).
    { files: ["packages/gateway/src/**"], rules: { "node/no-sync": "error" } },
    {
      files: TESTS,
      rules: { "max-lines-per-function": "off", "max-lines": "off", "node/no-sync": "off", "no-restricted-properties": "off" },
    },
    { files: ["packages/testing-*/**", "packages/channel-conformance/**"], rules: { "no-restricted-properties": "off" } },
    { files: ["scripts/**", "apps/bench/**", "apps/chaos/**"], rules: { "no-console": "off" } },
  ],
});
