import { existsSync } from "node:fs";
import { join } from "node:path";
import { isAvailable, loadConfig, secretFiles, type AccountConfig, type StatePaths } from "@factotum/config";
import { channelCatalog, configOptions } from "../compose/extensions.ts";
import { secretPaths } from "../extensions/account-form.ts";
import type { CliContext } from "../runtime/cli-context.ts";

/** The private file of a secret that `channels add` stores, relative to the state directory. */
export function accountFile({ channel, accountId }: Pick<AccountConfig, "channel" | "accountId">, path: readonly string[]): string {
  return `credentials/${[channel, accountId, ...path].join("-").replaceAll(/[^\w.-]/g, "_")}`;
}

/**
 * The private files of an account that is removed: those that its settings name, and those of secrets that were set once and are not any more. Not what the rest
 * of the configuration names. Absolute paths; call it after the removal.
 */
export async function filesOfRemoved({ env, paths }: CliContext, account: AccountConfig): Promise<readonly string[]> {
  const { channel, accountId, settings } = account;
  const prefix = `${paths.credentialsFolder}/${channel}-${accountId}-`;
  const named = secretFiles({ channels: { [channel]: settings } }, paths).filter((file) => file.startsWith(prefix));
  const possible = await possibleFiles({ env, paths }, account);
  const loaded = await loadConfig(await configOptions(env));
  const kept = new Set(loaded.type === "loaded" ? secretFiles(loaded.written, paths) : []);
  return [...new Set([...named, ...possible.filter((file) => existsSync(file))])].filter((file) => !kept.has(file));
}

/** By the schema of the channel; none if its package is gone. */
async function possibleFiles(
  { env, paths }: { readonly env: CliContext["env"]; readonly paths: StatePaths },
  account: AccountConfig,
): Promise<readonly string[]> {
  const found = (await channelCatalog(env)).channels.find(({ id }) => id === account.channel);
  if (found === undefined || !isAvailable(found)) return [];
  return secretPaths(await found.load()).map((path) => join(paths.home, accountFile(account, path)));
}
