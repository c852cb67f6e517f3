import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { ModelSummary } from "@factotum/protocol";
import { startListingServer, type ListingServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CliHome, type CliResult } from "../../test/cli.ts";
import { ScriptedPrompts } from "../../test/scripted-prompts.ts";

const KEY = "sk-ant-0123456789abcdef";
const MODELS = ["claude-sonnet-5-5", "claude-haiku-5"];

let home: CliHome;
let provider: ListingServer;

beforeEach(async () => {
  home = await CliHome.create();
  provider = await startListingServer({ key: KEY, models: MODELS });
  await home.run("setup");
  await home.run("config", "set", "models.providers.anthropic.baseUrl", provider.url);
});
afterEach(async () => {
  await provider[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

const withInput = async (input: string, ...args: readonly string[]): Promise<CliResult> =>
  home.runWith({ readInput: async () => input }, ...args);

describe("auth set", () => {
  test("reads the key from standard input, tests it, stores it, and ends the demo", async () => {
    const { code, stdout, stderr } = await withInput(`${KEY}\n`, "auth", "set", "anthropic");
    expect(code).toBe(0);
    expect(stdout).toMatch(/takes the key[^]*credentials\/anthropic[^]*The model is now anthropic\/claude-sonnet-5-5\./);
    expect(`${stdout}${stderr}`).not.toContain(KEY);
    expect((await stat(join(home.factotumHome, "credentials/anthropic"))).mode & 0o777).toBe(0o600);
    expect((await home.run("auth", "list")).stdout).toMatch(/^anthropic +Anthropic +credentials\/anthropic$/m);
    expect((await home.run("auth", "test", "anthropic")).stdout).toContain("has 2 models");
  });

  test("a key is removed again, with its file", async () => {
    await withInput(KEY, "auth", "set", "anthropic");
    expect(await home.run("auth", "remove", "anthropic")).toMatchObject({
      code: 0,
      stdout: "The key of anthropic in credentials/anthropic is removed.\n",
    });
    expect((await home.run("auth", "list")).stdout).toMatch(/^anthropic +Anthropic +-$/m);
    expect((await home.run("auth", "remove", "anthropic")).stderr).toContain("anthropic has no key.");
  });

  const down = async (): Promise<unknown> => home.run("config", "set", "models.providers.anthropic.baseUrl", "http://127.0.0.1:9");

  test("keeps the old key if the new one cannot be tested, unless forced", async () => {
    await withInput(KEY, "auth", "set", "anthropic");
    await down();
    const kept = await withInput("sk-ant-another-0123456789", "auth", "set", "anthropic");
    expect(kept.code).toBe(1);
    expect(kept.stderr).toMatch(/could not be tested: .*cannot be reached[^]*credentials\/anthropic stays as it is\. With --no-check/);
    expect(await home.read("credentials/anthropic")).toBe(`${KEY}\n`);
    const forced = await withInput("sk-ant-another-0123456789", "auth", "set", "anthropic", "--no-check");
    expect(forced).toMatchObject({ code: 0, stdout: expect.stringContaining("This key is untested.") as string });
    expect(await home.read("credentials/anthropic")).toBe("sk-ant-another-0123456789\n");
  });

  test("stores the first key untested if it cannot be tested, and names the later test", async () => {
    await down();
    const { code, stdout } = await withInput(KEY, "auth", "set", "anthropic");
    expect(code).toBe(0);
    expect(stdout).toContain("This key is untested. Test it later: factotum auth test anthropic");
    expect(await home.read("credentials/anthropic")).toBe(`${KEY}\n`);
  });

  test("prompts for it at a terminal", async () => {
    const prompts = new ScriptedPrompts([[/^Key of Anthropic \(made at https:/, KEY]]);
    expect((await home.runWith({ prompts: async () => prompts }, "auth", "set", "anthropic")).code).toBe(0);
    expect(await home.read("credentials/anthropic")).toBe(`${KEY}\n`);
  });

  test("stores nothing that the provider refuses, unless forced", async () => {
    const refused = await withInput("sk-ant-wrong-0123456789", "auth", "set", "anthropic");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("refused this key") as string });
    await expect(home.read("credentials/anthropic")).rejects.toThrow("ENOENT");
    expect((await withInput("sk-ant-wrong-0123456789", "auth", "set", "anthropic", "--no-check")).code).toBe(0);
    expect(await home.run("auth", "test", "anthropic")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Copy the whole key again") as string,
    });
  });

  test.each([
    [["auth", "set", "anthropic"], "", 2, "no key on standard input"],
    [["auth", "set", "antropic"], KEY, 2, 'Did you mean "anthropic"?'],
    [["auth", "test", "foo"], "", 2, "models.providers.foo.api"],
    [["auth", "set", "vllm"], "", 2, "no key on standard input"],
  ])("%j with %j ends with %i", async (args, input, code, words) => {
    expect(await withInput(input, ...args)).toMatchObject({ code, stderr: expect.stringContaining(words) as string });
  });

  test("has no place for a key in the command line", async () => {
    expect((await home.run("auth", "set", "anthropic", KEY)).code).toBe(2);
  });
});

describe("models", () => {
  beforeEach(async () => void (await withInput(KEY, "auth", "set", "anthropic")));

  test("are listed, with the current one marked", async () => {
    expect((await home.run("models", "list")).stdout).toBe("anthropic/claude-sonnet-5-5  (in use)\nanthropic/claude-haiku-5\n");
    expect(JSON.parse((await home.run("models", "list", "anthropic", "--json")).stdout)).toEqual({
      model: "anthropic/claude-sonnet-5-5",
      models: MODELS.map((name) => `anthropic/${name}`),
      problems: [],
      details: MODELS.map((id) => expect.objectContaining({ provider: "anthropic", id, source: "provider", hasKey: true }) as unknown),
    });
    const known = JSON.parse((await home.run("models", "list", "anthropic", "--known", "--json")).stdout) as { details: ModelSummary[] };
    expect(known.details.find(({ id }) => id === "claude-sonnet-5-5")).toMatchObject({
      isDefault: true,
      contextWindow: 1_000_000,
      price: { output: 10 },
    });
    const shown = (await home.run("models", "list", "openai", "--known")).stdout;
    expect(shown).toContain("openai/gpt-5");
    expect(JSON.stringify(known)).not.toContain(KEY);
  });

  test("are set after a test; an unknown one is refused with the way to the list", async () => {
    expect((await home.run("models", "set", "anthropic/claude-haiku-5")).stdout).toContain("The model is now anthropic/claude-haiku-5.");
    expect((await home.run("models", "test")).stdout).toContain("the model claude-haiku-5");
    const refused = await home.run("models", "set", "anthropic/claude-nine");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("factotum models list anthropic") as string });
    expect(await home.run("models", "test", "anthropic/claude-nine")).toMatchObject({ code: 1 });
    expect((await home.run("models", "test", "haiku")).code).toBe(2);
    expect((await home.run("models", "set", "anthropic/claude-nine", "--no-check")).code).toBe(0);
  });
});

