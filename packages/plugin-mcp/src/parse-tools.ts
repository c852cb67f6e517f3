import { withoutUndefined } from "@factotum/agent-contract";
import type { JsonObject, JsonSchema, JsonValue } from "@factotum/agent-contract";
import { isObject, schemaProblem } from "./check-schema.ts";

/** A tool as its server describes it, checked. */
export interface ListedTool {
  /** The server's own name of it. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Set for a tool of ours that reaches the resources of the server. */
  readonly resources?: "list" | "read";
  /** What the server says of it. Believed only of trusted servers. */
  readonly hints: { readonly readOnly: boolean; readonly idempotent: boolean; readonly openWorld: boolean };
}

/** A list of tools. */
export interface ToolList {
  readonly tools: readonly ListedTool[];
  /** Tools that are not offered, each with the reason. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** Tools of one server; further ones are left out. */
const MAX_TOOLS = 1_000;
const MAX_LEFT_OUT = 50;
const MAX_NAME_CHARS = 128;
const MAX_TITLE_CHARS = 200;
const MAX_DESCRIPTION_CHARS = 4_000;

/** Checks what a server lists. A bad tool is left out, and leaves the others alone. `added`: tools of ours, whose names give way to those of the server. */
export function parseTools(
  listed: readonly unknown[],
  toolFilter: readonly string[] | undefined,
  added: readonly ListedTool[] = [],
): ToolList {
  const tools = new Map<string, ListedTool>();
  const leftOut: { readonly name: string; readonly reason: string }[] = [];
  for (const entry of listed) {
    const parsed = parseTool(entry);
    const { name } = parsed;
    if (!isWanted(name, toolFilter)) continue;
    const reason = problemOf(parsed, tools);
    if (reason === undefined && "inputSchema" in parsed) tools.set(name, parsed);
    else if (leftOut.length < MAX_LEFT_OUT) leftOut.push({ name: name.slice(0, MAX_NAME_CHARS), reason: reason ?? "it is not understood" });
  }
  for (const tool of added) if (isWanted(tool.name, toolFilter) && !tools.has(tool.name)) tools.set(tool.name, tool);
  return { tools: [...tools.values()].toSorted(({ name: one }, { name: other }) => (one < other ? -1 : 1)), leftOut };
}

function problemOf(
  parsed: ListedTool | { readonly problem: string; readonly name: string },
  tools: ReadonlyMap<string, ListedTool>,
): string | undefined {
  if ("problem" in parsed) return parsed.problem;
  if (tools.has(parsed.name)) return "another tool of the server has its name";
  return tools.size >= MAX_TOOLS ? `the server has more than ${MAX_TOOLS} tools` : undefined;
}

function parseTool(entry: unknown): ListedTool | { readonly problem: string; readonly name: string } {
  if (!isObject(entry)) return { name: "?", problem: "it is not an object" };
  const { name, title, description, inputSchema, annotations } = entry;
  if (typeof name !== "string" || name === "" || name.length > MAX_NAME_CHARS)
    return { name: textOf(name) || "?", problem: "it has no usable name" };
  const problem = schemaProblem(inputSchema);
  if (problem !== undefined || !isObject(inputSchema)) return { name, problem: problem ?? "its schema is not an object" };
  const hints: JsonObject = isObject(annotations) ? annotations : {};
  return {
    name,
    ...withoutUndefined({ title: textOf(title ?? hints["title"]).slice(0, MAX_TITLE_CHARS) || undefined }),
    description: textOf(description).slice(0, MAX_DESCRIPTION_CHARS).toWellFormed(),
    inputSchema,
    hints: {
      readOnly: hints["readOnlyHint"] === true,
      idempotent: hints["idempotentHint"] === true,
      openWorld: hints["openWorldHint"] !== false,
    },
  };
}

function isWanted(name: string, filter: readonly string[] | undefined): boolean {
  return filter === undefined || filter.some((pattern) => matches(pattern, name));
}

function matches(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return first === name;
  if (!name.startsWith(first)) return false;
  let from = first.length;
  for (const [index, part] of rest.entries()) {
    if (index === rest.length - 1) return name.length - part.length >= from && name.endsWith(part);
    const at = name.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
