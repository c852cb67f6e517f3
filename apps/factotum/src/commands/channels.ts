import { formatProblem, isAvailable, loadConfig, type AccountConfig, type LoadedConfig } from "@factotum/config";
import type { ChannelRemoval } from "@factotum/protocol";
import { accountName } from "../compose/account-name.ts";
import { channelCatalog, configOptions, findInstalled } from "../compose/extensions.ts";
import { findGateway, requestError } from "../rpc/connect-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { renderTable } from "../runtime/render-table.ts";
import { installableChannels } from "../accounts/channel-packages.ts";
import { discardWaiting } from "./discard-waiting.ts";
import type { InspectedAccount } from "./inspect-account.ts";
import { refusedStart } from "../runtime/refused-start.ts";
import { removeAccount } from "../accounts/remove-account.ts";
import { describeOldSecret, describePairing, describeRefused, describeState } from "./status.ts";

interface Format {
  readonly json: boolean;
}

/** What becomes of an event that was not stored. */
const GUARANTEES = {
  redelivers: "redelivered until stored",
  resumes: "resumed after an interruption",
  once: "delivered once",
} as const;

/** Lists the channels of this build and of the installed packages, with their configured accounts. */
export async function channelsList(context: CliContext, { json }: Format): Promise<number> {
  const { config } = await load(context);
  const [{ channels }, found] = [await channelCatalog(context.env), await findInstalled(context.env)];
  const installable = await installableChannels(context);
  const listed = channels.map(async (channel) => {
    const accounts = Object.values(config.channels[channel.id]?.accounts ?? {});
    return {
      id: channel.id,
      package: found.channels.find(({ id }) => id === channel.id)?.packageName ?? (isAvailable(channel) ? `@factotum/${channel.id}` : null),
      accounts: accounts.map(({ accountId, enabled }) => ({ accountId, enabled })),
      ...(isAvailable(channel) ? {} : { unavailable: channel.unavailable }),
      about: isAvailable(channel) ? (await channel.loadManifest()).about : installable.find(({ id }) => id === channel.id)?.about,
    };
  });
  const others = installable
    .filter(({ id }) => channels.every((channel) => channel.id !== id))
    .map(({ id, about }) => ({
      id,
      package: null,
      accounts: [],
      unavailable: `not installed; install it: factotum channels add ${id}`,
      about,
    }));
  const rows = [...(await Promise.all(listed)), ...others];
  if (json) {
    printJson(context, { channels: rows });
    return EXIT.ok;
  }
  const table = rows.map(({ id, package: name, accounts, unavailable }) => [
    id,
    name ?? "",
    unavailable ?? (accounts.map(({ accountId, enabled }) => `${accountId}${enabled ? "" : " (off)"}`).join(", ") || "not configured"),
  ]);
  context.print(renderTable(["CHANNEL", "PACKAGE", "ACCOUNTS"], table));
  return EXIT.ok;
}

