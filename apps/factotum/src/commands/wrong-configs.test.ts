import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { WRONG_CONFIGS, type WrongConfig } from "../../test/wrong-configs.ts";

/** Terms of libraries that mean nothing to a newcomer. */
const FOREIGN_WORDS =
  /invalid input|invalid option|expected \w+, received|unrecognized|zod|JSON5:|too small|too big|union|regex|undefined|Invalid/;

async function validate({ text, format = "json5" }: WrongConfig): Promise<string> {
  await using cli = await CliHome.create();
  await mkdir(cli.factotumHome, { recursive: true });
  await writeFile(join(cli.factotumHome, `factotum.${format}`), text);
  const { stdout, stderr, code } = await cli.run("config", "validate");
  expect(stderr).toBe("");
  return `${stdout.replaceAll(cli.factotumHome, "~/.factotum")}exit ${code}\n`;
}

test("76 wrong configurations get the reviewed messages, without library terms and without a secret", async () => {
  expect(WRONG_CONFIGS).toHaveLength(76);
  const answers: string[] = [];
  for (const [index, wrong] of WRONG_CONFIGS.entries()) {
    const answer = await validate(wrong);
    expect.soft(answer, wrong.mistake).not.toMatch(FOREIGN_WORDS);
    expect.soft(answer, wrong.mistake).not.toContain("canary");
    answers.push(`### ${index + 1}. ${wrong.mistake}\n${wrong.text.trim()}\n---\n${answer}`);
  }
  await expect(answers.join("\n")).toMatchFileSnapshot("../../fixtures/wrong-configs.txt");
});
