import { execFile, execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Logger } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BUNDLED_SKILLS_FOLDER } from "./bundled-skills-folder.ts";
import { createSkillIndex } from "./create-skill-index.ts";
import { parseSkill } from "./skill-file/parse-skill.ts";
import { scanSkill } from "./scan/scan-skill.ts";

const NAMES = [
  "create-python-script",
  "git-review",
  "github",
  "meeting-notes",
  "pdf-notes",
  "reminders",
  "skill-writer",
  "summarise-url",
  "translate",
  "weather",
];

const SILENT: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => SILENT };

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "bundled-"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** A program that a test puts in front of the PATH. */
async function program(name: string, script: string): Promise<void> {
  await mkdir(join(base, "bin"), { recursive: true });
  await writeFile(join(base, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
}

/** The commands that a skill shows, in their order. */
async function blocksOf(name: string): Promise<readonly string[]> {
  const text = await readFile(join(BUNDLED_SKILLS_FOLDER, name, "SKILL.md"), "utf8");
  return Array.from(text.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, block = ""]) => block);
}

/** Runs all of a skill's commands in one empty folder, and resolves with the output of each block. */
async function runSkill(name: string, env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const folder = join(base, "work");
  await mkdir(folder, { recursive: true });
  const outputs: string[] = [];
  for (const block of await blocksOf(name)) {
    const path = `${join(base, "bin")}${delimiter}${process.env["PATH"] ?? ""}`;
    const options = { cwd: folder, env: { PATH: path, HOME: base, LANG: "C.UTF-8", ...env }, timeout: 30_000 };
    outputs.push((await promisify(execFile)("sh", ["-euc", block], options)).stdout);
  }
  return outputs;
}

/** A server for one test that records what it is asked. */
async function serve(answer: string): Promise<AsyncDisposable & { readonly url: string; readonly paths: readonly string[] }> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? "");
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    paths,
    [Symbol.asyncDispose]: async () => promisify(server.close.bind(server))(),
  };
}

describe("every bundled skill", () => {
  test("is there, is valid, and can be used where its requirements are met", async () => {
    for (const name of ["git", "gh", "python3"]) await program(name, "exit 0");
    const index = createSkillIndex({
      bundledFolder: BUNDLED_SKILLS_FOLDER,
      managedFolder: join(base, "none"),
      host: { platform: "linux", env: { PATH: join(base, "bin") } },
      logger: SILENT,
    });
    const { skills, found, problems } = await index.scan({ workspace: base, agentId: "main", signal: new AbortController().signal });
    expect(problems).toEqual([]);
    expect(skills.map(({ name }) => name)).toEqual(NAMES);
    expect(await readdir(BUNDLED_SKILLS_FOLDER)).toEqual(NAMES);
    for (const { name, warnings, description } of found) {
      expect([name, ...warnings]).toEqual([name]);
      expect(description.length).toBeLessThanOrEqual(80);
    }
  });

  test.each(NAMES)("%s passes the scan without a severe finding, and is short", async (name) => {
    const folder = join(BUNDLED_SKILLS_FOLDER, name);
    const findings = await scanSkill(folder, { signal: new AbortController().signal });
    expect(findings.filter(({ severity }) => severity === "severe")).toEqual([]);
    expect((await readFile(join(folder, "SKILL.md"), "utf8")).length).toBeLessThan(4_000);
  });
});

describe("the commands of", () => {
  test("weather ask for the place, now and for the next days", async () => {
    await using server = await serve("Lisbon: Sunny +21°C\n");
    expect(await runSkill("weather", { WEATHER_URL: server.url })).toEqual(["Lisbon: Sunny +21°C\n", "Lisbon: Sunny +21°C\n"]);
    expect(server.paths[0]).toMatch(/^\/Lisbon\?m&format=%l:\+%C\+%t/);
    expect(server.paths[1]).toBe("/Lisbon?m&T&n&q&F");
  });

  test("summarise-url print the text of a page", async () => {
    await using server = await serve(
      "<html><head><style>p{}</style><script>var x = 1;</script></head><body><nav>Menu</nav><h1>Title &amp; more</h1><p>First.</p><p>Second.</p></body></html>",
    );
    const [text = ""] = await runSkill("summarise-url", { PAGE_URL: `${server.url}/article` });
    expect(server.paths).toEqual(["/article"]);
    expect(text.split(/\s*\n\s*/).filter((line) => line !== "")).toEqual(["Title & more", "First.", "Second."]);
  });

  test("pdf-notes convert a file and count its pages", async () => {
    // The converter is not on every machine: a stand-in that takes the same arguments.
    await program("pdftotext", 'test "$1 $2 $3" = "-layout -enc UTF-8" && test -f "$4" && printf "one\\n\\ftwo\\n\\f" > "$5"');
    await mkdir(join(base, "work"));
    await writeFile(join(base, "work", "paper.pdf"), "%PDF-1.7");
    expect(await runSkill("pdf-notes")).toEqual(["2\n"]);
  });

  test("git-review show what was changed", async () => {
    const folder = join(base, "work");
    await mkdir(folder);
    const git = (...args: readonly string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: folder, encoding: "utf8", stdio: "pipe" });
    git("init", "--quiet", "--initial-branch=main");
    await writeFile(join(folder, "a.txt"), "one\n");
    git("add", ".");
    git("commit", "--quiet", "--message", "begin");
    await writeFile(join(folder, "a.txt"), "two\n");
    const [state, diff] = await runSkill("git-review");
    expect(state).toMatch(/## main\n M a\.txt\n[0-9a-f]+ begin\n a\.txt \| 2 \+-/);
    expect(diff).toContain("-one\n+two\n");
  });

  test("github call gh with fields and limits", async () => {
    await program("gh", 'echo "gh $*"; test "$1 $2" != "pr checks"');
    const calls = (await runSkill("github")).join("").trimEnd().split("\n");
    expect(calls).toHaveLength(5);
    for (const call of calls) expect(call).toMatch(/^gh (search|pr|run) \w+ .*/);
    expect(calls.filter((call) => call.includes("--json"))).toHaveLength(4);
  });

  test("create-python-script write a script that works", async () => {
    expect(await runSkill("create-python-script")).toEqual(["", "2\ttwo\n"]);
  });

  test("skill-writer write a skill without a deviation", async () => {
    await runSkill("skill-writer");
    const text = await readFile(join(base, "work/skills/send-invoice/SKILL.md"), "utf8");
    expect(await parseSkill(text, "send-invoice")).toMatchObject({ name: "send-invoice", warnings: [] });
  });

  test.each(["meeting-notes", "reminders", "translate"])("%s are none", async (name) => {
    expect(await blocksOf(name)).toEqual([]);
  });
});
