import * as z from "zod";
import type { AgentRunResult } from "./agent-run.ts";
import { ChatEntrySchema, ChatSnapshotSchema } from "./chat.ts";
import type { ChatEntry, ChatSnapshot } from "./chat.ts";
import { ConfigReloadResultSchema } from "./config.ts";
import type { ConfigReloadResult } from "./config.ts";
import { ContextReportSchema, ContextRequestSchema, ReplayResultSchema } from "./context.ts";
import type { ContextReport, ContextRequest, ReplayResult } from "./context.ts";
import { DeadLetterSchema } from "./dead-letters.ts";
import type { DeadLetter } from "./dead-letters.ts";
import { SESSION_KINDS, SessionImportReportSchema, SessionSummarySchema } from "./sessions.ts";
import type { SessionImportReport, SessionKind, SessionSummary } from "./sessions.ts";
import { GatewayStatusSchema } from "./status.ts";
import type { GatewayStatus } from "./status.ts";
import { RunUsageSchema } from "./usage.ts";
import { DamageEventsSchema } from "./damage.ts";
import type { DamageEvent } from "./damage.ts";
import { GatewayWarningsSchema } from "./warnings.ts";
import type { GatewayWarning } from "./warnings.ts";
import type { SameShape } from "./parser-of.ts";
import { MAX_CHAT_ATTACHMENTS } from "./webchat.ts";
import type { ChatAttachment } from "./webchat.ts";

