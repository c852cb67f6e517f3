import * as z from "zod";
import { parserOf } from "../parser-of.ts";
import { ChatSubagentSchema, type ChatSubagent } from "./subagents.ts";

/** A tool call as clients show it. */
export interface ChatToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON text, cut at 4,000 characters. */
  readonly argumentsText: string;
}

/** A file that came with a message. */
export interface ChatFile {
  readonly id: string;
  readonly kind: "image" | "audio" | "video" | "file";
  /** The name that it came with. */
  readonly name?: string;
}

/** A part of a notice, for clients with a layout: a line, a list, rows of name and text, or what somebody else than the gateway has said, in Markdown. */
export type NoticeBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "quote"; readonly text: string }
  | { readonly type: "list"; readonly items: readonly string[] }
  | { readonly type: "rows"; readonly rows: readonly { readonly name: string; readonly text: string }[] };

/** One committed entry of a conversation, as clients show it. Ids are unique in a session and sort in the order of the conversation. */
export type ChatEntry =
  | {
      readonly type: "user";
      readonly id: string;
      readonly timestampMs: number;
      readonly text: string;
      /** The number of attached files, if any. */
      readonly attachments?: number;
      /** Those of them that the gateway keeps; `GET media/<id>?session=<key>` gives their bytes, for as long as it keeps them. */
      readonly files?: readonly ChatFile[];
      readonly sender?: string;
      readonly channel: string;
      readonly idempotencyKey?: string;
      /** The model was not given it: a command, or a message that was dropped. Edited, it is sent as a new message. */
      readonly isAside?: true;
      /** The ids of all versions of the message, oldest first, its own among them: it was edited, or sent again for another answer. Absent for only one. */
      readonly versions?: readonly string[];
    }
  | {
      readonly type: "assistant";
      readonly id: string;
      readonly timestampMs: number;
      readonly text: string;
      readonly thinking?: string;
      readonly toolCalls: readonly ChatToolCall[];
      readonly model: string;
      readonly stopReason: "stop" | "length" | "toolUse" | "aborted" | "error";
      readonly errorMessage?: string;
    }
  /** `text` is cut at 16,000 characters. */
  | {
      readonly type: "tool-result";
      readonly id: string;
      readonly timestampMs: number;
      readonly callId: string;
      readonly name: string;
      readonly text: string;
      readonly isError: boolean;
      /** The call has not failed: the run was stopped. */
      readonly isStopped?: true;
    }
  /**
   * From the gateway, not from the model: a failed run, a message sent by a tool, the answer to a command. `text` is complete; `blocks` is the same with
   * structure.
   */
  | {
      readonly type: "notice";
      readonly id: string;
      readonly timestampMs: number;
      readonly level: "info" | "warning" | "error";
      readonly text: string;
      readonly blocks?: readonly NoticeBlock[];
      /** The run waits for a person: for the decision on a call, or for the answer to a question, with this id. */
      readonly request?: { readonly type: "decision" | "answer"; readonly id: string };
    };

const entryBase = { id: z.string(), timestampMs: z.number() };
const toolCall = { id: z.string(), name: z.string(), argumentsText: z.string() };
const ToolCallSchema = z.lazy(() => z.strictObject(toolCall));

const ChatFileSchema = z.lazy(() =>
  z.strictObject({
    id: z.string(),
    kind: z.enum(["image", "audio", "video", "file"]),
    name: z.string().optional(),
  }),
);

const NoticeBlockSchema = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.enum(["text", "quote"]), text: z.string() }),
    z.strictObject({ type: z.literal("list"), items: z.array(z.string()) }),
    z.strictObject({ type: z.literal("rows"), rows: z.array(z.strictObject({ name: z.string(), text: z.string() })) }),
  ]),
);

/** Parses an entry. */
export const ChatEntrySchema: z.ZodType<ChatEntry> = parserOf<ChatEntry>()(() =>
  z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("user"),
      ...entryBase,
      text: z.string(),
      attachments: z.number().int().positive().optional(),
      files: z.array(ChatFileSchema).optional(),
      sender: z.string().optional(),
      channel: z.string(),
      idempotencyKey: z.string().optional(),
      isAside: z.literal(true).optional(),
      versions: z.array(z.string()).optional(),
    }),
    z.strictObject({
      type: z.literal("assistant"),
      ...entryBase,
      text: z.string(),
      thinking: z.string().optional(),
      toolCalls: z.array(ToolCallSchema),
      model: z.string(),
      stopReason: z.enum(["stop", "length", "toolUse", "aborted", "error"]),
      errorMessage: z.string().optional(),
    }),
    z.strictObject({
      type: z.literal("tool-result"),
      ...entryBase,
      callId: z.string(),
      name: z.string(),
      text: z.string(),
      isError: z.boolean(),
      isStopped: z.literal(true).optional(),
    }),
    z.strictObject({
      type: z.literal("notice"),
      ...entryBase,
      level: z.enum(["info", "warning", "error"]),
      text: z.string(),
      blocks: z.array(NoticeBlockSchema).optional(),
      request: z.strictObject({ type: z.enum(["decision", "answer"]), id: z.string() }).optional(),
    }),
  ]),
);

/** The uncommitted state of a run. A client that joins late can show it as if it had watched from the start. */
export interface LiveRun {
  readonly runId: string;
  readonly startedAtMs: number;
  /** Blocks of the answer that is being written, in order. */
  readonly blocks: readonly { readonly type: "text" | "thinking"; readonly text: string }[];
  /** Running tools, with their output so far (the last 4,000 characters). */
  readonly tools: readonly (ChatToolCall & { readonly output: string })[];
}

