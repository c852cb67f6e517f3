import { isAbsolute, resolve } from "node:path";
import type { ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import { EXTERNAL_CALL } from "@factotum/agent-contract";
import type { ChatToolCall } from "@factotum/protocol";
import { showExternalCall } from "./external-call.ts";
import type { ShownCall } from "./shown-call.ts";

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: "read",
  ls: "read",
  memory_get: "read",
  grep: "search",
  find: "search",
  memory_search: "search",
  web_search: "search",
  tool_search: "search",
  write: "edit",
  edit: "edit",
  apply_patch: "edit",
  exec: "execute",
  process: "execute",
  web_fetch: "fetch",
  browser: "fetch",
};

/** Names of the argument that says most about a call. */
const TELLING = ["command", "path", "file_path", "pattern", "query", "url", "action", "name"] as const;

const PATH_NAMES = ["path", "file_path"] as const;

const MAX_TITLE_CHARS = 160;

/** Describes a call. Relative paths are those of `workspace`; arguments that were cut say less. */
export function showCall({ name, argumentsText }: Pick<ChatToolCall, "name" | "argumentsText">, workspace: string): ShownCall {
  const given = parseArguments(argumentsText);
  if (name === EXTERNAL_CALL && given !== undefined) return showExternalCall(given);
  const paths = given === undefined ? pathsOfText(argumentsText) : pathsOf(name, given);
  const telling = TELLING.map((key) => given?.[key]).find((value) => typeof value === "string" && value !== "");
  const detail = typeof telling === "string" ? telling : paths[0];
  return {
    title: titleOf(name, detail),
    kind: KINDS[name] ?? "other",
    locations: paths.filter((path) => !path.startsWith("~")).map((path) => ({ path: resolve(workspace, path), ...lineOf(given) })),
    diffs: given === undefined ? [] : diffsOf(name, given, workspace),
  };
}

/** The arguments of a call; `undefined` for text that is no object, or was cut. */
export function parseArguments(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function titleOf(name: string, detail: string | undefined): string {
  const line = (detail ?? "").split("\n", 1)[0]?.trim() ?? "";
  const title = line === "" ? name : `${name} ${line}`;
  return title.length > MAX_TITLE_CHARS ? `${title.slice(0, MAX_TITLE_CHARS).toWellFormed()}…` : title;
}

function pathsOf(name: string, given: Readonly<Record<string, unknown>>): readonly string[] {
  if (name === "apply_patch" && typeof given["patch"] === "string")
    return [...given["patch"].matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, path = ""]) => path.trim());
  const path = PATH_NAMES.map((key) => given[key]).find((value) => typeof value === "string");
  return typeof path === "string" && KINDS[name] !== undefined ? [path] : [];
}

/** The path in arguments that were cut: it comes before the long ones. */
function pathsOfText(text: string): readonly string[] {
  const [, quoted] = /"(?:path|file_path)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
  const path: unknown = quoted === undefined ? undefined : parseArguments(`{"path":${quoted}}`)?.["path"];
  return typeof path === "string" ? [path] : [];
}

function lineOf(given: Readonly<Record<string, unknown>> | undefined): { readonly line?: number } {
  const line = given?.["offset"];
  return typeof line === "number" && Number.isInteger(line) && line > 0 ? { line } : {};
}

function diffsOf(name: string, given: Readonly<Record<string, unknown>>, workspace: string): ToolCallContent[] {
  const [named] = pathsOf(name, given);
  if (named === undefined || named.startsWith("~")) return [];
  const path = isAbsolute(named) ? named : resolve(workspace, named);
  if (name === "write" && typeof given["content"] === "string") return [{ type: "diff", path, oldText: null, newText: given["content"] }];
  if (name !== "edit" || !Array.isArray(given["edits"])) return [];
  return given["edits"].flatMap((edit: unknown): ToolCallContent[] =>
    isEdit(edit) ? [{ type: "diff", path, oldText: edit.oldText, newText: edit.newText }] : [],
  );
}

function isEdit(value: unknown): value is { readonly oldText: string; readonly newText: string } {
  return (
    typeof value === "object" &&
    value !== null &&
    "oldText" in value &&
    typeof value.oldText === "string" &&
    "newText" in value &&
    typeof value.newText === "string"
  );
}