/** The state of every account in the running gateway, with the people who ask to be admitted and the messages that were refused. */
export async function channelsStatus(context: CliContext, { json }: Format): Promise<number> {
  using gateway = await findGateway(context);
  if (gateway === undefined) throw new CliError("notRunning", "No gateway is running.", { fix: 'Start it with "factotum gateway start".' });
  try {
    const { channels, pairing, refused } = await gateway.client.request("status", {}, { signal: context.signal });
    if (json) printJson(context, { channels, pairing, refused });
    else {
      for (const account of channels) {
        const { channel, accountId, detail, inbound } = account;
        const path = inbound === undefined ? "" : `, by ${inbound.transport}, ${GUARANTEES[inbound.delivery]}`;
        context.print(`${channel}/${accountId}: ${describeState(account)}${path}${detail === undefined ? "" : ` (${detail})`}\n`);
        for (const line of describeOldSecret(account)) context.print(`${line}\n`);
      }
      const nowMs = Date.now();
      for (const line of [...describePairing(pairing, nowMs), ...describeRefused(refused, nowMs)]) context.print(`${line}\n`);
    }
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** Removes an account with the private files of its secrets, its approvals, and what waits to be sent there. */
export async function channelsRemove(context: CliContext, named: string, { json }: Format): Promise<number> {
  const loaded = await load(context);
  const account = accountOf(named, loaded);
  const { channel, accountId } = account;
  const removal = await removeRunning(context, account);
  const { key, credentials, admitting, owners, discarded, pairings } = removal ?? (await removeStopped(context, account, loaded));
  if (json) printJson(context, { removed: key, credentials, discarded });
  else {
    context.print(
      `${channel}/${accountId} is removed from the configuration${credentials.length === 0 ? "" : ", and the files of its secrets are deleted"}.\n`,
    );
    const removed = [...admitting, ...(pairings > 0 ? ["pairings"] : [])];
    if (removed.length > 0) context.print(`Who was admitted there is removed with it: ${removed.join(", ")}.\n`);
    if (discarded > 0) context.print(`${describeDiscarded(discarded)}\n`);
    if (owners.length > 0) context.note(ownersNote(owners, loaded.config));
    if (removal === undefined)
      context.note('Who was admitted by pairing stays so for an account of this name, until "factotum pairing revoke".\n');
  }
  return EXIT.ok;
}

/** `undefined` without a running gateway. */
async function removeRunning(context: CliContext, { channel, accountId }: AccountConfig): Promise<ChannelRemoval | undefined> {
  using gateway = await findGateway(context);
  try {
    return await gateway?.client.request("channels.remove", { channel, accountId }, { signal: context.signal });
  } catch (error) {
    throw requestError(error);
  }
}

/** Pairings are known to a running gateway alone. */
async function removeStopped(context: CliContext, account: AccountConfig, loaded: LoadedConfig): Promise<ChannelRemoval> {
  const { channel, accountId } = account;
  const removed = await removeAccount(context, account, loaded);
  const discarded = await discardWaiting(context, { channel, accountId }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    context.note(`! What waits to be sent there goes to the next account of this name. ${reason}\n`);
    return 0;
  });
  return { ...removed, discarded, pairings: 0 };
}

/** The same account, added again, can send them. */
function describeDiscarded(count: number): string {
  const messages = count === 1 ? "1 message that waits to be sent there is" : `${count} messages that wait to be sent there are`;
  return `${messages} kept, and not sent by another account: factotum deadletters list`;
}

/** Another account of the channel may give the id to somebody else. */
function ownersNote(owners: readonly string[], { commands }: LoadedConfig["config"]): string {
  const left = commands.ownerAllowFrom.filter((entry) => !owners.includes(entry));
  return `Still an owner: ${owners.join(", ")}. Unless you add the same account again: factotum config set commands.ownerAllowFrom '${JSON.stringify(left)}'\n`;
}

/** Checks an account's credential and permissions. */
export async function channelsProbe(context: CliContext, named: string, { json }: Format): Promise<number> {
  return inspect(context, named, async (name, { probe }) => {
    if (probe === undefined) throw new CliError("failure", `${name} cannot be probed: the channel has no call for it.`);
    const {
      account,
      missingPermissions,
      problems = [],
      notes = [],
    } = await probe().catch((error: unknown) => {
      throw new CliError("failure", `${name} does not work: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    });
    if (json) printJson(context, { channel: name, account, missingPermissions, problems, notes });
    else {
      const known = account.name === undefined ? account.id : `${account.name} (${account.id})`;
      context.print(`${name} ${problems.length === 0 ? "works" : "is logged in"}: ${known}\n`);
      for (const permission of missingPermissions) context.print(`! it lacks the permission ${permission}\n`);
      for (const problem of problems) context.print(`! ${problem}\n`);
      for (const note of notes) context.print(`  ${note}\n`);
    }
    return missingPermissions.length + problems.length === 0 ? EXIT.ok : EXIT.failure;
  });
}

/** Logs an account in, step by step. */
export async function channelsLogin(context: CliContext, named: string, format: Format): Promise<number> {
  const account = accountOf(named, await load(context));
  const { loginAccount } = await import("./channels-login.ts");
  return loginAccount(context, account, format);
}

/** What a channel can do, as it declares it. */
export async function channelsCapabilities(context: CliContext, named: string, { json }: Format): Promise<number> {
  return inspect(context, named, async (name, { capabilities }) => {
    if (json) {
      printJson(context, { channel: name, capabilities });
      return EXIT.ok;
    }
    const rows = Object.entries(capabilities).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]);
    context.print(renderTable(["CAPABILITY", "VALUE"], rows));
    return EXIT.ok;
  });
}

async function inspect(
  context: CliContext,
  named: string,
  work: (name: string, inspected: InspectedAccount) => Promise<number>,
): Promise<number> {
  const loaded = await load(context);
  const account = accountOf(named, loaded);
  const name = `${account.channel}/${account.accountId}`;
  const { inspectAccount } = await import("./inspect-account.ts");
  return inspectAccount(context, { config: loaded.config, account }, async (inspected) => work(name, inspected));
}

async function load({ env }: CliContext): Promise<LoadedConfig> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type === "refused") throw refusedStart(loaded);
  return loaded;
}

/** The account that `channel:account` names; a channel alone means its account `default`, or its only one. */
export function accountOf(named: string, { config, problems }: LoadedConfig): AccountConfig {
  const [channel = "", accountId] = named.split(":");
  const accounts = Object.values(config.channels[channel]?.accounts ?? {});
  const account =
    accounts.find((one) => one.accountId === (accountId ?? "default")) ?? (accountId === undefined ? onlyOne(accounts) : undefined);
  if (account !== undefined) return account;
  const unusable = problems.find(({ type, path }) => type === "unknown-channel" && path === `channels.${channel}`);
  if (unusable !== undefined) throw new CliError("failure", `"${named}" cannot be used: ${formatProblem(unusable)}`);
  const known = Object.values(config.channels).flatMap(({ accounts: byId }) => Object.values(byId).map(accountName));
  const isAmbiguous = accountId === undefined && accounts.length > 1;
  throw new CliError(
    "usage",
    isAmbiguous ? `The channel "${named}" has several accounts.` : `There is no account "${named}" in the configuration.`,
    {
      fix:
        known.length === 0
          ? "Add one with: factotum channels add <channel>"
          : `Write one of these: ${(isAmbiguous ? accounts.map(accountName) : known).join(", ")}.`,
    },
  );
}

function onlyOne(accounts: readonly AccountConfig[]): AccountConfig | undefined {
  return accounts.length === 1 ? accounts[0] : undefined;
}