/** Every method with its parameters and result. */
export interface RpcMethods {
  /**
   * Says something in a session: words, images that were handed in before, or both. Resolves once it is committed; the same `idempotencyKey` is said
   * once. Without a key: the agent's main session.
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
  /** Entries before a point, newest page first, oldest first inside the page. `limit` 50 by default, 200 at most. */
  "chat.history": {
    params: { readonly sessionKey: string; readonly before?: string; readonly limit?: number };
    result: { readonly entries: readonly ChatEntry[]; readonly before?: string };
  };
  /** Begins to send the session's events to this connection and answers with the state they follow on. Again: a fresh snapshot. */
  "chat.subscribe": { params: { readonly sessionKey?: string; readonly agentId?: string; readonly limit?: number }; result: ChatSnapshot };
  "chat.unsubscribe": { params: { readonly sessionKey: string }; result: { readonly subscribed: boolean } };
  /** Ends the current run of a session, and drops what waits behind it if `queued` is true. */
  "chat.abort": {
    params: { readonly sessionKey: string; readonly runId?: string; readonly queued?: boolean };
    result: { readonly aborted: boolean; readonly dropped: number };
  };
  /** Says something and waits for the end of the run. */
  agent: {
    params: { readonly message: string; readonly agentId?: string; readonly sessionKey?: string; readonly idempotencyKey: string };
    result: AgentRunResult;
  };
  "agents.list": {
    params: Record<string, never>;
    result: {
      readonly agents: readonly {
        readonly id: string;
        readonly name: string;
        readonly isDefault: boolean;
        readonly mainSessionKey: string;
      }[];
    };
  };
  /**
   * Newest activity first. `limit` 50 by default, 200 at most; `cursor` from the page before. With `kinds` a page can be shorter than `limit` though more
   * follow: a page looks at 200 sessions at most.
   */
  "sessions.list": {
    params: {
      readonly agentId?: string;
      readonly kinds?: readonly SessionKind[];
      readonly activeMinutes?: number;
      readonly limit?: number;
      readonly cursor?: string;
    };
    result: { readonly sessions: readonly SessionSummary[]; readonly cursor?: string };
  };
  /** A session with every field that is known of it, named as in a `sessions.json`. */
  "sessions.show": {
    params: { readonly key: string };
    result: { readonly session: SessionSummary; readonly entry: Readonly<Record<string, unknown>> };
  };
  /**
   * The next lines of a session's plain file, each with its line break; the first one is its header. `after` and `sessionId` are those of the part before;
   * without `after` in the answer it was the last part.
   */
  "sessions.export": {
    params: { readonly key: string; readonly sessionId?: string; readonly after?: string };
    result: { readonly sessionId: string; readonly lines: readonly string[]; readonly after?: string };
  };
  /**
   * Imports a folder with a `sessions.json`, or one transcript, from an absolute path on the gateway's machine. With `agentId` everything becomes that
   * agent's; `key` is for a single transcript; `dryRun` only says what would happen.
   */
  "sessions.import": {
    params: { readonly path: string; readonly agentId?: string; readonly key?: string; readonly dryRun?: boolean };
    result: SessionImportReport;
  };
  /** Finds a session by key (exactly, then without case if that is unique) or by label. */
  "sessions.resolve": {
    params: { readonly key?: string; readonly label?: string; readonly agentId?: string };
    result: { readonly session: SessionSummary };
  };
  /** Changes the session's own settings; `null` clears one. */
  "sessions.patch": {
    params: { readonly key: string; readonly label?: string | null; readonly sendPolicy?: "allow" | "deny" | null };
    result: { readonly session: SessionSummary };
  };
  /** Starts the conversation anew; the old transcript is kept. */
  "sessions.reset": { params: { readonly key: string }; result: { readonly session: SessionSummary } };
  /** Removes a session; its file stays as `<id>.jsonl.deleted.<time>` until maintenance. A running one is aborted first. */
  "sessions.delete": { params: { readonly key: string }; result: { readonly deleted: boolean } };
  /** The kept model requests of a session, newest first. `limit` 50 by default, 200 at most; `before` from the page before. */
  "context.list": {
    params: { readonly sessionKey: string; readonly limit?: number; readonly before?: string };
    result: { readonly requests: readonly ContextRequest[]; readonly before?: string };
  };
  /**
   * What a model was given in one request: by `id`, by `turn` (its number in the conversation from 1, or its id) and `request` (its number in the turn; the
   * last one when left out), else the newest. `diff` compares with the last request of another turn, or with the one before.
   */
  "context.report": {
    params: {
      readonly sessionKey?: string;
      readonly id?: string;
      readonly turn?: number | string;
      readonly request?: number;
      readonly diff?: number | "previous";
      /** Texts too; sizes only when left out. */
      readonly texts?: boolean;
    };
    result: ContextReport;
  };
  /** Sends a kept request again, to its model or another. The answer comes as `replay` events and at the end; the conversation does not change. */
  "context.replay": {
    params: {
      readonly sessionKey?: string;
      readonly id?: string;
      readonly turn?: number | string;
      readonly request?: number;
      readonly model?: string;
      /** The caller's own; its `replay` events carry it. */
      readonly replayId: string;
    };
    result: ReplayResult;
  };
  /** What failed for good, newest first. `limit` 50 by default, 200 at most; `cursor` from the page before. */
  "deadletters.list": {
    params: { readonly type?: DeadLetter["type"]; readonly limit?: number; readonly cursor?: string };
    result: { readonly letters: readonly DeadLetter[]; readonly cursor?: string };
  };
  /** One of them with what is stored: the message as it came, or the part as it should have gone. */
  "deadletters.show": { params: { readonly id: string }; result: { readonly letter: DeadLetter; readonly payload?: unknown } };
  /** Tries one again with attempts of its own. One that may have been shown is refused with `conflict` unless `risk` is true. */
  "deadletters.replay": {
    params: { readonly id: string; readonly risk?: boolean };
    result: { readonly replayed: true; readonly sessionKey: string };
  };
  /** Forgets some: those named, or those that failed before a time. Gives how many were there. */
  "deadletters.purge": {
    params: { readonly ids?: readonly string[]; readonly failedBeforeMs?: number };
    result: { readonly purged: number };
  };
  status: { params: Record<string, never>; result: GatewayStatus };
  /** What of the gateway its owner should know now, the worst first. Changes come as `warnings-change`. */
  "warnings.list": { params: Record<string, never>; result: { readonly warnings: readonly GatewayWarning[] } };
  /** Damage of the stored state that nobody has acknowledged yet, oldest first. */
  "damage.list": { params: Record<string, never>; result: { readonly events: readonly DamageEvent[] } };
  /** Ends the notice of damage: of those named, of all when none is. Gives those that it ended. */
  "damage.acknowledge": { params: { readonly ids?: readonly string[] }; result: { readonly acknowledged: readonly DamageEvent[] } };
  /** Looks at the configuration file at once, and goes on with it if it is good. */
  "config.reload": { params: Record<string, never>; result: ConfigReloadResult };
  /** Has a process of its own end the gateway and start it again, with the environment that it has now. */
  "gateway.restart": { params: Record<string, never>; result: { readonly restarting: true } };
  /** Drains and ends the gateway. */
  "gateway.shutdown": { params: { readonly reason?: string }; result: { readonly stopping: true } };
}

/** Name of a method. */
export type RpcMethod = keyof RpcMethods;

/** A method without one of these does not compile. */
interface MethodRow {
  readonly access: RpcAccess;
  readonly stores: boolean;
  readonly params: z.ZodType;
  readonly result: z.ZodType;
}

