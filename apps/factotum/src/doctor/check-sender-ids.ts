import type { FactotumConfig } from "@factotum/config";
import { CHANNELS } from "../compose/extensions.ts";
import type { Finding } from "./finding.ts";

/** Ids of people in the configuration that match no one, because the channel identifies its senders by another kind of id. */
export async function checkSenderIds(config: FactotumConfig): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { id: channel, loadSenderIdCheck } of CHANNELS) {
    const entries = senderIds(config, channel);
    if (entries.length === 0 || loadSenderIdCheck === undefined) continue;
    const problemOf = await loadSenderIdCheck();
    for (const { place, id } of entries) {
      const problem = problemOf(id);
      if (problem === undefined) continue;
      findings.push({ check: "sender-id", level: "warning", message: `${place}: ${problem.message}`, fix: problem.fix });
    }
  }
  return findings;
}

interface SenderId {
  /** The key that contains it. */
  readonly place: string;
  readonly id: string;
}

/** Every configured id of a person of this channel. */
function senderIds({ channels, commands, session }: FactotumConfig, channel: string): readonly SenderId[] {
  const prefix = `${channel}:`;
  const withPrefix = (place: string, entries: readonly string[]): readonly SenderId[] =>
    entries.flatMap((entry) => (entry.startsWith(prefix) ? [{ place, id: entry.slice(prefix.length) }] : []));
  const accounts = Object.entries(channels[channel]?.accounts ?? {}).flatMap(([accountId, { allowFrom, groups }]) => {
    const account = `channels.${channel}${accountId === "default" ? "" : `.accounts.${accountId}`}`;
    return [
      ...allowFrom.map((id) => ({ place: `${account}.allowFrom`, id })),
      ...Object.entries(groups).flatMap(([group, { allowFrom: members = [] }]) =>
        members.map((id) => ({ place: `${account}.groups.${group}.allowFrom`, id })),
      ),
    ];
  });
  return [
    ...withPrefix("commands.ownerAllowFrom", commands.ownerAllowFrom),
    ...Object.entries(session.identityLinks).flatMap(([name, entries]) => withPrefix(`session.identityLinks.${name}`, entries)),
    ...accounts,
  ];
}
