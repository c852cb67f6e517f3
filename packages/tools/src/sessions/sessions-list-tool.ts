import type { AgentSessions, AgentTool, ListedSession, RunFacts, ToolTraits } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { textResult } from "../define-tool/tool-result.ts";
import { describeMessages, MAX_LIST_CHARS } from "./describe-messages.ts";

const DEFAULT_LIMIT = 20;

/** Traits of tools that only read sessions. */
export const READS_SESSIONS: ToolTraits = { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true };

/** Lists the sessions that the caller may see. */
export function createSessionsListTool({ sessions }: { readonly sessions: Pick<AgentSessions, "list"> }): AgentTool {
  return defineTool({
    name: "sessions_list",
    summary: "List the sessions within your reach",
    description:
      "Lists sessions (conversations) that you may see, newest activity first, with their keys. Names of groups and of other people are shown only with search or messageLimit.",
    schema: z.strictObject({
      kinds: z.array(z.enum(["main", "group", "cron", "hook", "node", "other"])).optional(),
      agentId: z.string().max(200).optional(),
      label: z.string().max(200).optional(),
      search: z.string().max(200).optional().describe("Part of a key, a label or a name"),
      activeMinutes: z.int().min(1).max(10_000_000).optional(),
      messageLimit: z.int().min(0).max(20).optional().describe("Newest messages of each. Default 0"),
      limit: z.int().min(1).max(200).optional().describe(`Default ${DEFAULT_LIMIT}`),
    }),
    traits: READS_SESSIONS,
    async execute({ limit = DEFAULT_LIMIT, messageLimit = 0, ...filter }, { run, tainted }) {
      const { sessions: found, isCut } = await sessions.list({ ...filter, limit, messageLimit }, { run, tainted });
      const { lines, isShortened } = fitting(found.map((session) => describeSession(session, run)));
      const more = isCut || isShortened ? ["[There are more: narrow the list.]"] : [];
      const text = lines.length === 0 ? "There are no such sessions." : [...lines, ...more].join("\n");
      const shown = found.slice(0, lines.length);
      return textResult(text, {
        details: { sessions: shown.map(({ key, sessionId, agentId, kind, state }) => ({ key, sessionId, agentId, kind, state })) },
        untrusted: shown.some(({ untrusted }) => untrusted),
      });
    },
  });
}

function describeSession(session: ListedSession, { sessionKey, timeZone }: RunFacts): string {
  const { key, sessionId, kind, label, displayName, channel, model, contextTokens, updatedAtMs, state, subagent, messages } = session;
  const active = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }).format(updatedAtMs);
  const facts = [
    `id ${sessionId}`,
    kind,
    ...(key === sessionKey ? ["this session"] : []),
    ...(label === undefined ? [] : [`label ${JSON.stringify(label)}`]),
    ...(displayName === undefined ? [] : [`name ${JSON.stringify(displayName)}`]),
    ...(channel === undefined ? [] : [`channel ${channel}`]),
    ...(model === undefined ? [] : [`model ${model}`]),
    `${contextTokens} tokens`,
    `active ${active}`,
    state,
    ...(subagent === undefined ? [] : [`sub-agent ${subagent}`]),
  ];
  const said = messages.length === 0 ? [] : [describeMessages(messages, timeZone)];
  return [`- ${key} (${facts.join(", ")})`, ...said].join("\n");
}

/** As many lines as a result holds, at least one. */
function fitting(all: readonly string[]): { readonly lines: readonly string[]; readonly isShortened: boolean } {
  let chars = 0;
  const lines = all.filter((line, index) => {
    chars += line.length + 1;
    return index === 0 || chars <= MAX_LIST_CHARS;
  });
  return { lines, isShortened: lines.length < all.length };
}