const empty = z.strictObject({});
const key = z.string().min(1).max(1000);
const limit = z.number().int().min(1).max(200);
const letterId = z.string().min(1).max(200);
const idempotencyKey = z.string().min(1).max(200);
const whichRequest = {
  sessionKey: key.optional(),
  id: z.string().max(200).optional(),
  turn: z.union([z.number().int().min(1), z.string().min(1).max(200)]).optional(),
  request: z.number().int().min(1).optional(),
};
const kind = z.enum(SESSION_KINDS);
const session = z.strictObject({ session: SessionSummarySchema });

/** Who may call a method: `owner` is the holder of the gateway's token. */
export type RpcAccess = "owner";

/** Every method: who may call it, whether it is refused while nothing can be stored, and a parser for its parameters and its result. */
export type RpcMethodSchemas = {
  readonly [Method in RpcMethod]: {
    readonly access: RpcAccess;
    readonly stores: boolean;
    readonly params: z.ZodType<RpcMethods[Method]["params"]>;
    readonly result: z.ZodType<RpcMethods[Method]["result"]>;
  };
};

const AttachmentSchema = z.strictObject({ ref: z.string().regex(/^upload:[0-9a-f]{32}$/), fileName: z.string().max(200).optional() });

/**
 * The methods, a row each. The gateway decides access and checks parameters with them, clients may check results. Stopping a run stores something too, and
 * is always allowed.
 */
