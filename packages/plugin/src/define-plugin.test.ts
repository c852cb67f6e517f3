import { expect, test } from "vitest";
import { definePlugin, HOOKS, isHookName } from "./index.ts";

test("the handlers of a plugin have the types of their hooks", () => {
  const plugin = definePlugin({
    id: "house-rule",
    setup: (api) => {
      api.tool("count", async (args, { tainted }) => ({ text: `${Object.keys(args).length}${tainted}` }));
      api.hook("before_tool_call", ({ tool }) => (tool === "exec" ? { ask: "Commands are asked about." } : undefined));
      // @ts-expect-error -- an observer answers nothing
      api.hook("message_sent", () => ({ deny: "no" }));
      // @ts-expect-error -- there is no such hook
      api.hook("before_breakfast", () => undefined);
    },
  });
  expect(plugin.id).toBe("house-rule");
});

test("what fails closed, and what is left out", () => {
  const byKind = (kind: string): readonly string[] => Object.entries(HOOKS).flatMap(([name, row]) => (row.kind === kind ? [name] : []));
  expect(byKind("decide")).toEqual(["before_dispatch", "before_model_call", "before_tool_call", "message_sending"]);
  expect(byKind("transform")).toEqual(["before_prompt_build"]);
  expect(isHookName("agent_end")).toBe(true);
  expect(isHookName("toString")).toBe(false);
});
