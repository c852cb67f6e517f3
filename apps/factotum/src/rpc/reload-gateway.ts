import type { ConfigReloadResult } from "@factotum/protocol";
import type { CliContext } from "../runtime/cli-context.ts";
import { findGateway, isUnauthorized, requestError } from "./connect-gateway.ts";

/**
 * Asks a running gateway to look at the file now, rather than in a moment; with `force` also when the file is unchanged, since a key or token that it names
 * is another one. `undefined` when none runs, or none that lets us in.
 */
export async function reloadGateway(
  context: CliContext,
  options: { readonly force?: boolean } = {},
): Promise<ConfigReloadResult | undefined> {
  try {
    try {
      return await askToReload(context, options);
    } catch (error) {
      // Another token ends the connection that asked for it. The gateway watches the file, too, so it may have changed the token before we ask: either way
      // the next connection is opened with the new one.
      if (!isUnauthorized(error)) throw error;
      return await askToReload(context, options);
    }
  } catch (error) {
    // It watches the file: what cannot be asked for happens all the same.
    context.note(`factotum: ${requestError(error).message}\n`);
    return undefined;
  }
}

async function askToReload(context: CliContext, options: { readonly force?: boolean }): Promise<ConfigReloadResult | undefined> {
  using gateway = await findGateway(context);
  return await gateway?.client.request("config.reload", options, { signal: context.signal });
}

/** Says what a running gateway does about a change. */
export function describeReload(reloaded: ConfigReloadResult | undefined): string {
  if (reloaded === undefined) return "A running gateway takes it up by itself.";
  if (reloaded.type === "kept") return `The running gateway does not use it: ${reloaded.problems.join("; ")}`;
  const { needsRestart } = reloaded;
  return needsRestart.length === 0
    ? "The running gateway uses it from now on."
    : `The running gateway takes ${needsRestart.join(", ")} up with "factotum gateway restart".`;
}