export const RPC_METHODS: RpcMethodSchemas = methodSchemas({
  "chat.send": {
    access: "owner",
    stores: true,

    params: z
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
    result: z.strictObject({ sessionKey: z.string(), status: z.enum(["accepted", "duplicate"]) }),
  },
  "chat.history": {
    access: "owner",
    stores: false,

    params: z.strictObject({ sessionKey: key, before: z.string().max(200).optional(), limit: limit.optional() }),
    result: z.strictObject({ entries: z.array(ChatEntrySchema), before: z.string().optional() }),
  },
  "chat.subscribe": {
    access: "owner",
    stores: false,

    params: z.strictObject({ sessionKey: key.optional(), agentId: key.optional(), limit: limit.optional() }),
    result: ChatSnapshotSchema,
  },
  "chat.unsubscribe": {
    access: "owner",
    stores: false,
    params: z.strictObject({ sessionKey: key }),
    result: z.strictObject({ subscribed: z.boolean() }),
  },
  "chat.abort": {
    access: "owner",
    stores: false,

    params: z.strictObject({ sessionKey: key, runId: z.string().max(200).optional(), queued: z.boolean().optional() }),
    result: z.strictObject({ aborted: z.boolean(), dropped: z.number() }),
  },
  agent: {
    access: "owner",
    stores: true,

    params: z.strictObject({
      message: z.string().min(1).max(500_000),
      agentId: key.optional(),
      sessionKey: key.optional(),
      idempotencyKey,
    }),
    result: z.strictObject({
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
  "agents.list": {
    access: "owner",
    stores: false,

    params: empty,
    result: z.strictObject({
      agents: z.array(z.strictObject({ id: z.string(), name: z.string(), isDefault: z.boolean(), mainSessionKey: z.string() })),
    }),
  },
  "sessions.list": {
    access: "owner",
    stores: false,

    params: z.strictObject({
      agentId: key.optional(),
      kinds: z.array(kind).optional(),
      activeMinutes: z.number().int().min(1).max(100_000_000).optional(),
      limit: limit.optional(),
      cursor: z.string().max(1000).optional(),
    }),
    result: z.strictObject({ sessions: z.array(SessionSummarySchema), cursor: z.string().optional() }),
  },
  "sessions.show": {
    access: "owner",
    stores: false,

    params: z.strictObject({ key }),
    result: z.strictObject({ session: SessionSummarySchema, entry: z.record(z.string(), z.unknown()) }),
  },
  "sessions.export": {
    access: "owner",
    stores: false,

    params: z.strictObject({ key, sessionId: z.string().max(200).optional(), after: z.string().max(200).optional() }),
    result: z.strictObject({ sessionId: z.string(), lines: z.array(z.string()), after: z.string().optional() }),
  },
  "sessions.import": {
    access: "owner",
    stores: true,

    params: z.strictObject({
      path: z.string().min(1).max(4096),
      agentId: key.optional(),
      key: key.optional(),
      dryRun: z.boolean().optional(),
    }),
    result: SessionImportReportSchema,
  },
  "sessions.resolve": {
    access: "owner",
    stores: false,
    params: z.strictObject({ key: key.optional(), label: key.optional(), agentId: key.optional() }),
    result: session,
  },
  "sessions.patch": {
    access: "owner",
    stores: true,

    params: z.strictObject({
      key,
      label: z.string().max(200).nullable().optional(),
      sendPolicy: z.enum(["allow", "deny"]).nullable().optional(),
    }),
    result: session,
  },
  "sessions.reset": {
    access: "owner",
    stores: true,
    params: z.strictObject({ key }),
    result: session,
  },
  "sessions.delete": {
    access: "owner",
    stores: true,
    params: z.strictObject({ key }),
    result: z.strictObject({ deleted: z.boolean() }),
  },
  "context.list": {
    access: "owner",
    stores: false,

    params: z.strictObject({ sessionKey: key, limit: limit.optional(), before: z.string().max(200).optional() }),
    result: z.strictObject({ requests: z.array(ContextRequestSchema), before: z.string().optional() }),
  },
  "context.report": {
    access: "owner",
    stores: false,

    params: z.strictObject({
      ...whichRequest,
      diff: z.union([z.number().int().min(1), z.literal("previous")]).optional(),
      texts: z.boolean().optional(),
    }),
    result: ContextReportSchema,
  },
  "context.replay": {
    access: "owner",
    stores: false,

    params: z.strictObject({ ...whichRequest, model: key.optional(), replayId: z.string().min(1).max(200) }),
    result: ReplayResultSchema,
  },
  "deadletters.list": {
    access: "owner",
    stores: false,

    params: z.strictObject({
      type: z.enum(["input", "outbound"]).optional(),
      limit: limit.optional(),
      cursor: z.string().max(1000).optional(),
    }),
    result: z.strictObject({ letters: z.array(DeadLetterSchema), cursor: z.string().optional() }),
  },
  "deadletters.show": {
    access: "owner",
    stores: false,

    params: z.strictObject({ id: letterId }),
    result: z.strictObject({ letter: DeadLetterSchema, payload: z.unknown().optional() }),
  },
  "deadletters.replay": {
    access: "owner",
    stores: true,

    params: z.strictObject({ id: letterId, risk: z.boolean().optional() }),
    result: z.strictObject({ replayed: z.literal(true), sessionKey: z.string() }),
  },
  "deadletters.purge": {
    access: "owner",
    stores: true,

    params: z.strictObject({ ids: z.array(letterId).min(1).max(500).optional(), failedBeforeMs: z.number().int().min(0).optional() }),
    result: z.strictObject({ purged: z.number() }),
  },
  status: {
    access: "owner",
    stores: false,
    params: empty,
    result: GatewayStatusSchema,
  },
  "warnings.list": {
    access: "owner",
    stores: false,
    params: empty,
    result: z.strictObject({ warnings: GatewayWarningsSchema }),
  },
  "damage.list": {
    access: "owner",
    stores: false,
    params: empty,
    result: z.strictObject({ events: DamageEventsSchema }),
  },
  "damage.acknowledge": {
    access: "owner",
    stores: true,

    params: z.strictObject({ ids: z.array(z.string().min(1).max(20)).min(1).max(200).optional() }),
    result: z.strictObject({ acknowledged: DamageEventsSchema }),
  },
  "config.reload": {
    access: "owner",
    stores: false,
    params: empty,
    result: ConfigReloadResultSchema,
  },
  "gateway.restart": {
    access: "owner",
    stores: false,
    params: empty,
    result: z.strictObject({ restarting: z.literal(true) }),
  },
  "gateway.shutdown": {
    access: "owner",
    stores: false,

    params: z.strictObject({ reason: z.string().max(200).optional() }),
    result: z.strictObject({ stopping: z.literal(true) }),
  },
});

/** Does not compile when the parameters or the result of a method differ from those that `RpcMethods` declares. */
function methodSchemas<Rows extends Readonly<Record<RpcMethod, MethodRow>>>(
  rows: Rows & {
    readonly [Method in RpcMethod]: {
      readonly params: SameShape<z.output<Rows[Method]["params"]>, RpcMethods[Method]["params"]>;
      readonly result: SameShape<z.output<Rows[Method]["result"]>, RpcMethods[Method]["result"]>;
    };
  },
): RpcMethodSchemas {
  return rows as unknown as RpcMethodSchemas;
}

/** True for the name of a method of this build. */
export function isRpcMethod(name: string): name is RpcMethod {
  return Object.hasOwn(RPC_METHODS, name);
}
