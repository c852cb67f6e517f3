import type { ImageContent, TextContent } from "./content.ts";
import type { JsonObject, JsonSchema, JsonValue } from "./json.ts";
import type { RunFacts, ToolCaller } from "./run.ts";

/** Side effects of a tool; policies, approvals, retries after a crash and taint depend on them. */
export interface ToolTraits {
  /** `schedule`: it makes what runs later with the authority of this run. `delegate`: it starts or steers a run with at most the authority and with the taint of this one. */
  readonly effect: "read" | "write" | "execute" | "send" | "config" | "schedule" | "delegate";
  /** Running it twice with the same arguments leaves the same state. */
  readonly idempotent: boolean;
  /** `untrusted` if the result may contain text of others (web, mail, media); taints the turn (R23). */
  readonly output: "trusted" | "untrusted";
  readonly network: boolean;
  /** Its requests go to services that the owner has configured alone, at no address of the call, as those of the conversation's model do (R23). */
  readonly ownServices?: true;
  /** Its effect is what the commands do that it passes to the `CommandRunner`, which puts those of sandboxed runs into the sandbox. */
  readonly sandboxed?: true;
  /** What it sends goes to another session, which decides who may send to it: as a send elsewhere it counts for the owner's runs alone. */
  readonly toSessions?: true;
  /** May run concurrently with other calls of the same message. */
  readonly parallel: boolean;
  /** Its calls occupy no place among concurrent tools: they only wait for, or control, work that has one. */
  readonly holdsNoPlace?: true;
}

/** A complete tool call. The arguments are parsed JSON, not yet validated by the tool's own schema. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Options of a tool call. */
export interface ToolOptions extends ToolCaller {
  readonly signal: AbortSignal;
  /** Reports output while the tool runs. For watchers; the model never sees it. Never throws. */
  readonly onDelta: (text: string) => void;
}

/** The result of a tool: `content` for the model, `details` for programs. */
export interface AgentToolResult {
  readonly content: readonly (TextContent | ImageContent)[];
  readonly details?: JsonValue;
  readonly isError?: boolean;
  /**
   * True if this result contains text of others although the tool's trait says `trusted`: a file of the media store (R23). False on a failure whose text is the
   * tool's own although the trait says `untrusted`: nothing was requested. Without `isError`, false counts as absent.
   */
  readonly untrusted?: boolean;
  /** The turn ends with this result: later calls are skipped, and the model is not asked again. Without effect on a failure. */
  readonly endsTurn?: boolean;
}

/** What the messages of a session can be, for tools whose schema depends on it. */
export interface MessagingFeatures {
  /** The actions of the `message` tool that work in the conversation, or in one that can be addressed. */
  readonly actions: readonly string[];
  /** Messages can go to other conversations. */
  readonly elsewhere: boolean;
  readonly ephemeral: boolean;
  readonly silent: boolean;
  readonly threads: boolean;
}

