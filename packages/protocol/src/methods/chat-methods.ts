import * as z from "zod";
import type { AgentRunResult } from "../shapes/agent-run.ts";
import { ChatEntrySchema, ChatSnapshotSchema, type ChatEntry, type ChatSnapshot } from "../shapes/chat.ts";
import { MAX_CHAT_ATTACHMENTS, type ChatAttachment } from "../webchat.ts";
import { RunUsageSchema } from "../shapes/usage.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { idempotencyKey, key, limit } from "./params.ts";

/** Methods of a conversation with an agent. */
export interface ChatMethods {
  /**
   * Sends a message to a session: text, previously uploaded files, or both. Resolves once it is committed; deduplicated by `idempotencyKey`, which `retryKey`
   * creates for another attempt at a failed message. Without a session key: the agent's main session.
   */
  "chat.send": {
    params: {
      readonly sessionKey?: string;
      readonly agentId?: string;
      readonly text: string;
      readonly attachments?: readonly ChatAttachment[];
      readonly idempotencyKey: string;
    };
    result: { readonly sessionKey: string; readonly status: "accepted" | "duplicate" };
  };
  /**
   * Entries before a position, newest page first, oldest first inside the page. `limit` 50 by default, 200 at most; a page has less if its entries would be
   * larger than 1 MiB together, but at least one.
   */
  "chat.history": {
    params: { readonly sessionKey: string; readonly before?: string; readonly limit?: number };
    result: { readonly entries: readonly ChatEntry[]; readonly before?: string };
  };
  /**
   * Sends a message of the person, the newest one without `entryId`, again with another text, in a new branch of the transcript from before that message; the files that the gateway keeps of it
   * go with it. The branch of before is kept: `versions` of the entries name it, and `chat.branch` shows it. Resolves once it is committed; deduplicated by
   * `idempotencyKey`. Rejects with `conflict` while the conversation has work. An aside, which the model was not given, is sent as a new message (`isNew`).
   */
  "chat.edit": {
    params: { readonly sessionKey: string; readonly entryId?: string; readonly text: string; readonly idempotencyKey: string };
    result: SentVersion;
  };
  /** Asks for another answer to a message of the person, the newest one without `entryId`: like `chat.edit` with its own text. */
  "chat.regenerate": {
    params: { readonly sessionKey: string; readonly entryId?: string; readonly idempotencyKey: string };
    result: SentVersion;
  };
  /** The messages that were edited or sent again, oldest first. */
  "chat.branches": {
    params: { readonly sessionKey: string };
    result: { readonly branches: readonly MessageVersions[] };
  };
  /** Continues the newest branch that has an entry. `changed` is false if it is shown already. Rejects with `conflict` while the conversation has work. */
  "chat.branch": {
    params: { readonly sessionKey: string; readonly entryId: string };
    result: { readonly sessionKey: string; readonly changed: boolean };
  };
  /** Subscribes this connection to the session's events and returns the snapshot that they continue from. Every call returns a fresh one. */
  "chat.subscribe": { params: { readonly sessionKey?: string; readonly agentId?: string; readonly limit?: number }; result: ChatSnapshot };
  "chat.unsubscribe": { params: { readonly sessionKey: string }; result: { readonly subscribed: boolean } };
  /** Ends the current run of a session and its sub-agents, and drops queued inputs if `queued` is true. `aborted`: something ran. */
  "chat.abort": {
    params: { readonly sessionKey: string; readonly runId?: string; readonly queued?: boolean };
    result: { readonly aborted: boolean; readonly dropped: number };
  };
  /** Sends a message and waits for the answer: the end of the run, or of the one that answers the results of its sub-agents, if it waits for them. */
  agent: {
    params: { readonly message: string; readonly agentId?: string; readonly sessionKey?: string; readonly idempotencyKey: string };
    result: AgentRunResult;
  };
}

/** How a version of a message was sent. */
export interface SentVersion {
  readonly sessionKey: string;
  readonly status: "accepted" | "duplicate";
  /** Files of the message that the gateway does not keep any longer, and that were not sent again; absent for none. */
  readonly leftOut?: number;
  /** It is no version: the edited message was an aside, and the text was sent as a new message. */
  readonly isNew?: true;
}

