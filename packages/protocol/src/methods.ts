import * as z from "zod";
import { ChatEntrySchema, ChatSnapshotSchema } from "./shapes/chat.ts";
import { ConfigReloadResultSchema } from "./shapes/config.ts";
import { ContextReportSchema, ContextRequestSchema, ReplayResultSchema } from "./shapes/context.ts";
import { DeadLetterSchema } from "./shapes/dead-letters.ts";
import { SESSION_KINDS, SessionImportReportSchema, SessionSummarySchema } from "./shapes/session-summary.ts";
import { SetupCheckSchema, SetupStateSchema } from "./shapes/setup.ts";
import { GatewayStatusSchema } from "./shapes/status.ts";
import { RunUsageSchema } from "./shapes/usage.ts";
import { DamageEventsSchema } from "./shapes/damage.ts";
import { GatewayWarningsSchema } from "./shapes/warnings.ts";
import type { SameShape } from "./parser-of.ts";
import { MAX_CHAT_ATTACHMENTS } from "./webchat.ts";
import type { RpcAccess, RpcMethod, RpcMethods, RpcMethodSchemas } from "./method-types.ts";

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
const provider = z.string().min(1).max(100);
const secret = z.string().min(1).max(10_000);
const kind = z.enum(SESSION_KINDS);
const session = z.strictObject({ session: SessionSummarySchema });

const AttachmentSchema = z.strictObject({ ref: z.string().regex(/^upload:[0-9a-f]{32}$/), fileName: z.string().max(200).optional() });

/**
 * The methods, one row each. The gateway authorises and validates with them, clients may validate results. Stopping a run stores something too, and is always
 * allowed.
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
      agents: z.array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          isDefault: z.boolean(),
          mainSessionKey: z.string(),
          model: z.string().optional(),
        }),
      ),
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
    params: z.strictObject({ force: z.boolean().optional() }),
    result: ConfigReloadResultSchema,
  },
  "setup.state": {
    access: "owner",
    stores: false,
    params: empty,
    result: SetupStateSchema,
  },
  "setup.check": {
    access: "owner",
    stores: false,
    params: z.strictObject({ provider, key: secret.optional(), model: key.optional() }),
    result: SetupCheckSchema,
  },
  "setup.key": {
    access: "owner",
    stores: true,
    params: z.strictObject({ provider, key: secret }),
    result: z.strictObject({ keyPlace: z.string() }),
  },
  "setup.model": {
    access: "owner",
    stores: true,
    params: z.strictObject({ model: key }),
    result: z.strictObject({ model: z.string() }),
  },
  "setup.name": {
    access: "owner",
    stores: true,
    params: z.strictObject({ name: z.string().min(1).max(80) }),
    result: z.strictObject({ name: z.string() }),
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

/** Does not compile if the parameters or the result of a method differ from those that `RpcMethods` declares. */
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
