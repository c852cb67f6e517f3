import type { AgentTool } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import { deferTools } from "./defer-tools.ts";
import type { ToolSet } from "./defer-tools.ts";

const SIGNAL = new AbortController().signal;

const tool = (name: string, extra: Partial<AgentTool> = {}): AgentTool => ({
  name,
  summary: `${name}.`,
  description: `Does ${name}.`,
  parameters: { type: "object", properties: {} },
  traits: { effect: "write", idempotent: false, output: "trusted", network: false, parallel: false },
  execute: async () => ({ content: [{ type: "text", text: "ran" }] }),
  ...extra,
});
const CORE = ["exec", "read", "write"].map((name) => tool(name));
const added = (count: number, extra: Partial<AgentTool> = {}): readonly AgentTool[] =>
  Array.from({ length: count }, (_, index) => tool(`mcp__files_${String(index).padStart(3, "0")}`, extra));
const sourceOf = (name: string): string => (name.startsWith("mcp__") ? "files" : "core");
const divide = (tools: readonly AgentTool[], isReachable = true): ToolSet => deferTools(tools, { sourceOf, isReachable });
const names = (tools: readonly AgentTool[]): readonly string[] => tools.map(({ name }) => name);

/** The text of a call of one of the offered tools. */
async function callOf(set: ToolSet, name: string, args: AgentToolArguments): Promise<string> {
  const found = set.offered.find((one) => one.name === name);
  const result = await found?.execute(
    { id: "c1", name, arguments: args },
    { signal: SIGNAL, run: {} as never, tainted: false, onDelta: () => undefined },
  );
  const text = result?.content.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "nothing";
  return result?.isError === true ? `ERROR ${text}` : text;
}
type AgentToolArguments = Parameters<AgentTool["execute"]>[0]["arguments"];

describe("deferTools", () => {
  test("keeps the core tools in the request, and offers no carrier where nothing is deferred", () => {
    expect(divide(CORE)).toEqual({ offered: CORE, deferred: [] });
    const few = [...CORE, ...added(3)];
    expect(divide(few)).toEqual({ offered: few, deferred: [] });
  });

  test.each(["browser", "canvas", "image_generate", "tts", "gateway", "cron"])("defers %s, a tool of the table's groups", (name) => {
    const set = divide([...CORE, tool(name)]);
    expect(names(set.offered)).toEqual(["exec", "read", "tool_call", "tool_search", "write"]);
    expect(names(set.deferred)).toEqual([name]);
  });

  test("defers a plugin's tools by their number alone: a name of one of the groups makes no difference", () => {
    const set = deferTools([...CORE, tool("canvas")], { sourceOf: (name) => (name === "canvas" ? "drawing" : "core"), isReachable: true });
    expect(set.deferred).toEqual([]);
  });

  test("keeps 24 added tools, and defers all of 25", () => {
    expect(divide([...CORE, ...added(24)]).deferred).toEqual([]);
    const set = divide([...CORE, ...added(25)]);
    expect(set.deferred).toHaveLength(25);
    expect(names(set.offered)).toEqual(["exec", "read", "tool_call", "tool_search", "write"]);
  });

  test("defers added tools of more than 8,000 bytes, schemas and lines together", () => {
    const one = (padding: number): readonly AgentTool[] => added(1, { description: "x".repeat(padding), summary: "Short." });
    const bare = Buffer.byteLength(
      JSON.stringify({ name: "mcp__files_000", description: "", parameters: { type: "object", properties: {} } }),
    );
    const room = 8_000 - bare - Buffer.byteLength("- mcp__files_000: Short.\n");
    expect(divide(one(room)).deferred).toHaveLength(0);
    expect(divide(one(room + 1)).deferred).toHaveLength(1);
  });

  test("keeps added tools that fit when a core tool is deferred, behind the core tools", () => {
    const set = divide([tool("read"), tool("gateway"), tool("mcp__files_000")]);
    expect(names(set.offered)).toEqual(["read", "tool_call", "tool_search", "mcp__files_000"]);
    expect(names(set.deferred)).toEqual(["gateway"]);
  });

  test("leaves deferred tools out where the policy denies a carrier", () => {
    expect(divide([...CORE, tool("gateway")], false)).toEqual({ offered: CORE, deferred: [] });
  });

  test("offers the same schemas whatever is deferred, so that the request does not change with it", () => {
    const schemas = (set: ToolSet): unknown => set.offered.map(({ name, description, parameters }) => [name, description, parameters]);
    expect(schemas(divide([...CORE, tool("gateway")]))).toEqual(schemas(divide([...CORE, ...added(200)])));
  });
});

