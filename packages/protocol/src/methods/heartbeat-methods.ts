import * as z from "zod";
import { HeartbeatSummarySchema, OccurrenceShapeSchema, type HeartbeatSummary, type OccurrenceShape } from "../shapes/jobs.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { empty, key, limit } from "./params.ts";

/** Methods of heartbeats, whose settings are in the configuration; the default agent's without `agentId`. They reject with `not-found` for an unknown agent. */
export interface HeartbeatMethods {
  /** One for each agent. */
  "heartbeat.list": { params: Record<string, never>; result: { readonly heartbeats: readonly HeartbeatSummary[] } };
  /** Outcomes, newest first; 20 by default. */
  "heartbeat.runs": {
    params: { readonly agentId?: string; readonly limit?: number };
    result: { readonly agentId: string; readonly runs: readonly OccurrenceShape[] };
  };
  /** Runs one now. Resolves when that is stored, before it ends. Rejects with `conflict` if the heartbeat is off or runs. */
  "heartbeat.run": { params: { readonly agentId?: string }; result: { readonly agentId: string } };
}

const agentId = key.optional();

/** Rows of the methods of heartbeats. */
export const HEARTBEAT_METHODS: MethodTable<HeartbeatMethods> = defineMethods<HeartbeatMethods>()({
  "heartbeat.list": {
    access: "owner",
    stores: false,
    params: () => empty,
    result: () => z.strictObject({ heartbeats: z.array(HeartbeatSummarySchema) }),
  },
  "heartbeat.runs": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId, limit: limit.optional() }),
    result: () => z.strictObject({ agentId: z.string(), runs: z.array(OccurrenceShapeSchema) }),
  },
  "heartbeat.run": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ agentId }),
    result: () => z.strictObject({ agentId: z.string() }),
  },
});
