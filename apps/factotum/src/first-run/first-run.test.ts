import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { httpFetch } from "@factotum/models";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startListingServer } from "@factotum/testing-providers";
import { systemClock } from "../runtime/system-clock.ts";
import { pluginProviders } from "../extensions/plugin-providers.ts";
import { checkSetup } from "./check-setup.ts";
import { chooseModel } from "./choose-model.ts";
import type { FirstRunParts } from "./first-run-parts.ts";
import { nameAssistant } from "./name-assistant.ts";
import { readSetupState } from "./read-setup-state.ts";
import { forgetKey } from "./forget-key.ts";
import { storeKey } from "./store-key.ts";

const KEY = "sk-ant-0123456789abcdef";
const CONFIG = `// mine
{
  // the port
  gateway: { port: 4711 }, // stays
  agents: { list: [{ id: "main" }] },
}
`;

let home = "";
let parts: FirstRunParts;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "factotum-first-run-"));
  const env = { FACTOTUM_HOME: home, HOME: home, OLLAMA_HOST: "127.0.0.1:9" };
  parts = { env, channels: [], packageProviders: async () => [], fetch: httpFetch, clock: systemClock };
});
afterEach(async () => rm(home, { recursive: true, force: true }));

const config = async (text = CONFIG): Promise<void> => writeFile(join(home, "factotum.json5"), text);
const written = async (name = "factotum.json5"): Promise<string> => readFile(join(home, name), "utf8");
const mode = async (name: string): Promise<string> => ((await stat(join(home, name))).mode & 0o777).toString(8);

describe("a key", () => {
  test("is stored in a private file that the configuration refers to, without other changes to the file", async () => {
    await config();
    await mkdir(join(home, "credentials"));
    await chmod(join(home, "credentials"), 0o755);
    expect(await storeKey("anthropic", ` ${KEY}\n`, parts)).toEqual({ type: "done", keyPlace: "credentials/anthropic" });
    expect(await written("credentials/anthropic")).toBe(`${KEY}\n`);
    expect(await mode("credentials/anthropic")).toBe("600");
    expect(await mode("credentials")).toBe("700");
    const text = await written();
    expect(text).toContain("credentials/anthropic");
    expect(text).not.toContain(KEY);
    for (const line of ["// mine", "// the port", "gateway: { port: 4711 }, // stays"]) expect(text).toContain(line);
  });

  test("is replaced by the next one, even if the configuration stays the same", async () => {
    await config();
    await storeKey("anthropic", "sk-ant-the-wrong-one", parts);
    expect(await storeKey("anthropic", KEY, parts)).toMatchObject({ type: "done" });
    expect(await written("credentials/anthropic")).toBe(`${KEY}\n`);
  });

  test("is not stored if the configuration is damaged: the previous state is kept, and the reason reported", async () => {
    await config("{ gateway: { port: 47");
    const refused = await storeKey("anthropic", KEY, parts);
    expect(refused).toMatchObject({ type: "refused", message: expect.stringContaining("config validate") as string });
    await expect(stat(join(home, "credentials/anthropic"))).rejects.toThrow("ENOENT");
    expect(await written()).toBe("{ gateway: { port: 47");
  });

  test.each([
    ["anthropic", "two words", "This is no key"],
    ["antropic", KEY, 'Did you mean "anthropic"?'],
    ["../escape", KEY, "There is no provider"],
    ["demo", KEY, "There is no provider"],
  ])("of %s, %j, is refused", async (provider, key, message) => {
    await config();
    expect(await storeKey(provider, key, parts)).toMatchObject({ type: "refused", message: expect.stringContaining(message) as string });
    expect(await written()).toBe(CONFIG);
  });

  test("does not take the place of several", async () => {
    await config('{ models: { providers: { openai: { credentials: { work: { apiKey: { env: "A" } } } } } } }');
    expect(await storeKey("openai", KEY, parts)).toMatchObject({ type: "refused", message: expect.stringContaining("(work)") as string });
  });
});

