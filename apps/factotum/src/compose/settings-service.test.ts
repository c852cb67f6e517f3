import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { JsonValue, SettingsAnswer, SettingsService } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSettingsService } from "./settings-service.ts";

const FILE = `{
  // the usual one
  gateway: { port: 18790 },
  agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
  models: { providers: { anthropic: { apiKey: "sk-ant-test-0123456789" } } },
}
`;

let home: string;
let file: string;
let reloads: number;
let reloaded: { readonly type: "applied" | "kept"; readonly problems: readonly string[]; readonly needsRestart: readonly string[] };
let service: SettingsService;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), "factotum-settings-"));
  file = path.join(home, "factotum.json5");
  await writeFile(file, FILE);
  reloads = 0;
  reloaded = { type: "applied", problems: [], needsRestart: [] };
  service = createSettingsService({
    options: async () => ({ env: { FACTOTUM_HOME: home, HOME: home }, channels: [] }),
    reload: async () => {
      reloads += 1;
      return { ...reloaded, changed: [] };
    },
  });
});
afterEach(() => rm(home, { recursive: true, force: true }));

const textOf = (answer: SettingsAnswer): string => (answer.type === "done" ? answer.text : `REFUSED ${answer.message}`);
const read = async (key?: string): Promise<{ readonly hash: string; readonly value?: unknown; readonly type?: string }> =>
  JSON.parse(textOf(await service.read(key))) as never;
async function merge(value: JsonValue, base?: string): Promise<string> {
  const change = { base: base ?? (await read()).hash, type: "merge", value } as const;
  const planned = textOf(await service.plan(change));
  expect(await readFile(file, "utf8")).toBe(FILE);
  const written = textOf(await service.write(change));
  expect(written.startsWith("REFUSED")).toBe(planned.startsWith("REFUSED"));
  return planned;
}

describe("reading", () => {
  test("shows the file and its keys with their hash, without secrets", async () => {
    const whole = await read();
    expect(whole.value).toMatchObject({
      gateway: { port: 18790 },
      models: { providers: { anthropic: { apiKey: expect.any(String) as string } } },
    });
    expect(JSON.stringify(whole)).not.toContain("sk-ant-test");
    expect(await read("gateway.port")).toMatchObject({ hash: whole.hash, type: "set", value: 18790 });
    expect(await read("tools.exec.timeoutSeconds")).toMatchObject({ type: "default", value: 1800 });
    expect(JSON.stringify(await read("models.providers.anthropic.apiKey"))).not.toContain("sk-ant-test");
  });

  test("names the nearest key", async () => {
    expect(textOf(await service.read("gateway.prot"))).toMatch(/^REFUSED gateway\.prot: there is no such key; did you mean "port"\?/);
    expect(textOf(await service.describe("gateway.prot"))).toMatch(/did you mean "port"\? Look up the object/);
    expect(textOf(await service.read("gateway..port"))).toMatch(/^REFUSED .*is no key/);
  });

  test("looks up the schema of one key, and only the names below an object", async () => {
    const port = JSON.parse(textOf(await service.describe("gateway.port"))) as Record<string, unknown>;
    expect(port).toMatchObject({ default: 18790, isActive: true, needsRestart: true });
    const whole = textOf(await service.describe(undefined));
    expect(whole).toContain('"agents"');
    expect(whole.length).toBeLessThan(30_000);
  });
});

