import {
  formatKeyPath,
  formatProblem,
  getConfigValue,
  isAvailable,
  loadConfig,
  setConfigValue,
  type KeyPath,
  type LoadedConfig,
} from "@factotum/config";
import { configOptions, type ChannelCatalog, type ChannelEntry } from "../compose/extensions.ts";
import { idCheck, type IdForms, type IdProblem } from "../extensions/id-forms.ts";
import { describeReload, reloadGateway } from "../rpc/reload-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { refusedStart } from "./refused-start.ts";
import { ownerEntry } from "../compose/account-name.ts";

/** The party to admit, and its role. */
export interface AccessOptions {
  /** `channel:account`, or a channel with a single account. */
  readonly account: string;
  /** The platform's own. */
  readonly id: string;
  /** As the owner: on this account, and for the account `default` on all whose ids are the platform's. */
  readonly owner: boolean;
  /** The id is a group's. */
  readonly group: boolean;
  readonly json: boolean;
}

/** Admits a person or a group in the configuration, which a running gateway applies at once. */
export async function accessAllow(context: CliContext, options: AccessOptions): Promise<number> {
  const { id, owner, group, json } = options;
  if (owner && group) throw new CliError("usage", "A group cannot be the owner.", { fix: "Give --owner or --group, not both." });
  const catalog = await configOptions(context.env);
  const loaded = await loadConfig(catalog);
  if (loaded.type === "refused") throw refusedStart(loaded);
  const { channel, accountId, place } = findAccount(options.account, loaded);
  const { channels }: ChannelCatalog = catalog;
  const entry = channels.find((one) => one.id === channel);
  await checkId(entry !== undefined && isAvailable(entry) ? entry : undefined, id, group);
  const change = owner
    ? ownerChange(ownerEntry({ channel, accountId }, id), loaded)
    : group
      ? groupChange(id, place, loaded)
      : senderChange({ channel, accountId, id, place }, loaded);
  const result =
    change === undefined ? undefined : await setConfigValue(formatKeyPath(change.path), change.value, await configOptions(context.env));
  if (result?.type === "refused")
    throw new CliError("configInvalid", `${result.path} was not changed: ${result.problems.map(formatProblem).join("; ")}`);
  const reloaded = result === undefined ? undefined : await reloadGateway(context);
  if (json) {
    printJson(context, { channel, accountId, id, as: owner ? "owner" : group ? "group" : "guest", changed: result !== undefined });
    return EXIT.ok;
  }
  const role = owner ? "is the owner" : group ? "is an admitted group" : "may talk to the assistant";
  if (result === undefined) context.print(`${id} ${role} already.\n`);
  else {
    context.print(
      `${id} ${role} on ${owner && accountId === "default" ? channel : `${channel}/${accountId}`} from now on. A message that was refused is not answered later: write again.\n`,
    );
    context.note(`${describeReload(reloaded)}\n`);
  }
  return EXIT.ok;
}

interface Account {
  readonly channel: string;
  readonly accountId: string;
  /** The path of its settings. */
  readonly place: KeyPath;
}

interface Change {
  readonly path: KeyPath;
  readonly value: string[] | Record<string, never>;
}

function findAccount(written: string, loaded: LoadedConfig): Account {
  const [channel = "", named] = written.split(":");
  const accounts = Object.keys(loaded.config.channels[channel]?.accounts ?? {});
  const accountId = named ?? (accounts.length === 1 ? accounts[0] : undefined);
  if (accountId === undefined || !accounts.includes(accountId)) {
    const known = Object.entries(loaded.config.channels).flatMap(([id, one]) =>
      Object.keys(one.accounts).map((account) => `${id}:${account}`),
    );
    throw new CliError("usage", `There is no account "${written}" in the configuration.`, {
      fix: `Write one of these: ${known.join(", ") || "none is configured"}.`,
    });
  }
  const listed = getConfigValue(formatKeyPath(["channels", channel, "accounts"]), loaded).type === "set";
  return { channel, accountId, place: listed ? ["channels", channel, "accounts", accountId] : ["channels", channel] };
}

/** An id of the wrong kind matches no sender. */
async function checkId(channel: ChannelEntry | undefined, id: string, group: boolean): Promise<void> {
  const forms = await channel?.loadIdForms();
  const checkOf = (kind: keyof IdForms): ((id: string) => IdProblem | undefined) | undefined =>
    forms?.[kind] === undefined ? undefined : idCheck(forms[kind], kind);
  const [people, groups] = [checkOf("people"), checkOf("conversations")];
  const [check, other] = group ? [groups, people] : [people, groups];
  const problem = check?.(id);
  if (problem !== undefined && other !== undefined && other(id) === undefined)
    throw new CliError("usage", `"${id}" is the id of a ${group ? "person" : "group"} there, not of a ${group ? "group" : "person"}.`, {
      fix: group ? `Leave out --group, or: ${problem.fix}` : `Add --group to admit the group, or: ${problem.fix}`,
    });
  if (problem !== undefined) throw new CliError("usage", problem.message, { fix: problem.fix });
  if (id.trim() === "" || id === "*")
    throw new CliError("usage", "An id is the platform's own id of one person or group; the log names it when a message is refused.");
}

function ownerChange(entry: string, { config }: LoadedConfig): Change | undefined {
  const { ownerAllowFrom } = config.commands;
  return ownerAllowFrom.includes(entry) ? undefined : { path: ["commands", "ownerAllowFrom"], value: [...ownerAllowFrom, entry] };
}

function senderChange({ channel, accountId, id, place }: Account & { readonly id: string }, { config }: LoadedConfig): Change | undefined {
  const account = config.channels[channel]?.accounts[accountId];
  if (account?.dmPolicy === "disabled")
    throw new CliError("failure", `Direct messages are closed there: ${formatKeyPath([...place, "dmPolicy"])} is "disabled".`);
  // The defaults' list, as long as the account has no list of its own.
  const allowFrom = account?.allowFrom ?? [];
  return allowFrom.includes(id) ? undefined : { path: [...place, "allowFrom"], value: [...allowFrom, id] };
}

function groupChange(id: string, place: KeyPath, loaded: LoadedConfig): Change | undefined {
  const path = [...place, "groups", id];
  return getConfigValue(formatKeyPath(path), loaded).type === "set" ? undefined : { path, value: {} };
}
