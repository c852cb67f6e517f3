import { withoutUndefined } from "@factotum/agent-contract";
import { APPROVAL_DECISIONS } from "@factotum/protocol";
import type { ApprovalDecision } from "@factotum/protocol";
import { DECIDED, notWaiting, RUNS_NOW } from "../approvals/approval-texts.ts";
import { SessionRequestError } from "../kernel/session-request-error.ts";
import { defineCommand } from "./define-command.ts";
import type { Command } from "./define-command.ts";

interface Approve {
  readonly id?: string;
  readonly decision?: string;
}

/** Decides on a tool call that waits. */
export const approveCommand: Command = defineCommand<Approve>({
  name: "/approve",
  summary: "<id> allow-once, allow-session, allow-always or deny decides on a tool call that waits; alone it lists them",
  access: "owner",
  parse: (words) => {
    const [id, decision, ...others] = words.trim().split(/\s+/).filter(Boolean);
    if (others.length > 0 || !/^(?:\s|$)/.test(words)) return undefined;
    return withoutUndefined({ id, decision });
  },
  changes: () => true,
  run: async ({ id, decision }, { approvals }) => {
    if (id === undefined) {
      const waiting = await approvals.waiting();
      if (waiting.length === 0) return "No tool call waits for a decision.";
      return [{ type: "list", items: waiting.map((one) => `${one.id}: ${one.toolName}, ${one.text.split("\n")[0] ?? ""}`) }];
    }
    const wish = decision?.toLowerCase();
    if (!isDecision(wish)) return `/approve ${id} needs a decision: ${APPROVAL_DECISIONS.join(", ")}.`;
    try {
      const { state } = await approvals.decide(id, wish);
      return state === "running" ? `${DECIDED[wish]} ${RUNS_NOW}` : DECIDED[wish];
    } catch (error) {
      // The service's message names a command for a shell; a button of an old request is pressed in a chat.
      if (error instanceof SessionRequestError) return error.code === "not-found" ? notWaiting(id) : error.message;
      throw error;
    }
  },
});

function isDecision(text: string | undefined): text is ApprovalDecision {
  return APPROVAL_DECISIONS.some((decision) => decision === text);
}
