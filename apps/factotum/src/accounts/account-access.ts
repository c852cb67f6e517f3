import { withoutUndefined, type JsonValue } from "@factotum/agent-contract";
import {
  changeConfig,
  formatKeyPath,
  formatProblem,
  getConfigValue,
  isAvailable,
  loadConfig,
  valueAt,
  type AccountConfig,
  type ConfigEdit,
  type Environment,
  type KeyPath,
  type LoadedConfig,
} from "@factotum/config";
import type { AccessRole, AccountAccess, DmPolicy, GroupPolicy } from "@factotum/protocol";
import { ownerEntry } from "../compose/account-name.ts";
import { channelCatalog, configOptions } from "../compose/extensions.ts";
import { idCheck, type IdForms, type IdProblem } from "../extensions/id-forms.ts";
import { CliError } from "../runtime/cli-error.ts";
import { refusedStart } from "../runtime/refused-start.ts";

/** A configured account, and where its settings are written. */
interface AccountRules {
  readonly loaded: LoadedConfig;
  readonly account: AccountConfig;
  readonly place: KeyPath;
  /** The forms of its ids, as far as they are known. */
  readonly forms: IdForms | undefined;
}

/** A change of who may write; `undefined` leaves it. */
export type AccessChange =
  | { readonly type: "allow" | "remove"; readonly id: string; readonly as: AccessRole }
  | { readonly type: "policy"; readonly dmPolicy?: DmPolicy | undefined; readonly groupPolicy?: GroupPolicy | undefined };

/** The account that a person names, as `channel:account` or as a channel with one account. Rejects with a `CliError` that lists the others. */
export async function namedAccount(env: Environment, written: string): Promise<Pick<AccountConfig, "channel" | "accountId">> {
  const loaded = await load(env);
  const [channel = "", named] = written.split(":");
  const accounts = Object.keys(loaded.config.channels[channel]?.accounts ?? {});
  const accountId = named ?? (accounts.length === 1 ? accounts[0] : undefined);
  if (accountId !== undefined && accounts.includes(accountId)) return { channel, accountId };
  const known = Object.entries(loaded.config.channels).flatMap(([id, one]) =>
    Object.keys(one.accounts).map((account) => `${id}:${account}`),
  );
  throw new CliError("usage", `There is no account "${written}" in the configuration.`, {
    fix: `Write one of these: ${known.join(", ") || "none is configured"}.`,
  });
}

/** Who may write to an account. Rejects with a `CliError` for an unknown one. */
export async function readAccess(env: Environment, address: Pick<AccountConfig, "channel" | "accountId">): Promise<AccountAccess> {
  const { account, loaded, forms } = await rulesOf(env, address);
  const { dmPolicy, groupPolicy, allowFrom, groups } = account;
  const prefixes = ownerPrefixes(address);
  return {
    dmPolicy,
    groupPolicy,
    allowFrom,
    groups: Object.keys(groups),
    owners: [
      ...new Set(
        loaded.config.commands.ownerAllowFrom.flatMap((entry) => {
          const prefix = prefixes.find((one) => entry.startsWith(one));
          return prefix === undefined ? [] : [entry.slice(prefix.length)];
        }),
      ),
    ],
    forms: withoutUndefined({ people: forms?.people?.form, groups: forms?.conversations?.form }),
  };
}

/** Changes who may write; false if it holds already. Rejects with a `CliError` that says what to do; then nothing was changed. */
export async function changeAccess(
  env: Environment,
  address: Pick<AccountConfig, "channel" | "accountId">,
  change: AccessChange,
): Promise<boolean> {
  const rules = await rulesOf(env, address);
  const edits = editsOf(change, rules);
  if (edits.length === 0) return false;
  const result = await changeConfig(() => edits, await configOptions(env));
  if (result.type !== "refused") return result.type === "written";
  throw new CliError("configInvalid", `${result.path} was not changed: ${result.problems.map(formatProblem).join("; ")}`);
}

