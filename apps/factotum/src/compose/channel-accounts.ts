import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { ChannelError } from "@factotum/channel-contract";
import * as z from "zod";
import {
  accountProblems,
  isAvailable,
  resolveAccountSettings,
  secretFiles,
  statePaths,
  type AccountConfig,
  type Environment,
  type FactotumConfig,
} from "@factotum/config";
import type { ChannelAccount } from "@factotum/gateway";
import type { SecretFilter } from "../runtime/secret-filter.ts";
import { channelCatalog, CHANNELS, type ChannelEntry, type ChannelParts } from "./extensions.ts";

interface AccountOptions {
  readonly parts: ChannelParts;
  readonly env: Environment;
  readonly secrets: SecretFilter;
}

/** Every configured account with a factory of its channel. */
export function channelAccounts(config: FactotumConfig, options: AccountOptions): ChannelAccount[] {
  return Object.values(config.channels).flatMap(({ accounts }) =>
    Object.values(accounts).map((account) => ({
      channel: account.channel,
      accountId: account.accountId,
      config: account,
      create: (host) => createChannel(account, { ...options, host }),
      ...secretsDigestOf(account, options.env),
    })),
  );
}

/** A program that prints a secret is not run for it. */
function secretsDigestOf({ channel, settings }: AccountConfig, env: Environment): Pick<ChannelAccount, "secretsDigest"> {
  const files = secretFiles({ channels: { [channel]: settings } }, statePaths(env));
  if (files.length === 0) return {};
  return {
    secretsDigest: async () => {
      const contents = await Promise.all(files.map(async (file) => readFile(file, "utf8").catch(() => "")));
      return createHash("sha256")
        .update(JSON.stringify(contents.map((content) => content.trim())))
        .digest("base64");
    },
  };
}

type Host = Parameters<ChannelAccount["create"]>[0];

/** Resolves the account's secrets, validates its settings as a whole and creates its channel. Rejects with a `ChannelError` that says what to set. */
async function createChannel(
  account: AccountConfig,
  options: AccountOptions & { readonly host: Host },
): ReturnType<ChannelAccount["create"]> {
  const place = `channels.${account.channel}${account.accountId === "default" ? "" : `.accounts.${account.accountId}`}`;
  const resolved = await resolveAccountSettings(account.settings, { env: options.env });
  if (resolved.type === "unresolved") {
    throw new ChannelError("unauthorized", `${place} is off: ${resolved.problems.join("; ")}`, { retry: { type: "never" } });
  }
  options.secrets.add(resolved.secrets);
  try {
    const entry = await findEntry(account.channel, options.env);
    return await createFrom(entry, { place, settings: resolved.settings, options });
  } catch (error) {
    if (error instanceof ChannelError) throw error;
    throw new ChannelError("rejected", `${place} is off: ${reasonOf(error)}`, { retry: { type: "never" }, cause: error });
  }
}

/** The issues of a schema in one line, each behind its key: an extension brings a zod of its own, so they are known by their shape. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { success, data } = IssuesSchema.safeParse(error);
  if (!success) return error.message;
  return data.issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`)).join("; ");
}

const IssuesSchema = z.object({
  issues: z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })).min(1),
});

interface Creation {
  /** The account's key in the configuration. */
  readonly place: string;
  /** With resolved secrets. */
  readonly settings: Record<string, unknown>;
  readonly options: AccountOptions & { readonly host: Host };
}

async function createFrom(entry: ChannelEntry, { place, settings, options }: Creation): ReturnType<ChannelAccount["create"]> {
  const [problem] = accountProblems({ id: entry.id, schema: await entry.load() }, settings);
  if (problem !== undefined) {
    const key = problem.path.slice(`channels.${entry.id}.`.length);
    throw new ChannelError("rejected", `${place} is off: ${key}: ${problem.message}`, { retry: { type: "never" } });
  }
  const extension = await entry.loadExtension(options.parts);
  return extension.create(settings, options.host);
}

/** An installed one is looked up when an account starts, because a package may have been installed since the configuration was read. */
async function findEntry(id: string, env: Environment): Promise<ChannelEntry> {
  const builtIn = CHANNELS.find((channel) => channel.id === id);
  if (builtIn !== undefined) return builtIn;
  const entry = (await channelCatalog(env)).channels.find((channel) => channel.id === id);
  if (entry === undefined) throw new Error(`no package provides the channel "${id}"`);
  if (!isAvailable(entry)) throw new Error(entry.unavailable);
  return entry;
}
