import type { AgentSessions, AgentTool, AgentToolResult, SessionSendOutcome, ToolTraits } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import { noReference, noSession, noSessionText, parseReference, SESSION_PARAMETERS } from "./session-reference.ts";

const DEFAULT_SECONDS = 30;

const SENDS: ToolTraits = {
  effect: "send",
  toSessions: true,
  idempotent: false,
  output: "trusted",
  network: false,
  parallel: true,
  // It waits for a turn of another session, which has places of its own.
  holdsNoPlace: true,
};

/** Sends a message to another session, and waits for its reply. */
export function createSessionsSendTool({ sessions }: { readonly sessions: Pick<AgentSessions, "send" | "sendProblem"> }): AgentTool {
  return defineTool({
    name: "sessions_send",
    summary: "Send a message to another session",
    description: [
      "Has the agent of another session answer a message, with at most the rights of this turn. Its reply is the result; people see nothing of it.",
      "After the reply the two of you can continue for some turns: you are asked again after this turn.",
    ].join("\n"),
    schema: z.strictObject({
      ...SESSION_PARAMETERS,
      message: z.string().min(1).max(16_000),
      timeoutSeconds: z.int().min(0).max(3_600).optional().describe(`0: do not wait. Default ${DEFAULT_SECONDS}`),
    }),
    traits: SENDS,
    inspect: async ({ message, timeoutSeconds: _wait, ...named }, run) => {
      const reference = parseReference(named);
      if (reference === undefined) return { type: "invalid", message: "sessions_send needs sessionKey, label or agentId." };
      // The owner is not asked about a session out of reach, and the model does not learn from a question that it exists.
      const problem = await sessions.sendProblem(reference, { run, tainted: true });
      if (problem !== undefined) return { type: "invalid", message: problem.type === "error" ? problem.message : noSessionText(reference) };
      const to = { sessionKey: reference.sessionKey ?? "", label: reference.label ?? "", agentId: reference.agentId ?? "" };
      const name = [to.sessionKey, to.label, to.agentId].filter((word) => word !== "").join(", ");
      return { type: "action", text: `Send to the session ${name}: ${message}`, binding: { ...to, message } };
    },
    async execute({ message, timeoutSeconds = DEFAULT_SECONDS, ...named }, { run, tainted, signal }) {
      const reference = parseReference(named);
      if (reference === undefined) return noReference("sessions_send");
      const outcome = await sessions.send(reference, { message, timeoutMs: timeoutSeconds * 1000, signal }, { run, tainted });
      return outcome.type === "not-found" ? noSession(reference) : resultOf(outcome);
    },
  });
}

function resultOf(outcome: Exclude<SessionSendOutcome, { readonly type: "not-found" }>): AgentToolResult {
  switch (outcome.type) {
    case "ok": {
      const { sessionKey, reply, untrusted } = outcome;
      const text = reply === undefined ? `${sessionKey} had nothing to reply.` : `${sessionKey} replied:\n${reply}`;
      return textResult(text, { details: { status: "ok", sessionKey, ...(reply === undefined ? {} : { reply }) }, untrusted });
    }
    case "accepted": {
      const { sessionKey, note } = outcome;
      const text = `Accepted: ${sessionKey} will answer it, and you will not be notified.`;
      return textResult(note === undefined ? text : `${text} ${note}`, { details: { status: "accepted", sessionKey } });
    }
    case "timeout": {
      const { sessionKey } = outcome;
      const text = `${sessionKey} has not replied yet. It is still working on it; do not send the message again.`;
      return textResult(text, { details: { status: "timeout", sessionKey } });
    }
    case "forbidden":
      return errorResult(outcome.message, { details: { status: "forbidden" } });
    case "error":
      return errorResult(outcome.message, { details: { status: "error", code: outcome.code } });
  }
}
