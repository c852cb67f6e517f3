import { ChannelError } from "@factotum/channel-contract";
import { accountProblems, resolveAccountSettings, type AccountConfig, type Environment, type FactotumConfig } from "@factotum/config";
import type { ChannelAccount } from "@factotum/gateway";
import type { SecretFilter } from "../runtime/secret-filter.ts";
import { CHANNELS, type ChannelEntry, type ChannelParts } from "./extensions.ts";

interface AccountOptions {
  readonly parts: ChannelParts;
  readonly env: Environment;
  readonly secrets: SecretFilter;
}

/** Every configured account with a factory of its channel. */
export function channelAccounts(config: FactotumConfig, options: AccountOptions): ChannelAccount[] {
  return CHANNELS.flatMap((entry) =>
    Object.values(config.channels[entry.id]?.accounts ?? {}).map((account) => ({
      channel: account.channel,
      accountId: account.accountId,
      config: account,
      create: (host) => createChannel(entry, account, { ...options, host }),
    })),
  );
}

type Host = Parameters<ChannelAccount["create"]>[0];

/** Resolves the account's secrets, validates its settings as a whole and creates its channel. Rejects with a `ChannelError` that says what to set. */
async function createChannel(
  entry: ChannelEntry,
  account: AccountConfig,
  options: AccountOptions & { readonly host: Host },
): ReturnType<ChannelAccount["create"]> {
  const place = `channels.${account.channel}${account.accountId === "default" ? "" : `.accounts.${account.accountId}`}`;
  const resolved = await resolveAccountSettings(account.settings, { env: options.env });
  if (resolved.type === "unresolved") {
    throw new ChannelError("unauthorized", `${place} is off: ${resolved.problems.join("; ")}`, { retry: { type: "never" } });
  }
  options.secrets.add(resolved.secrets);
  const [problem] = accountProblems({ id: entry.id, schema: await entry.load() }, resolved.settings);
  if (problem !== undefined) {
    const key = problem.path.slice(`channels.${entry.id}.`.length);
    throw new ChannelError("rejected", `${place} is off: ${key}: ${problem.message}`, { retry: { type: "never" } });
  }
  const extension = await entry.loadExtension(options.parts);
  return extension.create(resolved.settings, options.host);
}
