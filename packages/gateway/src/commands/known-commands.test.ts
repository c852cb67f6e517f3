import { expect, test } from "vitest";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import { PromptCommands } from "./prompt-commands.ts";

test("a command is looked up on the disk again only after a file has changed", async () => {
  let generation = 1;
  let lookups = 0;
  const agent = {
    sources: { generation: () => generation },
    commandFiles: async () => {
      lookups += 1;
      return { commands: [{ name: "tea", description: "", access: "anyone", body: `Make tea ${lookups}.` }], problems: [] };
    },
    skills: async () => [],
    sourceCommands: () => [],
    prompts: () => [],
  } as unknown as AgentRuntime;
  const commands = new PromptCommands([]);
  const place = { agent, group: undefined, owner: true, isShared: false, signal: AbortSignal.timeout(60_000) };
  expect(await commands.expand("/tea", place)).toEqual({ type: "message", text: "Make tea 1." });
  expect(await commands.expand("/tea", place)).toEqual({ type: "message", text: "Make tea 1." });
  expect(await commands.expand("/coffee", place)).toBeUndefined();
  generation += 1;
  expect(await commands.expand("/tea", place)).toEqual({ type: "message", text: "Make tea 2." });
  expect(await commands.list({ ...place, group: {} as never })).toHaveLength(1);
  expect(lookups).toBe(3);
});