/** A tool's name, description and schema, for a model request. */
export interface ToolSchema {
  /** `[A-Za-z0-9_-]`, at most 64 characters, unique in a request. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** What a call would do, for the owner who decides on it (R21). */
export type InspectedCall =
  | {
      readonly type: "action";
      /** The whole action as the owner reads it, such as the command line. */
      readonly text: string;
      /** Everything that decides what the call does. A decision counts for calls with an equal binding alone. */
      readonly binding: JsonValue;
      /** The words of a command that runs without a shell; absent if it needs one. */
      readonly argv?: readonly string[];
      /** Those of its words that name the gateway's own files, or a folder around them. */
      readonly reservedWords?: readonly string[];
      /** What it does is known only when it runs, so that a decision cannot hold for later calls. */
      readonly onceOnly?: true;
    }
  /** The call would fail; `message` is for the model. */
  | { readonly type: "invalid"; readonly message: string };

/** A tool that an agent can call. */
export interface AgentTool extends ToolSchema {
  /** One line for the Tooling section of the prompt. */
  readonly summary: string;
  /** Of the call that does the most. */
  readonly traits: ToolTraits;
  /** The traits of one call, for a tool whose calls differ; policy and approvals decide by them. Never more than `traits` allow. */
  traitsFor?(call: ToolCall): ToolTraits;
  /** The description and schema for a session with these features; absent if they do not depend on them. `execute` accepts calls of the whole schema. */
  narrow?(features: MessagingFeatures): Pick<ToolSchema, "description" | "parameters">;
  /** What the call would do right now, without doing it. Absent if the name and the arguments say it all. */
  inspect?(call: ToolCall, run: RunFacts): Promise<InspectedCall>;
  /** Names a file that the call would change and later turns follow as instructions (R23); `undefined` without one. Absent: it never changes one. */
  changedInstructions?(call: ToolCall, run: RunFacts): Promise<string | undefined>;
  /**
   * Runs the call. Invalid arguments and failures that the model can act on are results with `isError`; the loop turns a rejection into such a result. After an
   * abort it settles soon; its result is ignored then.
   */
  execute(call: ToolCall, options: ToolOptions): Promise<AgentToolResult>;
}

/** What became of a prompt that was asked for. `untrusted`: the text may be that of others (R23). */
export type FilledPrompt =
  | { readonly type: "filled"; readonly text: string; readonly untrusted: boolean }
  /** `text` says why, and what to do. */
  | { readonly type: "failed"; readonly text: string; readonly untrusted: boolean };

/** A message that a source has ready for people: a slash command of the owner. */
export interface SourcePrompt {
  /** Without the slash: `[A-Za-z0-9_-]`, at most 64 characters. The policy of tools decides on it as on a tool of this name. */
  readonly name: string;
  /** One line for people; it may be text of others. */
  readonly summary: string;
  readonly arguments: readonly { readonly name: string; readonly isRequired: boolean }[];
  /** Asks the source for the message. Never rejects. */
  fill(given: Readonly<Record<string, string>>, options: { readonly run: RunFacts; readonly signal: AbortSignal }): Promise<FilledPrompt>;
}

/** A slash command that a source answers without a model, for the owner. */
export interface SourceCommand {
  /** Without the slash: `[A-Za-z0-9_-]`, at most 64 characters. */
  readonly name: string;
  /** One line for people; it may be text of others. */
  readonly summary: string;
  /** Its answers may be text of others (R23). */
  readonly untrusted: boolean;
  /** Resolves with the answer for the sender, or with why it has none. `words`: what follows the name. Rejects with the signal's reason once that has fired. */
  run(words: string, options: Pick<RunFacts, "agentId" | "sessionKey"> & { readonly signal: AbortSignal }): Promise<string>;
}

/** Provides tools: the product itself, a plugin, a server. Every tool that a model can call comes from a source. */
export interface ToolSource {
  /** `core` for the product's own. Unique among the sources of a gateway. */
  readonly id: string;
  /** On a name conflict the earlier source wins. A source that changes provides another list, and leaves the earlier one as it is. */
  readonly tools: readonly AgentTool[];
  /** What the names of all its tools begin with, so that a source is not prepared for an agent that may use none of them. Absent: anything. */
  readonly namePrefix?: string;
  /** Absent: none. */
  readonly prompts?: readonly SourcePrompt[];
  /** Absent: none. Of two with one name the earlier source's counts. */
  readonly commands?: readonly SourceCommand[];
  /** Why it cannot be used now, in a few words for the owner; it may hold text of others. Absent: nothing is wrong. */
  readonly problem?: string | undefined;
  /** Called before the tools of a session are fixed: resolves when `tools` is known, or soon if it cannot be. Never rejects. */
  prepare?(options: Pick<RunFacts, "agentId" | "workspace" | "sandbox"> & { readonly signal: AbortSignal }): Promise<void>;
}