describe("a key that is removed", () => {
  test("leaves neither its file nor its entry, and nothing else changes", async () => {
    await config();
    await storeKey("anthropic", KEY, parts);
    expect(await forgetKey("anthropic", parts)).toEqual({ type: "done", keyPlace: "credentials/anthropic" });
    await expect(stat(join(home, "credentials/anthropic"))).rejects.toThrow("ENOENT");
    const text = await written();
    expect(text).not.toContain("anthropic");
    for (const line of ["// mine", "gateway: { port: 4711 }, // stays"]) expect(text).toContain(line);
    expect(await forgetKey("anthropic", parts)).toEqual({ type: "refused", message: "anthropic has no key." });
  });

  test("keeps the provider's other settings, and a file that something else refers to", async () => {
    await config(
      '{ models: { providers: { anthropic: { baseUrl: "http://h/v1" } } }, tools: { web: { search: { apiKey: { file: "credentials/anthropic" } } } } }',
    );
    await storeKey("anthropic", KEY, parts);
    expect(await forgetKey("anthropic", parts)).toMatchObject({ type: "done" });
    expect(await written()).toContain('anthropic: { baseUrl: "http://h/v1" }');
    expect(await written("credentials/anthropic")).toBe(`${KEY}\n`);
  });

  test.each([
    ["{}", "environment variable ANTHROPIC_API_KEY"],
    [
      '{ models: { providers: { anthropic: { credentials: { work: { apiKey: { env: "ANTHROPIC_API_KEY" } } } } } } }',
      "several keys (work)",
    ],
  ])("is refused where it cannot be removed: %s", async (text, message) => {
    await config(text);
    const other = { ...parts, env: { ...parts.env, ANTHROPIC_API_KEY: KEY } };
    expect(await forgetKey("anthropic", other)).toMatchObject({ type: "refused", message: expect.stringContaining(message) as string });
    expect(await written()).toBe(text);
  });
});

describe("a test of a provider", () => {
  test("of a configured provider without an address names what it lacks", async () => {
    await config('{ models: { providers: { house: { api: "openai-chat" } } } }');
    const { message } = await checkSetup({ provider: "house" }, parts);
    expect(message).toContain("it needs models.providers.house.api and .baseUrl");
    expect(message).not.toContain("Did you mean");
  });

  test("uses the given key, otherwise the stored one", async () => {
    await using server = await startListingServer({ key: KEY, models: ["claude-sonnet-5-5"] });
    await config(`{ models: { providers: { anthropic: { baseUrl: "${server.url}" } } } }`);
    expect(await checkSetup({ provider: "anthropic" }, parts)).toMatchObject({ type: "missing-key" });
    expect(await checkSetup({ provider: "anthropic", key: "sk-ant-wrong" }, parts)).toMatchObject({ type: "refused-key" });
    expect(await checkSetup({ provider: "anthropic", key: KEY }, parts)).toMatchObject({ type: "works", models: ["claude-sonnet-5-5"] });
    await storeKey("anthropic", KEY, parts);
    expect(await checkSetup({ provider: "anthropic", model: "claude-nine" }, parts)).toMatchObject({ type: "unknown-model" });
    expect(await checkSetup({ provider: "antropic" }, parts)).toMatchObject({
      type: "failed",
      message: expect.stringContaining('"anthropic"') as string,
    });
  });
});

