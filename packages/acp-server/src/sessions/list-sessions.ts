import type { ListSessionsRequest, ListSessionsResponse } from "@agentclientprotocol/sdk";
import type { SessionSummary } from "@factotum/protocol";
import type { GatewayLink } from "../gateway-link.ts";

const PAGE = 50;

/** Kinds of sessions that a person talks in alone: those of groups, jobs and webhooks belong to no editor. */
const KINDS = ["main", "other"] as const;

/** A page of an agent's conversations, newest activity first; with `cwd` those of one folder, so that a page may be short although more follow. */
export async function listSessions(
  { cwd, cursor }: ListSessionsRequest,
  agentId: string,
  link: GatewayLink,
): Promise<ListSessionsResponse> {
  const workspace = await workspaceOf(agentId, link);
  const query = { agentId, kinds: KINDS, limit: PAGE, ...(typeof cursor === "string" ? { cursor } : {}) };
  const page = await link.request("sessions.list", query);
  const sessions = page.sessions.map((session) => infoOf(session, workspace)).filter((info) => typeof cwd !== "string" || info.cwd === cwd);
  return { sessions, ...(page.cursor === undefined ? {} : { nextCursor: page.cursor }) };
}

/** The folder of an agent. */
export async function workspaceOf(agentId: string, link: GatewayLink): Promise<string> {
  const { agents } = await link.request("agents.list", {});
  return agents.find(({ id }) => id === agentId)?.workspace ?? "/";
}

function infoOf(
  { key, label, displayName, activeAtMs, workspace: own }: SessionSummary,
  workspace: string,
): ListSessionsResponse["sessions"][number] {
  return { sessionId: key, cwd: own ?? workspace, title: label ?? displayName, updatedAt: new Date(activeAtMs).toISOString() };
}
