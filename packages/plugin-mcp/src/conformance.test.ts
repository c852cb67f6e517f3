import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const SUITE = new URL("./", import.meta.resolve("@modelcontextprotocol/conformance/package.json"));
const CLIENT = fileURLToPath(new URL("../test/conformance-client.ts", import.meta.url));

/** What each revision requires of a client: scenarios that pass, and those that need what is not built yet. `README.md` lists the former. */
const SCENARIOS = {
  "2025-11-25": { passed: ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"], open: [] },
  "2026-07-28": {
    passed: [
      "tools_call",
      "request-metadata",
      "http-standard-headers",
      "http-custom-headers",
      "http-invalid-tool-headers",
      "json-schema-ref-no-deref",
      "sep-2322-client-request-state",
    ],
    open: [],
  },
} as const;

/** Passed as well; no revision requires it. */
const OPTIONAL = [["2026-07-28", "json-schema-2020-12-preservation"]] as const;

const passed = [
  ...Object.entries(SCENARIOS).flatMap(([revision, scenarios]) => scenarios.passed.map((scenario) => [revision, scenario] as const)),
  ...OPTIONAL,
];

test.each(passed)("of %s, %s passes", { timeout: 120_000 }, async (revision, scenario) => {
  const words = ["client", "--spec-version", revision, "--scenario", scenario, "--timeout", "90000"];
  const command = `${process.execPath} ${CLIENT}`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL("dist/index.js", SUITE)),
    ...words,
    "--command",
    command,
  ]);
  expect(`${stdout}${stderr}`).toContain("OVERALL: PASSED");
});

test.each(Object.entries(SCENARIOS))(
  "%s requires no scenario that is not known here, apart from those of OAuth",
  async (revision, scenarios) => {
    const requirements = await readFile(new URL(`requirements/${revision}.yaml`, SUITE), "utf8");
    const [, list = ""] = /^client:\n((?: {2}- .+\n)+)/m.exec(requirements) ?? [];
    const required = [...list.matchAll(/^ {2}- (\S+)$/gm)].flatMap(([, name = ""]) => (name.startsWith("auth/") ? [] : [name]));
    expect(required.toSorted()).toEqual([...scenarios.passed, ...scenarios.open].toSorted());
  },
);

test("the README lists what passes", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  for (const [revision, scenario] of passed) expect(readme).toContain(`- ${revision}: \`${scenario}\``);
});
