import { withoutUndefined } from "@factotum/agent-contract";
import type { Approval, RpcMethod } from "@factotum/protocol";
import type { ApprovalRecord } from "@factotum/store";
import { decisionsOn, visible } from "../approvals/approval-texts.ts";
import type { ApprovalService } from "../approvals/approval-service.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** The methods that decide on tool calls. */
export function approvalHandlers(approvals: ApprovalService): RpcHandlersOf<Extract<RpcMethod, `approvals.${string}`>> {
  return {
    "approvals.list": async () => ({
      waiting: (await approvals.waiting()).map(approvalOf),
      grants: (await approvals.grants()).map(approvalOf),
    }),
    "approvals.decide": async ({ id, decision }) => {
      const approval = await approvals.decide(id, decision);
      await approvals.tellDecision(approval);
      return { approval: approvalOf(approval) };
    },
    "approvals.revoke": async ({ id }) => ({ revoked: await approvals.revoke(id) }),
  };
}

/** Clients show the action to a person who decides on it, as chats do. */
function approvalOf({ state, decision, decidedAtMs, ...record }: ApprovalRecord): Approval {
  const { id, agentId, sessionKey, callId, toolName, text, reason, requestedAtMs, expiresAtMs } = record;
  return {
    id,
    agentId,
    sessionKey,
    callId,
    toolName,
    text: visible(text),
    reason,
    requestedAtMs,
    expiresAtMs,
    isParked: state === "parked" || state === "running",
    decisions: decisionsOn(record),
    ...withoutUndefined({ askedIn: record.askedIn, decision, decidedAtMs }),
  };
}
