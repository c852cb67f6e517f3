import * as z from "zod";
import { RestingModelSchema } from "./status.ts";
import type { RestingModel } from "./status.ts";
import { RunUsageSchema } from "./usage.ts";
import type { RunUsage } from "./usage.ts";
import { parserOf } from "../parser-of.ts";

/** The parts of a model request, in the order in which the reports show them. */
export const CONTEXT_PART_TYPES = ["system", "messages", "prompt", "images", "tools"] as const;

/** Name of a part: system prompt, earlier messages, this turn's text, this turn's images, tools. */
export type ContextPartType = (typeof CONTEXT_PART_TYPES)[number];

/** The size of something. `tokens` is an estimate; only a provider's usage is exact. `bytes` are those of the text in UTF-8. */
export interface ContextSize {
  readonly chars: number;
  readonly bytes: number;
  readonly tokens: number;
}

/** An image as a report shows it: never its data. */
export interface ContextImage {
  readonly mimeType: string;
  readonly bytes: number;
}

/** What was cut from a section before the model got it. */
export interface ContextTruncation {
  readonly keptChars: number;
  readonly totalChars: number;
}

/** One section of a part: a section of the system prompt, a message, a block of the turn's text, an image, a tool. */
export interface ContextSection extends ContextSize {
  /** Unique in its part, and stable across requests for the same thing. */
  readonly id: string;
  /** For people. */
  readonly title: string;
  /** Sections of the system prompt: the half that the cache boundary puts them into. */
  readonly half?: "stable" | "session";
  readonly images?: readonly ContextImage[];
  readonly truncation?: ContextTruncation;
  /** It belongs to a message with words or files of others, which taint a turn. */
  readonly ofOthers?: true;
  /** Only if texts were requested. Known secrets are hidden, image data is replaced by kind and size. */
  readonly text?: string;
  /** Characters cut from the end of `text` in the report; the model got them. */
  readonly omittedChars?: number;
}

/** One part with its sections, in the order of sending. */
export interface ContextPart extends ContextSize {
  readonly type: ContextPartType;
  readonly sections: readonly ContextSection[];
}

/** One difference between two requests. */
export interface ContextChange {
  readonly part: ContextPartType;
  readonly section: string;
  readonly title: string;
  readonly type: "added" | "removed" | "changed";
  readonly charsBefore: number;
  readonly charsAfter: number;
}

/** What changed against an earlier request. */
export interface ContextDiff {
  /** The earlier request. */
  readonly requestId: string;
  readonly turn: number;
  readonly request: number;
  /** The request begins with the earlier one, byte for byte: a provider can read all of that from its cache. */
  readonly prefixHeld: boolean;
  /** The first section that differs, if the prefix changed. */
  readonly firstDifference?: { readonly part: ContextPartType; readonly section: string };
  /** Named causes and breaks since the earlier request, oldest first; they explain the changed prefix. */
  readonly causes: readonly string[];
  readonly changes: readonly ContextChange[];
  /** What could have been read from the provider's cache and was not; absent if nothing, and for a provider that shows no cache. */
  readonly reread?: RereadTokens;
}

/** Tokens of an earlier request that were read at their full price again. */
export interface RereadTokens {
  readonly tokens: number;
  /** More than from the cache, in US dollars; absent if a price is not known. */
  readonly costUsd?: number;
}

/** How a request ended. */
export type ContextOutcome =
  | { readonly type: "answered"; readonly stopReason: string }
  | { readonly type: "failed"; readonly code: string; readonly message: string };

/** One stored model request in a list. */
export interface ContextRequest {
  readonly id: string;
  readonly turnId: string;
  /** The turn's number in its conversation, from 1. */
  readonly turn: number;
  /** The request's number in its turn, from 1. */
  readonly request: number;
  /** The cause of the run. */
  readonly kind: string;
  /** The beginning of what was said in its turn, on one line; absent in traces and replays, and once it is kept no longer (14 days). */
  readonly asked?: string;
  readonly sentAtMs: number;
  readonly durationMs: number;
  /** `provider/model` that was asked. */
  readonly model: string;
  /** Where its key came from; never the key. */
  readonly credential?: string;
  readonly thinking?: string;
  readonly maxOutputTokens?: number;
  readonly cacheRetention: string;
  /** Hash of system prompt and tools. */
  readonly promptHash: string;
  /** Number of messages sent, this turn's included. */
  readonly messages: number;
  /** Named causes and breaks of this request. */
  readonly causes: readonly string[];
  readonly usage: RunUsage;
  readonly outcome: ContextOutcome;
}