describe("a change", () => {
  test("is planned without a write, then written with comments kept, and used", async () => {
    expect(await merge({ gateway: { port: 4711 }, messages: { queue: { cap: 5 } } })).toBe(
      'gateway.port: 18790 → 4711\nmessages: (not set) → {"queue":{"cap":5}}',
    );
    const text = await readFile(file, "utf8");
    expect(text).toContain("// the usual one\n  gateway: { port: 4711 }");
    expect(reloads).toBe(1);
  });

  test("removes with null, and replaces one key", async () => {
    expect(await merge({ gateway: { port: null } })).toBe("gateway.port: 18790 → (removed)");
    const change = { base: (await read()).hash, type: "replace", key: "gateway", value: { port: 4712 } } as const;
    expect(textOf(await service.write(change))).toContain("gateway.port: (not set) → 4712");
  });

  test("of another version of the file is refused, and says to read again", async () => {
    const { hash } = await read();
    await writeFile(file, `${FILE}// changed\n`);
    for (const base of [hash, "", "0".repeat(16)]) {
      const answer = textOf(await service.write({ base, type: "merge", value: { gateway: { port: 1 } } }));
      expect(answer).toMatch(/^REFUSED [^]*has changed since it was read; read it again/);
    }
    expect(await readFile(file, "utf8")).toBe(`${FILE}// changed\n`);
    expect(reloads).toBe(0);
  });

  test("is checked like one of the owner's", async () => {
    expect(await merge({ gateway: { port: "many" } })).toMatch(/^REFUSED Nothing was written:[^]*gateway\.port/);
    expect(await merge({ gateway: { prot: 1 } })).toMatch(/^REFUSED [^]*did you mean "port"/);
    expect(await merge({ gateway: { port: 18790 } })).toBe("REFUSED Nothing to change: the file has these values already.");
    expect(await readFile(file, "utf8")).toBe(FILE);
  });

  test.each<[string, JsonValue]>([
    ["a plain key", { models: { providers: { anthropic: { apiKey: "sk-ant-other-0123456789" } } } }],
    ["a whole provider with a key", { models: { providers: { other: { baseUrl: "http://127.0.0.1:1", apiKey: "sk-other-0123456789" } } } }],
    ["the mark of a hidden secret", { models: { providers: { anthropic: { apiKey: "[redacted]" } } } }],
    ["credentials in an address", { models: { providers: { anthropic: { baseUrl: "https://me:secret@example.com" } } } }],
  ])("with %s is refused without showing it", async (_, value) => {
    const answer = await merge(value);
    expect(answer).toMatch(/^REFUSED /);
    expect(answer).not.toMatch(/0123456789|me:secret/);
    expect(await readFile(file, "utf8")).toBe(FILE);
  });

  test("takes a reference to a secret", async () => {
    expect(await merge({ models: { providers: { anthropic: { apiKey: { env: "MY_KEY" } } } } })).toMatch(/apiKey: .* → \{"env":"MY_KEY"\}/);
  });

  test.each<[string, JsonValue]>([
    ["the key", { models: { providers: { anthropic: { apiKey: { env: "MY_KEY" } } } } }],
    ["its provider", { models: { providers: { anthropic: null } } }],
    ["everything around it", { models: null }],
    ["everything around it, by something else", { models: { providers: null, timeouts: { connectSeconds: 5 } } }],
  ])("shows no secret that goes away with %s", async (_, value) => {
    const answer = await merge(value);
    expect(answer).not.toMatch(/^REFUSED/);
    expect(answer).not.toContain("0123456789");
  });

  test.each<[string, JsonValue]>([
    ["tools.exec.mode", { tools: { exec: { mode: "full" } } }],
    ["tools.elevated", { tools: { elevated: { enabled: true } } }],
    ["commands.ownerAllowFrom", { commands: { ownerAllowFrom: ["test:guest"] } }],
    ["gateway.auth", { gateway: { auth: { mode: "none" } } }],
  ])("of %s is the owner's alone", async (_, value) => {
    expect(await merge(value)).toMatch(/^REFUSED .*only the owner changes it\. .*factotum config set/);
    const change = { base: (await read()).hash, type: "replace", value } as const;
    expect(textOf(await service.plan(change))).toMatch(/^REFUSED .*only the owner changes it/);
    expect(await readFile(file, "utf8")).toBe(FILE);
  });

  test("that cannot be used says so", async () => {
    reloaded = { type: "kept", problems: ["the port is taken"], needsRestart: [] };
    const change = { base: (await read()).hash, type: "merge", value: { gateway: { port: 4711 } } } as const;
    expect(textOf(await service.write(change))).toMatch(/^REFUSED It was written, but cannot be used[^]*the port is taken/);
  });

  test("names keys that need a restart", async () => {
    reloaded = { type: "applied", problems: [], needsRestart: ["gateway.port"] };
    const change = { base: (await read()).hash, type: "merge", value: { gateway: { port: 4711 } } } as const;
    expect(textOf(await service.write(change))).toContain("Takes effect after a restart: gateway.port.");
  });
});
