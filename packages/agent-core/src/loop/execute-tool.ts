import type { AgentTool, AgentToolResult, JsonValue, RunFacts, ToolCall } from "@factotum/agent-contract";
import { describeError, settle } from "./settle.ts";

/** The result of one call, before its text is truncated. */
export interface ToolOutcome {
  readonly content: AgentToolResult["content"];
  readonly details?: JsonValue;
  readonly isError: boolean;
  /** True if it may contain text of others (R23). */
  readonly untrusted: boolean;
  /** The turn ends with it. */
  readonly endsTurn?: true;
}

/** An error outcome from the loop itself. */
export function toolError(text: string): ToolOutcome {
  return { content: [{ type: "text", text }], isError: true, untrusted: false };
}

/** The outcome of a call that ended because the run was stopped: `details` tells clients that it has not failed. */
export function toolStopped(text: string): ToolOutcome {
  return { ...toolError(text), details: { stopped: true } };
}

/** Runs one call. Never rejects: a throwing tool, an invalid result and an abort are outcomes too. */
export async function executeTool(
  tool: AgentTool,
  call: ToolCall,
  options: { readonly signal: AbortSignal; readonly run: RunFacts; readonly tainted: boolean; readonly onDelta: (text: string) => void },
): Promise<ToolOutcome> {
  let open = true;
  const onDelta = (text: string): void => {
    if (open && typeof text === "string" && text !== "") options.onDelta(text);
  };
  const { signal, run, tainted } = options;
  const settled = await settle(() => tool.execute(call, { signal, run, tainted, onDelta }), signal);
  open = false;
  const untrusted = tool.traits.output === "untrusted";
  switch (settled.type) {
    case "value":
      return toOutcome(call, settled.value, untrusted);
    case "error":
      return { ...toolError(`${call.name} failed: ${describeError(settled.error)}`), untrusted };
    case "aborted":
      return toolStopped(
        settled.started
          ? `The run was stopped while ${call.name} was at work. It may have taken effect: look before doing it again.`
          : `${call.name} was not run: the run had been stopped.`,
      );
    default:
      return settled satisfies never;
  }
}

/** Validates a result, because tools come from plugins too. */
function toOutcome(call: ToolCall, result: unknown, untrustedTool: boolean): ToolOutcome {
  const bad = (why: string): ToolOutcome =>
    toolError(`${call.name} gave back something that is no result (${why}). It may have taken effect: look before doing it again.`);
  if (!isRecord(result)) return bad("not an object");
  const { content, details } = result;
  if (!Array.isArray(content) || !content.every(isContent)) return bad("content must be a list of texts and images");
  const clean = content.map((part) => (part.type === "text" ? { ...part, text: part.text.toWellFormed() } : part));
  const isError = result["isError"] === true;
  const isOwnFailure = isError && result["untrusted"] === false;
  const marks = {
    isError,
    untrusted: (untrustedTool && !isOwnFailure) || result["untrusted"] === true,
    ...(result["endsTurn"] === true && !isError ? { endsTurn: true as const } : {}),
  };
  if (details === undefined) return { content: clean, ...marks };
  try {
    // The copy equals what storage returns, and the tool cannot change it later.
    const copy = JSON.parse(JSON.stringify(details)) as JsonValue;
    return { content: clean, details: copy, ...marks };
  } catch (error) {
    return bad(`details cannot be kept as JSON: ${describeError(error)}`);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isContent(part: unknown): part is AgentToolResult["content"][number] {
  if (!isRecord(part)) return false;
  if (part["type"] === "text") return typeof part["text"] === "string";
  return part["type"] === "image" && typeof part["data"] === "string" && typeof part["mimeType"] === "string";
}
