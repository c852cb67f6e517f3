import type { AgentSessions, AgentTool } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { textResult } from "../define-tool/tool-result.ts";
import { describeMessages } from "./describe-messages.ts";
import { noReference, noSession, parseReference, SESSION_PARAMETERS } from "./session-reference.ts";
import { READS_SESSIONS } from "./sessions-list-tool.ts";

const DEFAULT_LIMIT = 30;

/** Shows what was said in a session that the caller may read. */
export function createSessionsHistoryTool({ sessions }: { readonly sessions: Pick<AgentSessions, "history"> }): AgentTool {
  return defineTool({
    name: "sessions_history",
    summary: "Read what was said in another session",
    description: "Shows the newest messages of a session, oldest first. The cursor of a result leads to older ones.",
    schema: z.strictObject({
      ...SESSION_PARAMETERS,
      limit: z.int().min(1).max(200).optional().describe(`Default ${DEFAULT_LIMIT}`),
      cursor: z.string().max(100).optional(),
      includeTools: z.boolean().optional().describe("Also calls of tools and their results"),
    }),
    traits: READS_SESSIONS,
    async execute({ limit = DEFAULT_LIMIT, cursor, includeTools = false, ...named }, { run, tainted }) {
      const reference = parseReference(named);
      if (reference === undefined) return noReference("sessions_history");
      const before = cursor === "" ? undefined : cursor;
      const page = await sessions.history(reference, { limit, cursor: before, includeTools }, { run, tainted });
      if (page === undefined) return noSession(reference);
      const lines = [
        `Session ${page.key}:`,
        page.messages.length === 0 ? "Nothing was said in it." : describeMessages(page.messages, run.timeZone),
        ...(page.cursor === undefined ? [] : [`[There are older messages: cursor ${JSON.stringify(page.cursor)}.]`]),
      ];
      return textResult(lines.join("\n"), {
        details: { sessionKey: page.key, messages: page.messages.length, ...(page.cursor === undefined ? {} : { cursor: page.cursor }) },
        untrusted: page.untrusted,
      });
    },
  });
}
