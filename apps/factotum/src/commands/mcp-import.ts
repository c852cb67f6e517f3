import { readFile } from "node:fs/promises";
import type { JsonObject, JsonValue } from "@factotum/agent-contract";
import { formatOf, parseText } from "@factotum/config";
import { bearerVariable } from "../extensions/bearer-variable.ts";
import { CliError } from "../runtime/cli-error.ts";

/** A server of another program's file. */
export interface ImportedServer {
  readonly name: string;
  /** As `mcp.servers` takes it, with secrets as they are in the file. */
  readonly settings: JsonObject;
  /** What could not be taken over, each with what to do. */
  readonly notes: readonly string[];
}

/** A server that cannot be taken over. */
export interface RefusedServer {
  readonly name: string;
  readonly reason: string;
}

/** Reads an `mcp.json`: `mcpServers` of Claude Desktop and Cursor, `servers` of VS Code, with or without comments. Rejects with what is wrong with the file. */
export async function readMcpFile(path: string): Promise<readonly (ImportedServer | RefusedServer)[]> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new CliError("failure", `${path} cannot be read: ${error instanceof Error ? error.message : "unknown reason"}.`, {
      cause: error,
    });
  }
  const parsed = await parseText(text, formatOf("mcp.json5"));
  if (parsed.type !== "document")
    throw new CliError("failure", `${path} is not JSON.`, { fix: "Name the mcp.json of Claude Desktop, Cursor or VS Code." });
  const listed = parsed.document["mcpServers"] ?? parsed.document["servers"];
  if (!isObject(listed))
    throw new CliError("failure", `${path} has neither mcpServers nor servers.`, {
      fix: "Name the mcp.json of Claude Desktop, Cursor or VS Code.",
    });
  return Object.entries(listed).map(([name, entry]) => parseServer(name, entry));
}

function parseServer(name: string, entry: JsonValue | undefined): ImportedServer | RefusedServer {
  if (!isObject(entry)) return { name, reason: "its entry is no object" };
  const { command, url, serverUrl, type, disabled } = entry;
  const notes: string[] = [];
  const off = disabled === true ? { enabled: false } : {};
  const address = url ?? serverUrl;
  if (typeof command === "string" && command !== "") {
    const args = Array.isArray(entry["args"]) ? (entry["args"] as readonly JsonValue[]).map(String) : [];
    const foreign = [command, ...args].find((word) => word.includes("${"));
    if (foreign !== undefined) return { name, reason: `${foreign} has a variable of the other program; write its value, and import again` };
    if (typeof entry["envFile"] === "string")
      notes.push(`envFile is not read: add its variables with factotum config set 'mcp.servers[${JSON.stringify(name)}].env'`);
    const cwd = typeof entry["cwd"] === "string" && !entry["cwd"].includes("${") ? { cwd: entry["cwd"] } : {};
    return { name, settings: { command, args, ...valuesOf(entry, "env", name, notes), ...cwd, ...off }, notes };
  }
  if (typeof address !== "string" || !/^https?:\/\//.test(address)) return { name, reason: "it has neither a command nor an address" };
  const transport = type === "sse" || entry["transport"] === "sse" ? { transport: "sse" } : {};
  return { name, settings: { url: address, ...transport, ...valuesOf(entry, "headers", name, notes), ...off }, notes };
}

/** Variables or headers, and a bearer token. `${env:NAME}` is a variable of the gateway here; other values that are asked for, or put together, have to be set. */
function valuesOf(entry: JsonObject, key: "env" | "headers", name: string, notes: string[]): JsonObject {
  const written = entry[key];
  if (!isObject(written)) return {};
  const values: Record<string, JsonValue> = {};
  let auth = {};
  for (const [one, value] of Object.entries(written)) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const [, variable] = /^\$\{(?:env:)?([A-Za-z_]\w*)\}$/.exec(text) ?? [];
    const bearer = key === "headers" ? bearerVariable(one, text) : undefined;
    if (variable !== undefined) values[one] = { env: variable };
    else if (bearer !== undefined) auth = { auth: { env: bearer } };
    else if (text.includes("${"))
      notes.push(
        `${key}.${one} is not taken over: set it as a variable of the gateway, with factotum config set 'mcp.servers[${JSON.stringify(name)}].${key}[${JSON.stringify(one)}]' '{ env: "NAME" }'`,
      );
    else if (text !== "") values[one] = text;
  }
  return { ...(Object.keys(values).length === 0 ? {} : { [key]: values }), ...auth };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
