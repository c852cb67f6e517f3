import type { RpcMethods } from "@factotum/protocol";
import { withoutUndefined } from "@factotum/agent-contract";
import { askedText } from "./asked-text.ts";
import { toContextRequest } from "./context-request.ts";
import type { ReportParts } from "./build-context-report.ts";

/** A page of a session's stored requests, newest first; empty for a session that does not exist yet. */
export async function listContextRequests(
  params: RpcMethods["context.list"]["params"],
  { store, hideSecrets }: ReportParts,
): Promise<RpcMethods["context.list"]["result"]> {
  const session = await store.readSession(params.sessionKey);
  if (session === undefined) return { requests: [] };
  const { items, cursor } = await store.listRequests({
    sessionId: session.sessionId,
    limit: params.limit ?? 50,
    ...withoutUndefined({ before: params.before }),
  });
  const turnIds = [...new Set(items.map(({ turnId }) => turnId))];
  const asked = new Map(await Promise.all(turnIds.map(async (id) => [id, await askedText(id, store, hideSecrets)] as const)));
  return {
    requests: items.map((record) => ({
      ...toContextRequest(record, hideSecrets),
      ...withoutUndefined({ asked: asked.get(record.turnId) }),
    })),
    ...withoutUndefined({ before: cursor }),
  };
}
