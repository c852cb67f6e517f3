import { jsonrepair } from "jsonrepair";
import type { WrittenCall } from "../tagged-text/tagged-parts.ts";
import { parseArguments } from "../stream/parse-arguments.ts";

/**
 * The tool name of an unreadable call. No tool has this name, so the loop answers it with an error like every unknown tool, runs nothing, and the model can try
 * again.
 */
export const UNREADABLE_CALL = "invalid_tool_call";

const NAME = /^[\w.-]{1,64}$/;

/**
 * Parses the text between the tags of a call. Broken JSON is repaired once if the block was closed; a block cut by the end of the answer must be complete.
 * Never fails: anything else becomes a call of `UNREADABLE_CALL`.
 */
export function parseCall(body: string, { closed }: { readonly closed: boolean }): WrittenCall {
  const call = readCall(body) ?? (closed ? readCall(repair(body)) : undefined);
  return call ?? { name: UNREADABLE_CALL, argumentsText: "{}" };
}

function readCall(text: string): WrittenCall | undefined {
  const call = parseArguments(text.trim());
  if (call === undefined || typeof call.name !== "string" || !NAME.test(call.name)) return undefined;
  const given = call.arguments ?? call.parameters ?? {};
  // Some models write the arguments as in OpenAI's wire format: JSON in a string.
  const written = parseArguments(typeof given === "string" ? given : JSON.stringify(given));
  return written === undefined ? undefined : { name: call.name, argumentsText: JSON.stringify(written) };
}

function repair(text: string): string {
  try {
    return jsonrepair(text);
  } catch (error) {
    // Not repairable: the caller reports it to the model.
    if (error instanceof Error) return "null";
    throw error;
  }
}