function editsOf(change: AccessChange, rules: AccountRules): readonly ConfigEdit[] {
  const { account, place, loaded } = rules;
  if (change.type === "policy") return policyEdits(change, rules);
  const { id, as } = change;
  if (change.type === "allow") checkId(rules, id, as === "group");
  const isKept = change.type === "allow";
  switch (as) {
    case "owner": {
      const { ownerAllowFrom } = loaded.config.commands;
      const own = ownerPrefixes(account).map((prefix) => `${prefix}${id}`);
      const isThere = isKept ? ownerAllowFrom.includes(ownerEntry(account, id)) : own.some((entry) => ownerAllowFrom.includes(entry));
      if (isThere === isKept) return [];
      const value = isKept ? [...ownerAllowFrom, ownerEntry(account, id)] : ownerAllowFrom.filter((entry) => !own.includes(entry));
      return [{ path: ["commands", "ownerAllowFrom"], value }];
    }
    case "group": {
      const path = [...place, "groups", id];
      const isSet = valueAt(loaded.written, path) !== undefined;
      if (isSet === isKept) return [];
      return [{ path, value: isKept ? {} : undefined }];
    }
    case "guest": {
      if (isKept && account.dmPolicy === "disabled")
        throw new CliError("failure", `Direct messages are closed there: ${formatKeyPath([...place, "dmPolicy"])} is "disabled".`);
      // The defaults' list, as long as the account has no list of its own.
      const { allowFrom } = account;
      if (allowFrom.includes(id) === isKept) return [];
      return [{ path: [...place, "allowFrom"], value: isKept ? [...allowFrom, id] : allowFrom.filter((one) => one !== id) }];
    }
  }
}

function policyEdits({ dmPolicy, groupPolicy }: Extract<AccessChange, { type: "policy" }>, rules: AccountRules): readonly ConfigEdit[] {
  const { account, place } = rules;
  const edits: { path: KeyPath; value: JsonValue }[] = [];
  if (dmPolicy !== undefined && dmPolicy !== account.dmPolicy) edits.push({ path: [...place, "dmPolicy"], value: dmPolicy });
  // Without the entry no one would be admitted, and with it under another policy everybody.
  const { allowFrom } = account;
  if (dmPolicy === "open" && !allowFrom.includes("*")) edits.push({ path: [...place, "allowFrom"], value: [...allowFrom, "*"] });
  if (dmPolicy !== undefined && dmPolicy !== "open" && account.dmPolicy === "open" && allowFrom.includes("*"))
    edits.push({ path: [...place, "allowFrom"], value: allowFrom.filter((one) => one !== "*") });
  if (groupPolicy !== undefined && groupPolicy !== account.groupPolicy) edits.push({ path: [...place, "groupPolicy"], value: groupPolicy });
  return edits;
}

/** How the owner list may begin an entry for a person of the account. */
function ownerPrefixes({ channel, accountId }: Pick<AccountConfig, "channel" | "accountId">): readonly string[] {
  return [`${channel}/${accountId}:`, `${channel}:`];
}

/** An id of the wrong kind matches no sender. */
function checkId({ forms }: AccountRules, id: string, group: boolean): void {
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

async function rulesOf(env: Environment, { channel, accountId }: Pick<AccountConfig, "channel" | "accountId">): Promise<AccountRules> {
  const loaded = await load(env);
  const accounts = Object.hasOwn(loaded.config.channels, channel) ? (loaded.config.channels[channel]?.accounts ?? {}) : {};
  const account = Object.hasOwn(accounts, accountId) ? accounts[accountId] : undefined;
  if (account === undefined) throw new CliError("usage", `There is no account "${channel}:${accountId}" in the configuration.`);
  const listed = getConfigValue(formatKeyPath(["channels", channel, "accounts"]), loaded).type === "set";
  const place = listed ? ["channels", channel, "accounts", accountId] : ["channels", channel];
  const entry = (await channelCatalog(env)).channels.find((one) => one.id === channel);
  const forms = entry !== undefined && isAvailable(entry) ? (await entry.loadManifest()).ids : undefined;
  return { loaded, account, place, forms };
}

async function load(env: Environment): Promise<LoadedConfig> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type === "refused") throw refusedStart(loaded);
  return loaded;
}
