import type { AgentToolResult, JsonObject } from "@factotum/agent-contract";
import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import type { ListedTool } from "./parse-tools.ts";
import { renderResult } from "./render-result.ts";

/** What a tool of ours does with the resources of a server. */
export type ResourceOperation = "list" | "read";

const MAX_LINES = 200;
const MAX_TEXT_CHARS = 300;
const HINTS = { readOnly: true, idempotent: true, openWorld: true } as const;

/** The tools by which models reach the resources of a server; a tool of the server's own with such a name takes precedence. */
export const RESOURCE_TOOLS: readonly ListedTool[] = [
  {
    name: "list_resources",
    description: "List the resources of this server: documents and data that it offers by URI.",
    inputSchema: { type: "object", properties: {} },
    hints: HINTS,
    resources: "list",
  },
  {
    name: "read_resource",
    description: "Read a resource of this server.",
    inputSchema: { type: "object", properties: { uri: { type: "string" } }, required: ["uri"] },
    hints: HINTS,
    resources: "read",
  },
];

/** Runs one of them. Rejects as the client does. */
export async function useResources(
  operation: ResourceOperation,
  { uri }: JsonObject,
  { client, options }: { readonly client: Client; readonly options: RequestOptions },
): Promise<AgentToolResult> {
  if (operation === "read") {
    if (typeof uri !== "string" || uri === "")
      return { ...text("uri is needed: the URI of a resource, as list_resources shows it."), isError: true, untrusted: false };
    const { contents } = await client.readResource({ uri }, { ...options, cacheMode: "refresh" });
    return renderResult({ content: contents.map((resource) => ({ type: "resource", resource })) });
  }
  const { resources } = await client.listResources(undefined, { ...options, cacheMode: "refresh" });
  // Servers need not have any.
  const { resourceTemplates } = await client
    .listResourceTemplates(undefined, { ...options, cacheMode: "refresh" })
    .catch(() => ({ resourceTemplates: [] }));
  const lines = [
    ...resources.map((resource) => describeResource(resource.uri, resource)),
    ...resourceTemplates.map((template) => describeResource(template.uriTemplate, template)),
  ];
  if (lines.length === 0) return text("The server has no resources.");
  const rest = lines.length > MAX_LINES ? [`… and ${lines.length - MAX_LINES} more.`] : [];
  return text([...lines.slice(0, MAX_LINES), ...rest].join("\n"));
}

function describeResource(
  uri: string,
  {
    name,
    description,
    mimeType,
  }: { readonly name: string; readonly description?: string | undefined; readonly mimeType?: string | undefined },
): string {
  const about = [name, description]
    .filter((part) => part !== undefined && part !== "")
    .join(": ")
    .replaceAll(/\s+/g, " ")
    .slice(0, MAX_TEXT_CHARS);
  return `${uri} (${about}${mimeType === undefined ? "" : `, ${mimeType}`})`;
}

function text(value: string): AgentToolResult {
  return { content: [{ type: "text", text: value }] };
}
