import { withoutUndefined } from "@factotum/agent-contract";
import type { RpcMethods, SessionSearchResult } from "@factotum/protocol";
import { connectGateway, requestError } from "../rpc/connect-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";

const DEFAULT_LIMIT = 20;
/** Hits of one request at most. */
const PAGE = 50;

/** Searches titles and messages of all sessions, until there are enough hits or no older messages. */
export async function sessionsSearch(
  cli: CliContext,
  {
    text,
    agent,
    limit = DEFAULT_LIMIT,
    json,
  }: { readonly text: string; readonly agent?: string; readonly limit?: number; readonly json: boolean },
): Promise<number> {
  using gateway = await connectGateway(cli);
  const found: { titles: SessionSearchResult["titles"]; hits: SessionSearchResult["hits"]; cursor?: string } = { titles: [], hits: [] };
  try {
    do {
      const params: RpcMethods["sessions.search"]["params"] = {
        text,
        limit: Math.min(PAGE, limit - found.hits.length),
        ...withoutUndefined({ agentId: agent, cursor: found.cursor }),
      };
      const page = await gateway.client.request("sessions.search", params, { signal: cli.signal });
      found.titles = [...found.titles, ...page.titles];
      found.hits = [...found.hits, ...page.hits];
      delete found.cursor;
      if (page.cursor !== undefined) found.cursor = page.cursor;
    } while (found.cursor !== undefined && found.hits.length < limit);
  } catch (error) {
    throw requestError(error);
  }
  if (json) printJson(cli, { titles: found.titles, hits: found.hits });
  else {
    for (const { key, title } of found.titles) cli.print(`${terminalText(`${title}  ${key}`)}\n`);
    for (const { key, title, timestampMs, role, snippet, entryId, isCurrent, isHidden } of found.hits) {
      const time = new Date(timestampMs).toISOString().slice(0, 16).replace("T", " ");
      const place = !isCurrent ? "  before a reset" : isHidden === true ? `  in another branch, of ${entryId}` : "";
      cli.print(`${terminalText(`${title}  ${key}${place}\n    ${time} ${role}: ${snippet.replaceAll(/\s+/g, " ")}`)}\n`);
    }
    if (found.titles.length + found.hits.length === 0) cli.note("factotum: nothing was found\n");
    if (found.cursor !== undefined) cli.note("factotum: there may be more in older messages: --limit shows more\n");
  }
  return EXIT.ok;
}
