import type { ImageContent, TextContent } from "./content.ts";
import type { JsonObject, JsonSchema, JsonValue } from "./json.ts";
import type { RunFacts } from "./run.ts";

/** What a tool does to the world; policies, approvals, retries after a crash and taint are decided from it. */
export interface ToolTraits {
  readonly effect: "read" | "write" | "execute" | "send" | "config";
  /** Running it twice with the same arguments leaves the same state. */
  readonly idempotent: boolean;
  /** `untrusted` when the result can hold words of strangers (web, mail, media); taints the turn (R23). */
  readonly output: "trusted" | "untrusted";
  readonly network: boolean;
  /** May run beside other calls of the same message. */
  readonly parallel: boolean;
}

/** A complete tool call. The arguments are parsed JSON, not yet validated by the tool's own schema. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** What the loop hands to a tool beside the call. */
export interface ToolOptions {
  readonly signal: AbortSignal;
  readonly run: RunFacts;
  /** The model had been given text of somebody who is not the owner when it made this call (R23). */
  readonly tainted: boolean;
  /** Reports output while the tool runs. For people who watch; the model never sees it. Never throws. */
  readonly onDelta: (text: string) => void;
}

/** What a tool answers. `content` is what the model sees, `details` what programs see. */
export interface AgentToolResult {
  readonly content: readonly (TextContent | ImageContent)[];
  readonly details?: JsonValue;
  readonly isError?: boolean;
  /** True when this result holds words of strangers although the tool's trait says `trusted`: a file of the media store (R23). */
  readonly untrusted?: boolean;
}

/** A tool's name, words and schema: all that a model request needs to know of it. */
export interface ToolSchema {
  /** `[A-Za-z0-9_-]`, at most 64 characters, unique in a request. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** A tool that an agent can call. */
export interface AgentTool extends ToolSchema {
  /** One line for the Tooling section of the prompt. */
  readonly summary: string;
  readonly traits: ToolTraits;
  /**
   * Runs the call. Bad arguments and failures that the model can act on are results with `isError`; a rejection is turned into such a
   * result by the loop. After an abort it settles soon; what it then returns is ignored.
   */
  execute(call: ToolCall, options: ToolOptions): Promise<AgentToolResult>;
}

/** Where tools come from: the product itself, a plugin, a server. Everything that a model can call arrives this way. */
export interface ToolSource {
  /** `core` for the product's own. Unique among the sources of a gateway. */
  readonly id: string;
  /** A name that an earlier source has taken stays that one's. */
  readonly tools: readonly AgentTool[];
}