/** A message with several versions. */
export interface MessageVersions {
  /** Oldest first. `text` is cut at 200 characters. */
  readonly versions: readonly {
    readonly entryId: string;
    readonly timestampMs: number;
    readonly text: string;
    readonly isShown: boolean;
  }[];
}

const entryId = z.string().min(1).max(200);

const SentVersionSchema = z.lazy(() =>
  z.strictObject({
    sessionKey: z.string(),
    status: z.enum(["accepted", "duplicate"]),
    leftOut: z.number().int().positive().optional(),
    isNew: z.literal(true).optional(),
  }),
);

const MessageVersionsSchema = z.lazy(() =>
  z.strictObject({
    versions: z.array(z.strictObject({ entryId: z.string(), timestampMs: z.number(), text: z.string(), isShown: z.boolean() })),
  }),
);

const AttachmentSchema = z.lazy(() =>
  z.strictObject({
    ref: z.string().regex(/^upload:[0-9a-f]{32}$/),
    kind: z.enum(["image", "audio", "video", "file"]).optional(),
    fileName: z.string().max(200).optional(),
  }),
);

/** Rows of the conversation methods. */
export const CHAT_METHODS: MethodTable<ChatMethods> = defineMethods<ChatMethods>()({
  "chat.send": {
    access: "owner",
    stores: true,
    params: () =>
      z
        .strictObject({
          sessionKey: key.optional(),
          agentId: key.optional(),
          text: z.string().max(500_000),
          attachments: z.array(AttachmentSchema).max(MAX_CHAT_ATTACHMENTS).optional(),
          idempotencyKey,
        })
        .refine(({ text, attachments = [] }) => text !== "" || attachments.length > 0, {
          path: ["text"],
          message: "there is nothing to say",
        }),
    result: () => z.strictObject({ sessionKey: z.string(), status: z.enum(["accepted", "duplicate"]) }),
  },
  "chat.history": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ sessionKey: key, before: z.string().max(200).optional(), limit: limit.optional() }),
    result: () => z.strictObject({ entries: z.array(ChatEntrySchema), before: z.string().optional() }),
  },
  "chat.edit": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ sessionKey: key, entryId: entryId.optional(), text: z.string().min(1).max(500_000), idempotencyKey }),
    result: () => SentVersionSchema,
  },
  "chat.regenerate": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ sessionKey: key, entryId: entryId.optional(), idempotencyKey }),
    result: () => SentVersionSchema,
  },
  "chat.branches": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ sessionKey: key }),
    result: () => z.strictObject({ branches: z.array(MessageVersionsSchema) }),
  },
  "chat.branch": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ sessionKey: key, entryId }),
    result: () => z.strictObject({ sessionKey: z.string(), changed: z.boolean() }),
  },
  "chat.subscribe": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ sessionKey: key.optional(), agentId: key.optional(), limit: limit.optional() }),
    result: () => ChatSnapshotSchema,
  },
  "chat.unsubscribe": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ sessionKey: key }),
    result: () => z.strictObject({ subscribed: z.boolean() }),
  },
  "chat.abort": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ sessionKey: key, runId: z.string().max(200).optional(), queued: z.boolean().optional() }),
    result: () => z.strictObject({ aborted: z.boolean(), dropped: z.number() }),
  },
  agent: {
    access: "owner",
    stores: true,
    params: () =>
      z.strictObject({
        message: z.string().min(1).max(500_000),
        agentId: key.optional(),
        sessionKey: key.optional(),
        idempotencyKey,
      }),
    result: () =>
      z.strictObject({
        sessionKey: z.string(),
        runId: z.string(),
        outcome: z.strictObject({ type: z.enum(["done", "aborted", "failed"]), message: z.string().optional() }),
        text: z.string(),
        usage: RunUsageSchema,
        remarks: z.array(z.string()).optional(),
        notices: z.array(z.string()).optional(),
        thoughts: z.string().optional(),
      }),
  },
});
