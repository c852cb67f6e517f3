import { withoutUndefined } from "@factotum/agent-contract";
import type { JsonValue } from "@factotum/agent-contract";
import { isObject } from "./check-schema.ts";

/** A prompt as its server describes it, checked. */
export interface ListedPrompt {
  /** The server's own name of it. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly isRequired: boolean }[];
}

/** A list of prompts. */
export interface PromptList {
  readonly prompts: readonly ListedPrompt[];
  /** How many are not offered, because they are malformed or too many. */
  readonly leftOut: number;
}

/** Prompts of one server; further ones are left out. */
const MAX_PROMPTS = 200;
const MAX_ARGUMENTS = 20;
const MAX_NAME_CHARS = 128;
const MAX_TEXT_CHARS = 300;

/** Checks what a server lists. A bad prompt is left out, and leaves the others alone. By name. */
export function parsePrompts(listed: readonly unknown[]): PromptList {
  const prompts = new Map<string, ListedPrompt>();
  for (const entry of listed) {
    const parsed = parsePrompt(entry);
    if (parsed !== undefined && prompts.size < MAX_PROMPTS && !prompts.has(parsed.name)) prompts.set(parsed.name, parsed);
  }
  const sorted = [...prompts.values()].toSorted(({ name: one }, { name: other }) => (one < other ? -1 : 1));
  return { prompts: sorted, leftOut: listed.length - sorted.length };
}

function parsePrompt(entry: unknown): ListedPrompt | undefined {
  if (!isObject(entry)) return undefined;
  const { name, title, description, arguments: listed = [] } = entry;
  if (typeof name !== "string" || name === "" || name.length > MAX_NAME_CHARS) return undefined;
  if (!Array.isArray(listed) || listed.length > MAX_ARGUMENTS) return undefined;
  const found = (listed as readonly JsonValue[]).map(parseArgument);
  const known = found.filter((one) => one !== undefined);
  if (known.length < found.length || new Set(known.map((one) => one.name)).size < known.length) return undefined;
  return {
    name,
    ...withoutUndefined({ title: lineOf(title) || undefined }),
    description: lineOf(description),
    arguments: known,
  };
}

function parseArgument(entry: JsonValue): ListedPrompt["arguments"][number] | undefined {
  if (!isObject(entry)) return undefined;
  const { name, required } = entry;
  return typeof name === "string" && name !== "" && name.length <= MAX_NAME_CHARS ? { name, isRequired: required === true } : undefined;
}

function lineOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim().slice(0, MAX_TEXT_CHARS).toWellFormed() : "";
}