describe("a provider of one's own", () => {
  const house = async (more: object = {}): Promise<unknown> =>
    home.run("config", "set", "models.providers.house", JSON.stringify({ api: "openai-chat", baseUrl: `${provider.url}/v1`, ...more }));

  test("without the key that it needs is explained by the missing key", async () => {
    await house();
    const { code, stderr } = await home.run("auth", "test", "house");
    expect(code).toBe(1);
    expect(stderr).toMatch(/house needs a key, and there is none[^]*factotum auth set house/);
    expect(stderr).not.toContain("Copy the whole key");
  });

  test("is no model: its models, or the way to them, are named", async () => {
    await house();
    expect((await home.run("models", "set", "house")).stderr).toMatch(/the model is missing.*factotum models list house/);
    await house({ models: [{ id: "house-large" }] });
    for (const args of [
      ["set", "house"],
      ["set", "house/"],
      ["test", "house"],
      ["test", "house/"],
    ]) {
      const { code, stderr } = await home.run("models", ...args);
      expect([code === 0, stderr]).toEqual([false, expect.stringContaining("Its models: house/house-large")]);
    }
  });

  test("that is down makes the whole list fail, after the models of the others", async () => {
    await withInput(KEY, "auth", "set", "anthropic");
    await house({ baseUrl: "http://127.0.0.1:9/v1" });
    const { code, stdout, stderr } = await home.run("models", "list");
    expect(code).toBe(1);
    expect(stdout).toContain("anthropic/claude-haiku-5\n");
    expect(stderr).toContain("cannot be reached");
  });
});

test("a token is shown and replaced; a configured one is not", async () => {
  const before = (await home.run("token", "show")).stdout.trim();
  expect(before).toBe((await home.read("credentials/gateway-token")).trim());
  expect((await home.run("token", "rotate")).stdout).toContain("The next start uses it.");
  const after = (await home.run("token", "show")).stdout.trim();
  expect(after).toMatch(/^[\w-]{43}$/);
  expect(after).not.toBe(before);
  await home.run("config", "set", "gateway.auth.token", "a-token-of-my-own-choice");
  expect(await home.run("token", "rotate")).toMatchObject({ code: 1, stderr: expect.stringContaining("gateway.auth.token") as string });
});
