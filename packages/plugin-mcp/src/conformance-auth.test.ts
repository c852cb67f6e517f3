import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SUITE = new URL("./", import.meta.resolve("@modelcontextprotocol/conformance/package.json"));
const CLIENT = fileURLToPath(new URL("../test/conformance-auth-client.ts", import.meta.url));

const BOTH = [
  "metadata-default",
  "metadata-var1",
  "metadata-var2",
  "metadata-var3",
  "basic-cimd",
  "scope-from-www-authenticate",
  "scope-from-scopes-supported",
  "scope-omitted-when-undefined",
  "scope-step-up",
  "scope-retry-limit",
  "token-endpoint-auth-basic",
  "token-endpoint-auth-post",
  "token-endpoint-auth-none",
  "pre-registration",
] as const;

/** What each revision requires of a client's login; all of it passes. `README.md` lists it. */
const PASSED = {
  "2025-11-25": BOTH,
  "2026-07-28": [
    ...BOTH,
    "resource-mismatch",
    "offline-access-scope",
    "offline-access-not-supported",
    "authorization-server-migration",
    "iss-supported",
    "iss-not-advertised",
    "iss-supported-missing",
    "iss-wrong-issuer",
    "iss-unexpected",
    "iss-normalized",
    "metadata-issuer-mismatch",
  ],
} as const;

const MAX_OUTPUT_CHARS = 16 * 1024 * 1024;

const passed = Object.entries(PASSED).flatMap(([revision, names]) => names.map((name) => [revision, `auth/${name}`] as const));

/** The summary of all scenarios of a revision, run by one process. It ends with an error: this client only logs in, and has no extension. */
async function runScenarios(revision: string): Promise<string> {
  const words = ["client", "--requirements", revision, "--timeout", "90000"];
  const program = [fileURLToPath(new URL("dist/index.js", SUITE)), ...words, "--command", `${process.execPath} ${CLIENT}`];
  return new Promise((resolve) => {
    execFile(process.execPath, program, { maxBuffer: MAX_OUTPUT_CHARS }, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
}

test.each(Object.entries(PASSED))("of %s, the required scenarios of logins pass", { timeout: 240_000 }, async (revision, names) => {
  const output = await runScenarios(revision);
  const failed = names.filter((name) => !new RegExp(`^✓ auth/${name}: [1-9]\\d* passed, 0 failed$`, "m").test(output));
  expect(failed, output.slice(-20_000)).toEqual([]);
});

test.each(Object.entries(PASSED))("%s requires no scenario of logins that is not known here", async (revision, names) => {
  const requirements = await readFile(new URL(`requirements/${revision}.yaml`, SUITE), "utf8");
  const [, list = ""] = /^client:\n((?: {2}- .+\n)+)/m.exec(requirements) ?? [];
  const required = [...list.matchAll(/^ {2}- auth\/(\S+)$/gm)].map(([, name = ""]) => name);
  expect(required.toSorted()).toEqual([...names].toSorted());
});

test("the README lists what passes", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  for (const [revision, scenario] of passed) expect(readme).toContain(`- ${revision}: \`${scenario}\``);
});
