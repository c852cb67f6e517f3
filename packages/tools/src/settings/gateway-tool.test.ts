import type { AgentTool, JsonObject, RunFacts, SettingsAnswer, SettingsChange } from "@factotum/agent-contract";
import { beforeEach, describe, expect, test } from "vitest";
import { createGatewayTool } from "./gateway-tool.ts";

const RUN = { runId: "run-1", sessionKey: "agent:main:main", owner: true } as RunFacts;
const PATCH = { action: "patch", base: "abc", patch: { gateway: { port: 4711 } } };

let asked: unknown[];
let restarts: string[];
let planned: SettingsAnswer;
let tool: AgentTool;
beforeEach(() => {
  asked = [];
  restarts = [];
  planned = { type: "done", text: "gateway.port: 18790 → 4711" };
  const answer =
    (name: string) =>
    async (given: SettingsChange | string | undefined): Promise<SettingsAnswer> => {
      asked.push([name, given]);
      return name === "plan" ? planned : { type: "done", text: `${name} done` };
    };
  tool = createGatewayTool({
    settings: { describe: answer("describe"), read: answer("read"), plan: answer("plan"), write: answer("write") },
    restarter: { restartAfter: ({ runId }) => void restarts.push(runId) },
  });
});

const call = (args: JsonObject): Parameters<AgentTool["execute"]>[0] => ({ id: "c1", name: "gateway", arguments: args });
async function run(args: JsonObject, facts: RunFacts = RUN): Promise<string> {
  const { content, isError } = await tool.execute(call(args), {
    signal: new AbortController().signal,
    run: facts,
    tainted: false,
    onDelta: () => undefined,
  });
  return `${isError === true ? "ERROR " : ""}${content.map((part) => (part.type === "text" ? part.text : "")).join("")}`;
}

describe("gateway", () => {
  test("reads, changes and restarts", async () => {
    expect(await run({ action: "schema", key: "gateway.port" })).toBe("describe done");
    expect(await run({ action: "get" })).toBe("read done");
    expect(await run(PATCH)).toBe("write done");
    expect(await run({ action: "apply", base: "abc", key: "gateway.port", value: 4711 })).toBe("write done");
    expect(asked).toEqual([
      ["describe", "gateway.port"],
      ["read", undefined],
      ["write", { base: "abc", type: "merge", value: PATCH.patch }],
      ["write", { base: "abc", type: "replace", key: "gateway.port", value: 4711 }],
    ]);
    expect(await run({ action: "restart" })).toContain("restarts once this turn is over");
    expect(restarts).toEqual(["run-1"]);
  });

  test.each(["schema", "get", "patch", "apply", "restart"])("refuses %s to everybody but the owner", async (action) => {
    const text = await run(
      { action, base: "abc", ...(action === "patch" ? { patch: {} } : {}), ...(action === "apply" ? { value: 1 } : {}) },
      { ...RUN, owner: false },
    );
    expect(text).toMatch(/^ERROR gateway was refused\. Rule owner/);
    expect([asked, restarts]).toEqual([[], []]);
  });

  test("has the effect config for what changes something, and only for that", () => {
    const effectOf = (args: JsonObject): string | undefined => tool.traitsFor?.(call(args)).effect;
    expect(["schema", "get"].map((action) => effectOf({ action }))).toEqual(["read", "read"]);
    expect(["patch", "apply", "restart"].map((action) => effectOf({ action }))).toEqual(["config", "config", "config"]);
    expect(effectOf({ action: "get", other: 1 })).toBe("config");
  });

  test("shows the owner the difference, and is bound to the version of the file and the change", async () => {
    expect(await tool.inspect?.(call(PATCH), RUN)).toEqual({
      type: "action",
      text: "gateway.port: 18790 → 4711",
      binding: { base: "abc", type: "merge", value: PATCH.patch },
    });
    planned = { type: "refused", message: "read it again" };
    expect(await tool.inspect?.(call(PATCH), RUN)).toEqual({ type: "invalid", message: "read it again" });
    expect(await tool.inspect?.(call({ action: "restart" }), RUN)).toMatchObject({ type: "action", text: "Restart the gateway." });
  });

  test.each<[string, JsonObject, string]>([
    ["a change without a hash", { action: "patch", patch: {} }, "patch needs base"],
    ["a patch without a patch", { action: "patch", base: "abc" }, "patch needs patch"],
    ["a patch of a key", { ...PATCH, key: "gateway" }, "patch takes no key"],
    ["apply without a value", { action: "apply", base: "abc", key: "gateway" }, "apply needs value"],
  ])("says what is wrong with %s, before anybody is asked", async (_, args, expected) => {
    expect(await run(args)).toMatch(/^ERROR /);
    expect(await run(args)).toContain(expected);
    expect(await tool.inspect?.(call(args), RUN)).toMatchObject({ type: "invalid", message: expect.stringContaining(expected) as string });
    expect(asked).toEqual([]);
  });
});
