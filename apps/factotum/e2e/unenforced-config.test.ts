import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { callTools, sayText, startStrictServer } from "@factotum/testing-providers";
import type { StrictServer } from "@factotum/testing-providers";
import { ProductEndedError, runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { checkedOfficially } from "./check-official.ts";

let model: StrictServer;
beforeEach(async () => {
  model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(({ body }) =>
    JSON.stringify(body).includes('"tool_result"') ? sayText("Done.") : callTools({ name: "exec", arguments: { command: "echo plover" } }),
  );
});
afterEach(() => model.close());

/** A configuration with this model, and the tested settings. */
function configWith({
  agents,
  ...rest
}: { readonly agents?: { readonly defaults: object }; readonly [key: string]: unknown } = {}): object {
  return {
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5", ...agents?.defaults } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
    ...rest,
  };
}

/** A rule for calls at an occasion that does not exist. */
const HOOKS = { commandHooks: [{ event: "pre-tool", command: ["/bin/false"] }] };

const write = async (home: string, config: object): Promise<void> => writeFile(path.join(home, "factotum.json5"), JSON.stringify(config));
/** The page's banners about the configuration. */
async function pageWarnings({ url, token }: Product): Promise<readonly object[]> {
  const { signal } = new AbortController();
  using client = await RpcClient.connect({ url, version: "0.0.0", signal, token });
  const { warnings } = await client.request("warnings.list", {}, { signal });
  return warnings.flatMap(({ id, level, text }) => (id === "config" ? [{ level, text }] : []));
}

const offered = (): string[] =>
  ((model.requests[0]?.body?.["tools"] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
const results = (): string => JSON.stringify(model.requests.at(-1)?.body?.["messages"]);

describe("a configuration that narrows what this build does not enforce", () => {
  test.each([
    ["commandHooks[0].event", HOOKS, "before_tool_call"],
    ["tools.deny[0]", { tools: { deny: ["group:runtme"] } }, 'did you mean "group:runtime"?'],
  ])("%s: the start is refused although a last good copy exists, and validate and doctor say why", async (key, rest, told) => {
    await using product = await startProduct({ config: configWith() });
    await product.end("SIGTERM");
    const { home } = product;
    expect(await readFile(path.join(home, "state", "config.last-good.json5"), "utf8")).toContain("claude-sonnet-5-5");
    const refused: unknown = await startProduct({ config: configWith(rest), home }).catch((error: unknown) => error);
    if (!(refused instanceof ProductEndedError)) throw new Error("the product has started");
    expect(refused.code).toBe(4);
    for (const text of [`${key}: `, told, "does not enforce"]) expect(refused.message).toContain(text);
    expect(refused.message).not.toContain("runs with the last good copy");
    const validate = await runCommand(["config", "validate"], { home });
    expect(validate).toMatchObject({ code: 4, stdout: expect.stringContaining(`error: ${key}: `) as string });
    const doctor = await runCommand(["doctor"], { home });
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/ERROR +config /) as string });
    expect(doctor.stdout).toContain(told);
  });

  test("a running gateway keeps its configuration, says so, and refuses a restart; the repaired file is used", async () => {
    await using product = await startProduct({ config: configWith({ tools: { exec: { mode: "full" } } }) });
    const { home } = product;
    const command = async (...args: readonly string[]) => runCommand(args, { home });
    await write(home, configWith(HOOKS));
    await expect.poll(() => product.output()).toContain("The configuration cannot be used: what ran before goes on");
    expect((await command("logs")).stdout).toContain("commandHooks[0].event: ");
    const status = await command("status");
    expect(status.stdout).toContain("the file on disk is not what runs");
    expect(status.stdout).toMatch(/! commandHooks\[0\]\.event: .*before_tool_call/);
    expect(status.stdout).toContain("commands   the owner's commands on the host run without asking");
    expect(await pageWarnings(product)).toEqual([
      {
        level: "error",
        text: expect.stringMatching(/is not used, and what ran before goes on: commandHooks\[0\]\.event: /) as string,
      },
    ]);
    expect(await command("gateway", "restart")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("commandHooks") as string,
    });
    expect((await command("agent", "--message", "run it")).stdout).toBe("Done.\n");
    expect(results()).toContain("plover");
    await write(home, configWith({ tools: { exec: { mode: "deny" } } }));
    await expect.poll(() => product.output()).toContain("The configuration has changed and is in use");
    expect((await command("status")).stdout).toContain("commands   no commands run (tools.exec.mode: deny)");
  });

  test("config set refuses it and writes nothing; an enforced value is written", async () => {
    await using product = await startProduct({ config: configWith() });
    const { home } = product;
    const before = await readFile(path.join(home, "factotum.json5"), "utf8");
    for (const [key, value] of [
      ["commandHooks", '[{ event: "pre-tool", command: ["/bin/false"] }]'],
      ["tools.deny", '["exce"]'],
    ] as const) {
      expect(await runCommand(["config", "set", key, value], { home })).toMatchObject({
        code: 4,
        stderr: expect.stringContaining(key) as string,
      });
    }
    expect(await readFile(path.join(home, "factotum.json5"), "utf8")).toBe(before);
    expect((await runCommand(["config", "set", "tools.exec.mode", "deny"], { home })).code).toBe(0);
  });
});

describe("settings that take commands away", () => {
  test.each([
    ["tools.exec.mode: deny", { tools: { exec: { mode: "deny" } } }],
    ["group:runtime in tools.deny", { tools: { deny: ["group:runtime"] } }],
    ["group:runtime denied for the provider", { tools: { byProvider: { anthropic: { deny: ["group:runtime"] } } } }],
    ["group:runtime denied for agents", { agents: { defaults: { tools: { deny: ["group:runtime"] } } } }],
    ["an allow list of other groups", { tools: { allow: ["group:fs", "group:messaging"] } }],
  ])("%s: exec is not offered, and a call of it is an error", async (_name, rest) => {
    await using product = await startProduct({ config: configWith(rest) });
    expect((await runCommand(["agent", "--message", "run it"], { home: product.home })).stdout).toBe("Done.\n");
    expect(offered()).not.toContain("exec");
    expect(offered()).toContain("read");
    expect(results()).toContain('"is_error":true');
    expect(results()).not.toContain("plover\\n");
  });

  test.each([
    ["tools.exec.mode: full", { tools: { exec: { mode: "full", applyPatch: true } } }],
    ["another group is denied", { tools: { exec: { mode: "full" }, deny: ["group:web", "group:ui"] } }],
    ["group:runtime is allowed", { tools: { exec: { mode: "full" }, allow: ["group:runtime", "group:fs"] } }],
  ])("%s: exec is offered and runs", async (_name, rest) => {
    await using product = await startProduct({ config: configWith(rest) });
    expect((await runCommand(["agent", "--message", "run it"], { home: product.home })).stdout).toBe("Done.\n");
    expect(offered()).toEqual(expect.arrayContaining(["exec", "read"]));
    expect(results()).not.toContain('"is_error":true');
    expect(results()).toContain("plover\\n");
  });
});
