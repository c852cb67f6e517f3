import { existsSync } from "node:fs";
import { join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { AccountConfig } from "@factotum/config";
import { REMOVED_ACCOUNT_REASON, type OutboxRecord, type SqliteStore } from "@factotum/store";
import { withStoppedStore } from "../compose/with-stopped-store.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { holdHome } from "../runtime/hold-home.ts";
import { systemClock } from "../runtime/system-clock.ts";

type Address = Pick<AccountConfig, "channel" | "accountId">;

/**
 * Gives up what waits to be sent by a removed account in the database of the stopped gateway, so that the next account of its name does not send it; resolves with
 * how much there was. Rejects with a `CliError` if the database cannot be opened.
 */
export async function discardWaiting({ paths }: Pick<CliContext, "paths">, address: Address): Promise<number> {
  if (!existsSync(join(paths.stateFolder, "factotum.sqlite"))) return 0;
  using held = await holdHome(paths);
  if (held === undefined) throw new CliError("failure", "Another process uses the state directory.");
  return withStoppedStore({ paths, agents: [] }, async (store) => discardRows(store, address));
}

async function discardRows(store: SqliteStore, { channel, accountId }: Address): Promise<number> {
  let count = 0;
  let afterId: string | undefined;
  for (;;) {
    const rows = await store.listPendingOutbound({ limit: 200, ...withoutUndefined({ afterId }) });
    afterId = rows.at(-1)?.id;
    if (afterId === undefined) return count;
    for (const row of rows.filter(({ target }) => target.channel === channel && target.accountId === accountId)) {
      await giveUp(store, row);
      if (row.purpose !== "preview") count += 1;
    }
  }
}

/** One that was being sent when the gateway ended may have arrived. */
async function giveUp(store: SqliteStore, { id, purpose, state }: OutboxRecord): Promise<void> {
  const at = { nowMs: systemClock.now() };
  const type = purpose === "preview" ? "dropped" : "dead";
  if (state.type === "sending" && type === "dead")
    await store.settleOutbound(id, { type: "receipt", receipt: { type: "ambiguous", cause: REMOVED_ACCOUNT_REASON } }, at);
  else await store.settleOutbound(id, { type, reason: REMOVED_ACCOUNT_REASON }, at);
}
