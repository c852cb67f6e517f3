import type { AgentToolResult, SessionReference } from "@factotum/agent-contract";
import { z } from "zod";
import { errorResult } from "../define-tool/tool-result.ts";

const word = z.string().max(1_000).optional();

/** The parameters that name a session. Models fill optional parameters with "", which counts as omitted. */
export const SESSION_PARAMETERS: Readonly<Record<"sessionKey" | "label" | "agentId", z.ZodOptional<z.ZodString>>> = {
  sessionKey: word.describe("A key of sessions_list, or the beginning of an id"),
  label: word.describe("Instead of sessionKey"),
  agentId: word.describe("With label: whose session; alone: the main session of this agent"),
};

/** The session that a call names; `undefined` if it names none. */
export function parseReference({ sessionKey, label, agentId }: SessionReference): SessionReference | undefined {
  const given = Object.entries({ sessionKey, label, agentId }).filter(([, value]) => value !== undefined && value.trim() !== "");
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** The answer to a call that names no session. */
export function noReference(tool: string): AgentToolResult {
  return errorResult(`${tool} needs sessionKey, label or agentId. sessions_list shows the sessions.`);
}

/** The one answer for a session that is missing, ambiguous, or out of reach. */
export function noSession(reference: SessionReference): AgentToolResult {
  return errorResult(noSessionText(reference), { details: { status: "error", code: "not-found" } });
}

/** The text of the same, for a call that is refused before it runs. */
export function noSessionText({ sessionKey, label, agentId }: SessionReference): string {
  const named = sessionKey ?? label ?? agentId ?? "";
  return `There is no session ${JSON.stringify(named)} within your reach, or more than one has this name. sessions_list shows those that you can reach.`;
}
