import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startListingServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { openTerminal } from "./open-terminal.ts";

const KEY = "gsk-right-0123456789abcdef";
const ENTER = "\r";

test("setup leads a newcomer at a terminal from a wrong key to an answer", async () => {
  await using provider = await startListingServer({ key: KEY, models: ["openai/gpt-oss-120b", "llama-9"] });
  await using product = await startProduct({ config: { models: { providers: { groq: { baseUrl: provider.url } } } } });
  await using terminal = openTerminal(["setup"], { home: product.home });
  await terminal.waitFor(/Which provider/);
  terminal.type("Groq");
  await terminal.waitFor(/1 match/);
  terminal.type(ENTER);
  await terminal.waitFor(/Paste the key/);
  terminal.type(`gsk-wrong-0123456789${ENTER}`);
  await terminal.waitFor(/refused this key[^]*What now/);
  terminal.type(ENTER);
  await terminal.waitFor(/Paste the key/);
  terminal.type(`${KEY}${ENTER}`);
  await terminal.waitFor(/takes the key[^]*kept in[^]*Which model/);
  terminal.type(ENTER);
  await terminal.waitFor(/the running gateway uses it[^]*name\?/);
  terminal.type(`Ada${ENTER}`);
  await terminal.waitFor(/Where do you want to write to it/);
  terminal.type(ENTER);
  await terminal.waitFor(/costs nothing while there is nothing to do[^]*heartbeat/);
  terminal.type(ENTER);
  await terminal.waitFor(/The page: http:\/\/127\.0\.0\.1:\d+\/#token=/);
  expect(await terminal.ended).toBe(0);
  expect(terminal.shown()).not.toContain(KEY);
  expect((await stat(join(product.home, "credentials/groq"))).mode & 0o777).toBe(0o600);
  expect((await runCommand(["agent", "-m", "hello"], { home: product.home })).stdout).toBe("Good day.\n");
  expect(await readFile(join(product.home, "workspace/IDENTITY.md"), "utf8")).toContain("- Name: Ada\n");
});

test("a key is typed hidden; without a terminal it comes from standard input alone", async () => {
  await using provider = await startListingServer({ key: KEY, models: ["openai/gpt-oss-120b"] });
  const home = await mkdtemp(join(tmpdir(), "factotum-auth-"));
  try {
    await writeFile(join(home, "factotum.json5"), `{ models: { providers: { groq: { baseUrl: "${provider.url}" } } } }`);
    await using terminal = openTerminal(["auth", "set", "groq"], { home });
    await terminal.waitFor(/Key of Groq/);
    terminal.type(`${KEY}${ENTER}`);
    await terminal.waitFor(/The model is now groq\/openai\/gpt-oss-120b/);
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown()).not.toContain(KEY);
    expect(await readFile(join(home, "credentials/groq"), "utf8")).toBe(`${KEY}\n`);
    expect((await runCommand(["auth", "set", "groq"], { home })).stderr).toContain("There is no key on standard input.");
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
