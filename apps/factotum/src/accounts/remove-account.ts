import { rm } from "node:fs/promises";
import { relative } from "node:path";
import { formatProblem, getConfigValue, setConfigValue, type AccountConfig, type LoadedConfig } from "@factotum/config";
import { parseOwnerEntry } from "../compose/account-name.ts";
import { configOptions } from "../compose/extensions.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { filesOfRemoved } from "./account-files.ts";

/** What was removed of an account. */
export interface RemovedAccount {
  /** The key that the configuration does not have any longer. */
  readonly key: string;
  /** The private files of its secrets, relative to the state directory. */
  readonly credentials: readonly string[];
  /** The lists of people and groups that went with it. */
  readonly admitting: readonly string[];
  /** The owners who are owners by an id of this channel alone, if it was the channel's last account; they stay so. */
  readonly owners: readonly string[];
}

/** Removes an account from the configuration, with the private files of its secrets. Rejects with a `CliError` if the file cannot be changed. */
export async function removeAccount(context: CliContext, account: AccountConfig, loaded: LoadedConfig): Promise<RemovedAccount> {
  const { channel, accountId } = account;
  const listed = getConfigValue(`channels.${channel}.accounts`, loaded).type === "set";
  const several = Object.keys(loaded.config.channels[channel]?.accounts ?? {}).length > 1;
  const key = listed && several ? `channels.${channel}.accounts.${accountId}` : `channels.${channel}`;
  const own = listed ? `channels.${channel}.accounts.${accountId}` : `channels.${channel}`;
  const admitting = ["allowFrom", "groups"].filter((name) => getConfigValue(`${own}.${name}`, loaded).type === "set");
  const result = await setConfigValue(key, undefined, await configOptions(context.env));
  if (result.type === "refused")
    throw new CliError("configInvalid", `${result.path} was not changed: ${result.problems.map(formatProblem).join("; ")}`);
  const files = await filesOfRemoved(context, account);
  for (const file of files) await rm(file, { force: true });
  const credentials = files.map((file) => relative(context.paths.home, file));
  return { key, credentials, admitting, owners: several ? [] : ownersOn(channel, loaded.config) };
}

/** Another account of the channel may give the id to somebody else. */
function ownersOn(channel: string, { commands }: LoadedConfig["config"]): readonly string[] {
  return commands.ownerAllowFrom.filter((entry) => parseOwnerEntry(entry)?.channel === channel);
}