describe("a model", () => {
  test.each([
    ["under the defaults", CONFIG, /"?defaults"?: ?\{\s*"?model"?: ?"anthropic\/claude-x"/],
    [
      "of the agent, which keeps its fallbacks",
      '{ agents: { list: [{ id: "main", model: { primary: "a/b", fallbacks: ["demo/demo"] } }] } }'.replace("a/b", "groq/b"),
      /primary: "anthropic\/claude-x", fallbacks: \["demo\/demo"\]/,
    ],
  ])("is set %s", async (_where, text, expected) => {
    await config(text);
    expect(await chooseModel("anthropic/claude-x", parts)).toEqual({ type: "done", model: "anthropic/claude-x" });
    expect(await written()).toMatch(expected);
    const state = await readSetupState(parts);
    expect(state).toMatchObject({ type: "done", state: { model: { reference: "anthropic/claude-x", source: "configured" } } });
  });

  test("of an unknown provider is refused, with the nearest", async () => {
    await config();
    expect(await chooseModel("antropic/claude-x", parts)).toMatchObject({
      type: "refused",
      message: expect.stringContaining("anthropic/claude-x") as string,
    });
    expect(await written()).toBe(CONFIG);
  });
});

test("a model whose window is too small for any agent is refused, and so is an unknown one", async () => {
  const text = '{ models: { providers: { ollama: { models: [{ id: "tiny", contextWindow: 8000 }] } } } }';
  await config(text);
  expect(await chooseModel("ollama/tiny", parts)).toMatchObject({
    type: "refused",
    message: expect.stringContaining("is 8000 tokens") as string,
  });
  expect(await chooseModel("house/x", parts)).toMatchObject({
    type: "refused",
    message: expect.stringContaining("house") as string,
  });
  expect(await written()).toBe(text);
});

describe("a name", () => {
  const identity = "workspace/IDENTITY.md";

  test("is written to IDENTITY.md without changing its other lines", async () => {
    await config();
    await mkdir(join(home, "workspace"));
    await writeFile(join(home, identity), "# Who you are\n\n- Name:\n- Tone: dry\n");
    expect(await nameAssistant("  Ada  $& Lovelace ", parts)).toEqual({ type: "done", name: "Ada $& Lovelace" });
    expect(await written(identity)).toBe("# Who you are\n\n- Name: Ada $& Lovelace\n- Tone: dry\n");
    await nameAssistant("Grace", parts);
    expect(await written(identity)).toBe("# Who you are\n\n- Name: Grace\n- Tone: dry\n");
    expect(await readSetupState(parts)).toMatchObject({ state: { agent: { id: "main", name: "Grace" } } });
  });

  test("creates the file from the template, or adds the line, if it is missing", async () => {
    await config();
    await nameAssistant("Ada", parts);
    expect(await written(identity)).toMatch(/^# Who you are\n\n- Name: Ada\n- What you are/);
    await writeFile(join(home, identity), "I am nobody.");
    await nameAssistant("Ada", parts);
    expect(await written(identity)).toBe("I am nobody.\n- Name: Ada\n");
  });

  test.each(["", "  ", "a*b", "x".repeat(81)])("that is %j is refused", async (name) => {
    expect(await nameAssistant(name, parts)).toMatchObject({ type: "refused" });
  });
});

describe("the state", () => {
  test("names the locations of keys and never contains one", async () => {
    await config('{ models: { providers: { openai: { apiKey: { file: "credentials/openai" } } } } }');
    parts = { ...parts, env: { ...parts.env, GROQ_API_KEY: "gsk-0123456789" } };
    await storeKey("anthropic", KEY, parts);
    const state = await readSetupState(parts);
    expect(JSON.stringify(state)).not.toMatch(/sk-ant|gsk-/);
    expect(state).toMatchObject({
      state: {
        model: { reference: "groq/openai/gpt-oss-120b", source: "found", reason: "GROQ_API_KEY is set" },
        providers: expect.arrayContaining([
          expect.objectContaining({ id: "anthropic", needsKey: true, keyPlace: "credentials/anthropic" }),
          expect.objectContaining({
            id: "openai",
            keyPlace: "credentials/openai",
            keyProblem: expect.stringContaining("does not exist") as string,
          }),
          expect.objectContaining({ id: "groq", keyPlace: "GROQ_API_KEY" }),
          expect.objectContaining({ id: "ollama", needsKey: false, running: false }),
        ]) as unknown,
      },
    });
  });
});

test("a model of a plugin is chosen like any other, without asking the plugin", async () => {
  await config();
  const models = [{ id: "plain", contextWindow: 128_000 }] as const;
  const withRules = { ...parts, packageProviders: async () => pluginProviders([{ id: "rules", models }]) };
  expect(await checkSetup({ provider: "rules", model: "plain" }, withRules)).toEqual({
    type: "works",
    message: "The plugin rules answers for rules/plain, and is not asked.",
    models: ["plain"],
  });
  expect(await checkSetup({ provider: "rules" }, withRules)).toMatchObject({ type: "works", models: ["plain"] });
  expect(await checkSetup({ provider: "rules", model: "other" }, withRules)).toMatchObject({
    type: "unknown-model",
    message: "The plugin rules has no model other. It has: plain.",
  });
  expect(await chooseModel("rules/plain", withRules)).toEqual({ type: "done", model: "rules/plain" });
  expect(await chooseModel("rules/plain", parts)).toMatchObject({ type: "refused" });
});
