import type { FactotumConfig } from "@factotum/config";
import type { SenderIdProblem } from "../compose/sender-id-problems.ts";
import { ownerEntry, parseOwnerEntry } from "../compose/account-name.ts";
import { CHANNELS } from "../compose/extensions.ts";
import { ok, type Finding } from "./finding.ts";

type OwnerEntry = NonNullable<ReturnType<typeof parseOwnerEntry>>;
type Account = FactotumConfig["channels"][string]["accounts"][string];

/** A built-in channel without configuration admits every client with the gateway's token, and needs no allowlist. */
const WITH_TOKEN: ReadonlySet<string> = new Set(CHANNELS.flatMap(({ id, implicit }) => (implicit === true ? [id] : [])));

const FOR_BOTS: ReadonlySet<string> = new Set(CHANNELS.flatMap(({ id, isForBots }) => (isForBots === true ? [id] : [])));

const PAIR =
  'Write to the bot there, then approve the code that it answers with: "factotum pairing approve CODE". The first person becomes the owner.';

/** Later approvals make guests. */
function joinOwners(account: string): string {
  return `Write to the bot there. "factotum pairing list" then shows your id, and "factotum access allow ${account} ID --owner" makes you an owner; an approval would make you a guest, because there is an owner already.`;
}

/**
 * Accounts that refuse everyone, and accounts that admit more people than their owner may think. `problems`: ids that match no one; who has one is no owner.
 */
export function checkAccounts({ channels, commands }: FactotumConfig, problems: readonly SenderIdProblem[]): readonly Finding[] {
  const isPossible = (owner: OwnerEntry): boolean => !problems.some(({ channel, id }) => channel === owner.channel && id === owner.id);
  const owners = commands.ownerAllowFrom.flatMap((entry) => parseOwnerEntry(entry) ?? []).filter(isPossible);
  const accounts = Object.values(channels).flatMap(({ accounts: byId }) => Object.values(byId));
  return accounts
    .filter(({ enabled, channel }) => enabled && !WITH_TOKEN.has(channel))
    .flatMap((account) => (FOR_BOTS.has(account.channel) ? checkBotAccount(account) : checkAccount(account, owners)));
}

/** An account whose senders are other agents has no owner. */
function checkBotAccount({ channel, accountId, allowBots, dmPolicy, allowFrom }: Account): readonly Finding[] {
  const name = `${channel}/${accountId}`;
  if (allowBots !== false && dmPolicy !== "disabled" && allowFrom.length > 0)
    return [ok("account", `${name} has agents that may talk to it`)];
  const key = `channels.${channel}${accountId === "default" ? "" : `.accounts.${accountId}`}`;
  return [
    {
      check: "account",
      level: "error",
      message: `No agent may talk to ${name}: allowBots and allowFrom must admit it.`,
      fix: `factotum config set ${key}.allowBots true, then: factotum access allow ${channel}:${accountId} PEER`,
    },
  ];
}

function checkAccount(account: Account, owners: readonly OwnerEntry[]): readonly Finding[] {
  const { channel, accountId, dmPolicy, allowFrom, groupPolicy, groups } = account;
  const name = `${channel}/${accountId}`;
  const key = `channels.${channel}${accountId === "default" ? "" : `.accounts.${accountId}`}`;
  const hasOwner = owners.some((owner) => owner.channel === channel && (owner.accountId ?? accountId) === accountId);
  const findings: Finding[] = [];
  if (!admitsDirect(account, hasOwner) && !admitsGroups(account)) {
    findings.push({
      check: "account",
      level: "error",
      message: `Nobody may talk to ${name}: no owner, no allowFrom and no group admits anyone.`,
      fix: `Make yourself the owner: factotum config set commands.ownerAllowFrom '["${ownerEntry(account, "YOUR-ID")}"]'${dmPolicy === "disabled" ? `, and factotum config unset ${key}.dmPolicy` : ""}. The log names the id of whoever writes and is refused.`,
    });
  } else if (!hasOwner) {
    findings.push({
      check: "account",
      level: "warning",
      message: `${name} has no owner: nobody may give it commands or run tools there.`,
      fix:
        dmPolicy === "pairing"
          ? [
              owners.length === 0 ? PAIR : joinOwners(`${channel}:${accountId}`),
              CHANNELS.find(({ id }) => id === channel)?.ownerWithoutCode?.(`${channel}:${accountId}`) ?? [],
            ]
              .flat()
              .join(" ")
          : `factotum config set commands.ownerAllowFrom '["${ownerEntry(account, "YOUR-ID")}"]'`,
    });
  }
  const unused = (what: string, why: string): Finding => ({
    check: "unused",
    level: "warning",
    message: `${key}.${what} has no effect: ${why}.`,
    fix: `factotum config unset ${key}.${what}`,
  });
  if (dmPolicy === "disabled" && allowFrom.length > 0) findings.push(unused("allowFrom", 'dmPolicy is "disabled"'));
  if (groupPolicy === "disabled" && Object.keys(groups).length > 0) findings.push(unused("groups", 'groupPolicy is "disabled"'));
  if (dmPolicy === "open") {
    findings.push({
      check: "unsafe",
      level: "warning",
      message: `${name} lets everybody write to the assistant, on your account with the provider.`,
      fix: `Name who may: factotum config set ${key}.allowFrom '["THEIR-ID"]' after factotum config set ${key}.dmPolicy allowlist`,
    });
  }
  if (groupPolicy === "open") {
    findings.push({
      check: "unsafe",
      level: "warning",
      message: `${name} answers in every group that somebody adds it to.`,
      fix: `Name the groups under ${key}.groups, and run: factotum config set ${key}.groupPolicy allowlist`,
    });
  }
  return findings.length === 0 ? [ok("account", `${name} has people who may talk to it`)] : findings;
}

/** Under `pairing` everybody may ask. */
function admitsDirect({ dmPolicy, allowFrom }: Account, hasOwner: boolean): boolean {
  return dmPolicy === "pairing" || (dmPolicy !== "disabled" && (hasOwner || allowFrom.length > 0));
}

function admitsGroups({ groupPolicy, groups }: Account): boolean {
  if (groupPolicy === "disabled") return false;
  return groupPolicy === "open" || Object.values(groups).some(({ allowFrom }) => allowFrom === undefined || allowFrom.length > 0);
}
