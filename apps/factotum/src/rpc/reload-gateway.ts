import type { ConfigReloadResult } from "@factotum/protocol";
import type { CliContext } from "../runtime/cli-context.ts";
import { findGateway, isUnauthorized, requestError } from "./connect-gateway.ts";

/**
 * Asks a running gateway to check the file now; with `force` even if it is unchanged, because a key or token that it refers to has changed. `undefined` if none
 * is running or accepts the token.
 */
export async function reloadGateway(
  context: CliContext,
  options: { readonly force?: boolean } = {},
): Promise<ConfigReloadResult | undefined> {
  try {
    try {
      return await askToReload(context, options);
    } catch (error) {
      // Another token closes the connection that requested it. The gateway also watches the file and may have applied the token already: either way, the next
      // connection uses the new one.
      if (!isUnauthorized(error)) throw error;
      return await askToReload(context, options);
    }
  } catch (error) {
    // The gateway watches the file, so the change is applied anyway.
    context.note(`factotum: ${requestError(error).message}\n`);
    return undefined;
  }
}

async function askToReload(context: CliContext, options: { readonly force?: boolean }): Promise<ConfigReloadResult | undefined> {
  using gateway = await findGateway(context);
  return await gateway?.client.request("config.reload", options, { signal: context.signal });
}

/** Describes how a running gateway handled a change. */
export function describeReload(reloaded: ConfigReloadResult | undefined): string {
  if (reloaded === undefined) return "A running gateway takes up the change by itself.";
  if (reloaded.type === "kept") return `The running gateway does not use it: ${reloaded.problems.join("; ")}`;
  const { needsRestart } = reloaded;
  return needsRestart.length === 0
    ? "The running gateway uses it from now on."
    : `The running gateway takes ${needsRestart.join(", ")} up with "factotum gateway restart".`;
}