const LiveRunSchema = z.lazy(() =>
  z.strictObject({
    runId: z.string(),
    startedAtMs: z.number(),
    blocks: z.array(z.strictObject({ type: z.enum(["text", "thinking"]), text: z.string() })),
    tools: z.array(z.strictObject({ ...toolCall, output: z.string() })),
  }),
);

/**
 * What the messages of a session, or the tools of its run, are waiting for: `held` for more of the same message, `earlier` for earlier work of the session,
 * `restart` for interrupted turns that are resumed one at a time, `place` for one of `limit` runs to end, `tools` for tools of other conversations and
 * `own-tools` for those of this one, of which `limit` may run at once.
 */
export type ChatWait =
  | { readonly type: "held" | "earlier" | "restart" }
  | { readonly type: "place" | "tools" | "own-tools"; readonly limit: number };

const ChatWaitSchema = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.enum(["held", "earlier", "restart"]) }),
    z.strictObject({ type: z.enum(["place", "tools", "own-tools"]), limit: z.number() }),
  ]),
);

/** The initial state of a subscription. Every later event of the session comes after exactly this state. */
export interface ChatSnapshot {
  readonly sessionKey: string;
  /** The newest entries, oldest first: as many as in a page of `chat.history`. */
  readonly entries: readonly ChatEntry[];
  /** Pass as `before` to `chat.history` for older ones; absent at the start of the conversation. */
  readonly before?: string;
  readonly live?: LiveRun;
  /** Inputs queued behind the current run. */
  readonly queued: number;
  /** Absent if nothing waits. */
  readonly wait?: ChatWait;
  /**
   * The sub-agents below the session, oldest first: all open ones, and the newest 200 that have ended and whose sessions still exist. In the session of a
   * sub-agent also itself and those above it, with what they were when the snapshot was taken. Absent without any.
   */
  readonly subagents?: readonly ChatSubagent[];
}

/** Parses a snapshot. */
export const ChatSnapshotSchema: z.ZodType<ChatSnapshot> = parserOf<ChatSnapshot>()(() =>
  z.strictObject({
    sessionKey: z.string(),
    entries: z.array(ChatEntrySchema),
    before: z.string().optional(),
    live: LiveRunSchema.optional(),
    queued: z.number(),
    wait: ChatWaitSchema.optional(),
    subagents: z.array(ChatSubagentSchema).optional(),
  }),
);

/** How a run ended, for clients. */
export interface ChatOutcome {
  readonly type: "done" | "aborted" | "failed";
  /** For `failed` and `aborted`: what happened and what to do. */
  readonly message?: string;
}

/**
 * An event of a session. An `entry` is committed; if it is an assistant's message or a tool result it replaces its part of the live state. `queued` is the
 * number of waiting inputs, `wait` the reason; tools of the run may wait as well, with nothing queued.
 */
export type ChatEvent =
  | { readonly type: "run-start"; readonly runId: string; readonly startedAtMs: number }
  | { readonly type: "block-start"; readonly runId: string; readonly block: "text" | "thinking" }
  | { readonly type: "block-delta"; readonly runId: string; readonly text: string }
  /** The model is asked again: discard the blocks of the unfinished answer. */
  | { readonly type: "answer-restart"; readonly runId: string }
  /** With the id of a running call, of an external agent, it replaces what is known of the call. */
  | { readonly type: "tool-start"; readonly runId: string; readonly call: ChatToolCall }
  | { readonly type: "tool-delta"; readonly runId: string; readonly callId: string; readonly text: string }
  | { readonly type: "entry"; readonly runId?: string; readonly entry: ChatEntry }
  | { readonly type: "run-end"; readonly runId: string; readonly outcome: ChatOutcome }
  | { readonly type: "queue-change"; readonly queued: number; readonly wait?: ChatWait }
  /** The sub-agent of the session, or one below it, has started or changed. */
  | { readonly type: "subagent-change"; readonly subagent: ChatSubagent }
  /** Another branch of the transcript is shown: other entries than before. Subscribe again. */
  | { readonly type: "branch-change" }
  /** The conversation was reset: earlier entries no longer count. */
  | { readonly type: "reset" };

/** Parses an event of a session. */
export const ChatEventSchema: z.ZodType<ChatEvent> = parserOf<ChatEvent>()(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("run-start"), runId: z.string(), startedAtMs: z.number() }),
    z.strictObject({ type: z.literal("block-start"), runId: z.string(), block: z.enum(["text", "thinking"]) }),
    z.strictObject({ type: z.literal("block-delta"), runId: z.string(), text: z.string() }),
    z.strictObject({ type: z.literal("answer-restart"), runId: z.string() }),
    z.strictObject({ type: z.literal("tool-start"), runId: z.string(), call: ToolCallSchema }),
    z.strictObject({ type: z.literal("tool-delta"), runId: z.string(), callId: z.string(), text: z.string() }),
    z.strictObject({ type: z.literal("entry"), runId: z.string().optional(), entry: ChatEntrySchema }),
    z.strictObject({
      type: z.literal("run-end"),
      runId: z.string(),
      outcome: z.strictObject({ type: z.enum(["done", "aborted", "failed"]), message: z.string().optional() }),
    }),
    z.strictObject({ type: z.literal("queue-change"), queued: z.number(), wait: ChatWaitSchema.optional() }),
    z.strictObject({ type: z.literal("subagent-change"), subagent: ChatSubagentSchema }),
    z.strictObject({ type: z.literal("branch-change") }),
    z.strictObject({ type: z.literal("reset") }),
  ]),
);
