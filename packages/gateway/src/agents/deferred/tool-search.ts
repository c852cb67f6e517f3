import type { AgentTool, AgentToolResult } from "@factotum/agent-contract";
import { cutText, TOOL_CALL } from "@factotum/agent-core";
import { TOOL_SEARCH } from "./carriers.ts";

/** Tools whose parameters one result shows; further matches are one line each. The best match is always shown, truncated if necessary. */
const MAX_DESCRIBED = 5;
const MAX_LINES = 40;
const MAX_DESCRIBED_CHARS = 12_000;
const MAX_SUMMARY_CHARS = 200;
/** What of a description and of the names of parameters is searched, and what of a query: a search blocks the event loop. */
const MAX_SEARCHED_CHARS = 200;
const MAX_QUERY_CHARS = 200;

/** Creates `tool_search` over the deferred tools of a session. */
export function createToolSearch(deferred: readonly AgentTool[]): AgentTool {
  return {
    name: TOOL_SEARCH,
    summary: "Find more tools and their parameters.",
    description: "Find more tools by words or names.",
    parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true, holdsNoPlace: true },
    execute: async ({ arguments: { query } }) => {
      if (typeof query !== "string")
        return { ...toResult(`${TOOL_SEARCH} needs a query: words of what the tool should do, or its name.`), isError: true };
      const found = await findTools(deferred, query);
      return toResult(found.length === 0 ? renderAll(deferred, query) : renderMatches(found));
    },
  };
}

/** The tools that match any word of the query in name, summary, description or parameter names, best first. */
async function findTools(tools: readonly AgentTool[], query: string): Promise<readonly AgentTool[]> {
  const { default: MiniSearch } = await import("minisearch");
  const index = new MiniSearch({
    fields: ["name", "summary", "description", "parameters"],
    idField: "name",
    searchOptions: { boost: { name: 5, summary: 2 }, prefix: true, fuzzy: 0.2 },
  });
  // In chunks: indexing thousands of tools at once would block the event loop.
  await index.addAllAsync(
    tools.map(({ name, summary, description, parameters }) => ({
      name,
      summary: summary.slice(0, MAX_SUMMARY_CHARS),
      description: description.slice(0, MAX_SEARCHED_CHARS),
      parameters: parameterNames(parameters).slice(0, MAX_SEARCHED_CHARS),
    })),
    { chunkSize: 50 },
  );
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return index.search(query.slice(0, MAX_QUERY_CHARS)).flatMap(({ id }) => byName.get(String(id)) ?? []);
}

function parameterNames({ properties }: AgentTool["parameters"]): string {
  return typeof properties === "object" && properties !== null ? Object.keys(properties).join(" ") : "";
}

function renderMatches(found: readonly AgentTool[]): string {
  const described: string[] = [];
  const listed: AgentTool[] = [];
  let chars = 0;
  for (const tool of found) {
    const whole = renderTool(tool);
    const text = described.length === 0 ? cutText(whole, MAX_DESCRIBED_CHARS, "… The rest is left out.") : whole;
    const fits = described.length < MAX_DESCRIBED && chars + text.length <= MAX_DESCRIBED_CHARS;
    if (!fits) listed.push(tool);
    else {
      described.push(text);
      chars += text.length;
    }
  }
  return [
    `Run one with ${TOOL_CALL}, such as {"name": ${JSON.stringify(found[0]?.name)}, "arguments": {…}}.`,
    ...described,
    ...(listed.length === 0 ? [] : [[`Other matches; search for a name to see its parameters:`, ...renderLines(listed)].join("\n")]),
  ].join("\n\n");
}

function renderAll(tools: readonly AgentTool[], query: string): string {
  const why = query.trim() === "" ? "The tools are" : `No tool matches ${JSON.stringify(shorten(query))}. There are`;
  return [`${why}; search for a name to see its parameters:`, ...renderLines(tools)].join("\n");
}

function renderTool({ name, summary, description, parameters }: AgentTool): string {
  return [`## ${name}`, description === "" ? summary : description, `Parameters (JSON Schema): ${JSON.stringify(parameters)}`].join("\n");
}

function renderLines(tools: readonly AgentTool[]): readonly string[] {
  const lines = tools.slice(0, MAX_LINES).map(({ name, summary }) => (summary === "" ? `- ${name}` : `- ${name}: ${shorten(summary)}`));
  return tools.length > MAX_LINES ? [...lines, `… and ${tools.length - MAX_LINES} more.`] : lines;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > MAX_SUMMARY_CHARS ? `${line.slice(0, MAX_SUMMARY_CHARS).toWellFormed()}…` : line;
}

function toResult(text: string): AgentToolResult {
  return { content: [{ type: "text", text }] };
}
