import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";

const run = promisify(execFile);
const isInstalled = (shell: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, shell)));

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(async () => home[Symbol.asyncDispose]());

/** Writes the completion script of a shell and returns its path. */
async function scriptFor(shell: string): Promise<string> {
  const file = join(home.home, `completion.${shell}`);
  await writeFile(file, (await home.run("completion", shell)).stdout);
  return file;
}

async function completeInBash(line: string): Promise<readonly string[]> {
  const words = line.split(" ");
  const program = `source ${await scriptFor("bash")}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _factotum; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return (await run("bash", ["--norc", "-c", program])).stdout.trim().split("\n");
}

async function completeInFish(line: string): Promise<readonly string[]> {
  const program = `source ${await scriptFor("fish")}; complete -C'${line}'`;
  const { stdout } = await run("fish", ["--no-config", "-c", program], { env: { ...process.env, HOME: home.home } });
  return stdout
    .trim()
    .split("\n")
    .map((row) => row.split("\t")[0] ?? "");
}

/** Presses the tab key in an interactive zsh, whose completions need its line editor, and returns the arguments of the command that it then runs. */
async function completeInZsh(line: string): Promise<string> {
  const setup = join(home.home, "setup.zsh");
  const driver = join(home.home, "driver.zsh");
  await writeFile(
    setup,
    `PROMPT=; unsetopt prompt_cr prompt_sp
autoload -Uz compinit && compinit -u -D
source ${await scriptFor("zsh")}
bindkey '^I' complete-word
factotum() { print -r -- "ARGUMENTS[$*]" }
print READY
`,
  );
  await writeFile(
    driver,
    `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'source ${setup}'
zpty -r -m shell output '*READY*'
zpty -w shell '${line}'$'\t'
zpty -r -m shell output '*ARGUMENTS\\[*\\]*'
print -r -- "\${\${output##*ARGUMENTS\\[}%%\\]*}"
`,
  );
  const { stdout } = await run("zsh", ["-f", driver], { env: { ...process.env, HOME: home.home }, timeout: 20_000 });
  return stdout.trim();
}

describe.each([
  ["factotum se", ["sessions", "setup"]],
  ["factotum sessions re", ["regenerate", "rename", "reset"]],
  ["factotum sessions list --k", ["--kind"]],
  ["factotum auth set --no", ["--no-check"]],
  ["factotum completion b", ["bash"]],
])("%j", (line, expected) => {
  test("is completed in bash", async () => {
    expect((await completeInBash(line)).toSorted()).toEqual(expected);
  });

  test("is completed in fish", async ({ skip }) => {
    if (!isInstalled("fish")) skip("fish is not installed");
    expect((await completeInFish(line)).toSorted()).toEqual(expected);
  });

  test("is completed in zsh", async ({ skip }) => {
    if (!isInstalled("zsh")) skip("zsh is not installed");
    const [only] = expected;
    if (expected.length > 1) skip("zsh shows a menu");
    expect(await completeInZsh(line)).toBe(`${line.slice("factotum ".length, line.lastIndexOf(" ") + 1)}${only ?? ""}`);
  });
});

test("descriptions are part of the scripts for zsh and fish, and other shells are refused", async () => {
  expect((await home.run("completion", "zsh")).stdout).toMatch(/^#compdef factotum\n[^]*'factotum auth'\) described=\('set:test a key/);
  expect((await home.run("completion", "fish")).stdout).toContain(
    `complete -c factotum -n 'test (__factotum_path) = "factotum auth"' -f -a 'set'`,
  );
  expect(await home.run("completion", "tcsh")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Allowed choices are bash, zsh, fish") as string,
  });
});