/** The content of one request to a model, and its cost. */
export interface ContextReport {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly request: ContextRequest;
  /** True if the report is verified to equal what was sent; false if the conversation's stored form has changed since. */
  readonly exact: boolean;
  /** Tokens. */
  readonly contextWindow?: number;
  readonly prompt: { readonly cause: string; readonly renderedAtMs: number };
  readonly total: ContextSize;
  readonly parts: readonly ContextPart[];
  /** Workspace files that did not fit into the system prompt. */
  readonly cutFiles: readonly ({ readonly name: string; readonly limit: "file" | "total" } & ContextTruncation)[];
  readonly diff?: ContextDiff;
  /** The active cooldowns of the request's provider. */
  readonly resting?: readonly RestingModel[];
}

/** A chunk of a replayed answer. */
export interface ReplayDelta {
  readonly replayId: string;
  readonly block: "text" | "thinking" | "tool-call";
  readonly text: string;
}

/** The result of a replay. */
export interface ReplayResult {
  readonly request: ContextRequest;
  /** `provider/model` that answered now. */
  readonly model: string;
  /** True if the same bytes went to the same model as the first time. */
  readonly exact: boolean;
  readonly text: string;
  /** Tool calls of the model; none of them was run. */
  readonly toolCalls: readonly { readonly name: string; readonly argumentsText: string }[];
  readonly usage: RunUsage;
  readonly outcome: ContextOutcome;
}

const size = { chars: z.number(), bytes: z.number(), tokens: z.number() };
const partType = z.enum(CONTEXT_PART_TYPES);
const truncation = { keptChars: z.number(), totalChars: z.number() };
const outcome = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("answered"), stopReason: z.string() }),
    z.strictObject({ type: z.literal("failed"), code: z.string(), message: z.string() }),
  ]),
);

const section = z.lazy(() =>
  z.strictObject({
    id: z.string(),
    title: z.string(),
    half: z.enum(["stable", "session"]).optional(),
    ...size,
    images: z.array(z.strictObject({ mimeType: z.string(), bytes: z.number() })).optional(),
    truncation: z.strictObject(truncation).optional(),
    ofOthers: z.literal(true).optional(),
    text: z.string().optional(),
    omittedChars: z.number().optional(),
  }),
);

const diff = z.lazy(() =>
  z.strictObject({
    requestId: z.string(),
    turn: z.number(),
    request: z.number(),
    prefixHeld: z.boolean(),
    firstDifference: z.strictObject({ part: partType, section: z.string() }).optional(),
    causes: z.array(z.string()),
    changes: z.array(
      z.strictObject({
        part: partType,
        section: z.string(),
        title: z.string(),
        type: z.enum(["added", "removed", "changed"]),
        charsBefore: z.number(),
        charsAfter: z.number(),
      }),
    ),
    reread: z.strictObject({ tokens: z.number(), costUsd: z.number().optional() }).optional(),
  }),
);

/** Parses a stored request. */
export const ContextRequestSchema: z.ZodType<ContextRequest> = parserOf<ContextRequest>()(() =>
  z.strictObject({
    id: z.string(),
    turnId: z.string(),
    turn: z.number(),
    request: z.number(),
    kind: z.string(),
    asked: z.string().optional(),
    sentAtMs: z.number(),
    durationMs: z.number(),
    model: z.string(),
    credential: z.string().optional(),
    thinking: z.string().optional(),
    maxOutputTokens: z.number().optional(),
    cacheRetention: z.string(),
    promptHash: z.string(),
    messages: z.number(),
    causes: z.array(z.string()),
    usage: RunUsageSchema,
    outcome,
  }),
);

/** Parses a report. */
export const ContextReportSchema: z.ZodType<ContextReport> = parserOf<ContextReport>()(() =>
  z.strictObject({
    sessionKey: z.string(),
    sessionId: z.string(),
    request: ContextRequestSchema,
    exact: z.boolean(),
    contextWindow: z.number().optional(),
    prompt: z.strictObject({ cause: z.string(), renderedAtMs: z.number() }),
    total: z.strictObject(size),
    parts: z.array(z.strictObject({ type: partType, ...size, sections: z.array(section) })),
    cutFiles: z.array(z.strictObject({ name: z.string(), limit: z.enum(["file", "total"]), ...truncation })),
    diff: diff.optional(),
    resting: z.array(RestingModelSchema).optional(),
  }),
);

/** Parses a chunk of a replayed answer. */
export const ReplayDeltaSchema: z.ZodType<ReplayDelta> = parserOf<ReplayDelta>()(() =>
  z.strictObject({
    replayId: z.string(),
    block: z.enum(["text", "thinking", "tool-call"]),
    text: z.string(),
  }),
);

/** Parses the result of a replay. */
export const ReplayResultSchema: z.ZodType<ReplayResult> = parserOf<ReplayResult>()(() =>
  z.strictObject({
    request: ContextRequestSchema,
    model: z.string(),
    exact: z.boolean(),
    text: z.string(),
    toolCalls: z.array(z.strictObject({ name: z.string(), argumentsText: z.string() })),
    usage: RunUsageSchema,
    outcome,
  }),
);