describe("tool_search", () => {
  const gateway = tool("gateway", {
    summary: "Read and change the settings.",
    description: "Reads and changes the configuration of Factotum.",
    parameters: { type: "object", properties: { action: { type: "string" }, path: { type: "string" } } },
  });
  const set = divide([...CORE, gateway, tool("tts", { summary: "Speak a text." })]);

  test.each(["gateway", "settings", "change the configuration", "conf", "setings", "path"])(
    "finds a tool by %j, with its parameters",
    async (query) => {
      const text = await callOf(set, "tool_search", { query });
      expect(text).toContain("## gateway\nReads and changes the configuration of Factotum.");
      expect(text).toContain(`Parameters (JSON Schema): ${JSON.stringify(gateway.parameters)}`);
      expect(text).toContain('tool_call, such as {"name": "gateway"');
      expect(text).not.toContain("## tts");
    },
  );

  test("lists everything, one line each, where nothing matches or nothing is asked", async () => {
    const lines = "- gateway: Read and change the settings.\n- tts: Speak a text.";
    expect(await callOf(set, "tool_search", { query: "zebra" })).toBe(
      `No tool matches "zebra". There are; search for a name to see its parameters:\n${lines}`,
    );
    expect(await callOf(set, "tool_search", { query: " " })).toBe(`The tools are; search for a name to see its parameters:\n${lines}`);
    expect(await callOf(set, "tool_search", {})).toMatch(/^ERROR tool_search needs a query/);
  });

  test("finds no tool of the request", async () => {
    expect(await callOf(set, "tool_search", { query: "exec" })).toContain("No tool matches");
  });

  test("is bounded: five tools with parameters, 40 lines, and what a large schema leaves", async () => {
    const many = await callOf(divide([...CORE, ...added(200)]), "tool_search", { query: "files" });
    expect(many.match(/^## /gm)).toHaveLength(5);
    expect(many.match(/^- /gm)).toHaveLength(40);
    expect(many).toContain("… and 155 more.");
    const large = await callOf(divide(added(3, { description: "word ".repeat(1_500), summary: "long ".repeat(500) })), "tool_search", {
      query: "word",
    });
    expect(large.match(/^## /gm)).toHaveLength(1);
    expect(large.match(/^- /gm)).toHaveLength(2);
    expect(large.length).toBeLessThan(9_000);
  });

  test("searches the beginning of long texts, and does not block the event loop with a thousand tools", async () => {
    const words = (from: number): string => Array.from({ length: 500 }, (_, index) => `w${(from * 500 + index).toString(36)}`).join(" ");
    const tools = Array.from({ length: 1_000 }, (_, index) => tool(`mcp__files_${index}`, { description: `${words(index)} lastword` }));
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    expect(await callOf(divide(tools), "tool_search", { query: "lastword" })).toContain("No tool matches");
    clearImmediate(timer);
    // Other work has had its turns.
    expect(turns).toBeGreaterThan(10);
    expect(await callOf(divide(tools), "tool_search", { query: "w0" })).toContain("## mcp__files_0");
  });

  test("shows the best match even if its schema takes more than a result may", async () => {
    const properties = { city: { type: "string" }, more: { type: "string", description: "x".repeat(30_000) } };
    const text = await callOf(divide(added(25, { parameters: { type: "object", properties } })), "tool_search", {
      query: "mcp__files_007",
    });
    expect(text).toContain('## mcp__files_007\nDoes mcp__files_007.\nParameters (JSON Schema): {"type":"object","properties":{"city"');
    expect(text).toContain("… The rest is left out.");
    expect(text.length).toBeLessThan(16_000);
  });
});

describe("tool_call, for calls that are not those of a tool", () => {
  const set = divide([...CORE, tool("gateway")]);

  test.each<[string, AgentToolArguments, string]>([
    ["names the nearest tool", { name: "gatway", arguments: {} }, 'There is no tool called "gatway". Did you mean "gateway"? Find tools'],
    ["names a near one of the request, too", { name: "raed", arguments: {} }, 'Did you mean "read"?'],
    [
      "says how to find one",
      { name: "zebra", arguments: {} },
      'There is no tool called "zebra". Find tools and their parameters with tool_search.',
    ],
    ["asks for a name", { arguments: {} }, "needs the name of a tool"],
    ["does not carry itself", { name: "tool_call", arguments: {} }, "tool_call cannot be run through tool_call: call it directly."],
    ["does not carry the search", { name: "tool_search", arguments: {} }, "tool_search cannot be run through tool_call"],
    ["shows where parameters belong", { name: "gateway", action: "get" }, "put action into arguments"],
    ["wants an object", { name: "gateway", arguments: ["get"] }, "arguments must be an object with the parameters of gateway."],
  ])("%s", async (_, args, expected) => {
    const text = await callOf(set, "tool_call", args);
    expect(text).toMatch(/^ERROR /);
    expect(text).toContain(expected);
  });
});
