import type { ChannelExtension } from "@factotum/channel-contract";
import {
  statePaths,
  type AvailableChannel,
  type ConfigProblem,
  type Environment,
  type LoadConfigOptions,
  type PackageProvider,
  type LoadedConfig,
  type PackageServers,
  type UnavailableChannel,
} from "@factotum/config";
import type { WebchatDependencies } from "@factotum/webchat";
import { isBuiltIn, readBuiltInManifest, readBuiltInSchema } from "../extensions/built-in.ts";
import { buildAgain } from "../extensions/build-again.ts";
import { findExtensions } from "../extensions/find-extensions.ts";
import type { FoundExtensions } from "../extensions/found-extensions.ts";
import { idCheck } from "../extensions/id-forms.ts";
import { KNOWN_EXTENSIONS } from "../extensions/known-extensions.ts";
import { pluginProviders } from "../extensions/plugin-providers.ts";
import { providedChannels, type ProvidedChannel } from "../extensions/provided-types.ts";
import type { FirstRunParts } from "../first-run/first-run-parts.ts";
import { knownChannels, type KnownExtensions } from "../runtime/known-extension.ts";

/** The services that built-in channels get from the gateway. */
export interface ChannelParts {
  readonly webchatSocket: WebchatDependencies["socket"];
}

/** What is known of a channel before it is loaded. */
type ChannelManifest = Pick<ProvidedChannel, "about" | "ids">;

/** A channel of this build or of an installed package. */
export interface ChannelEntry extends AvailableChannel {
  loadExtension(parts: ChannelParts): Promise<ChannelExtension>;
  /** What its manifest says about it. */
  loadManifest(): Promise<ChannelManifest>;
  /** How an owner is admitted to `channel:account` without a pairing code; for platforms that do not vouch for every sender. */
  readonly ownerWithoutCode?: (account: string) => string;
  /** All its senders are other agents, which are neither owners nor paired. */
  readonly isForBots?: true;
}

/** This file alone names the built-in channels; an extension is loaded when an account of it is configured. */
const ALL: readonly ChannelEntry[] = [
  {
    id: "a2a",
    isForBots: true,
    load: async () => readBuiltInSchema("a2a", async () => (await import("@factotum/a2a")).A2aConfigSchema),
    loadExtension: async () => erase((await import("@factotum/a2a")).a2aExtension),
    loadManifest: async () => builtInManifest("a2a"),
  },
  {
    id: "feishu",
    load: async () => readBuiltInSchema("feishu", async () => (await import("@factotum/feishu")).FeishuConfigSchema),
    loadExtension: async () => erase((await import("@factotum/feishu")).feishuExtension),
    loadManifest: async () => builtInManifest("feishu"),
  },
  {
    id: "irc",
    load: async () => readBuiltInSchema("irc", async () => (await import("@factotum/irc")).IrcConfigSchema),
    loadExtension: async () => erase((await import("@factotum/irc")).ircExtension),
    loadManifest: async () => builtInManifest("irc"),
    ownerWithoutCode: (account) =>
      `Log in to the network's services before you write: a nickname that is not logged in gets no code. On a network without services, admit your nickname, which anybody can take: factotum access allow ${account} nick:YOUR-NICK --owner`,
  },
  {
    id: "slack",
    load: async () => readBuiltInSchema("slack", async () => (await import("@factotum/slack")).SlackConfigSchema),
    loadExtension: async () => erase((await import("@factotum/slack")).slackExtension),
    loadManifest: async () => builtInManifest("slack"),
  },
  {
    id: "webchat",
    implicit: true,
    load: async () => readBuiltInSchema("webchat", async () => (await import("@factotum/webchat")).WebchatConfigSchema),
    loadManifest: async () => builtInManifest("webchat"),
    loadExtension: async ({ webchatSocket }) => erase((await import("@factotum/webchat")).webchatExtension({ socket: webchatSocket })),
  },
];

/** The built-in channels that this command contains. */
export const CHANNELS: readonly ChannelEntry[] = ALL.filter(({ id }) => isBuiltIn(id));

async function builtInManifest(id: string): Promise<ChannelManifest> {
  return providedChannels((await readBuiltInManifest(id)).provides).find((provided) => provided.id === id) ?? {};
}

/** Erases the account's type: it is parsed by the extension's own schema before `create` gets it. */
function erase<Config>(extension: ChannelExtension<Config>): ChannelExtension {
  const { id, api, configSchema } = extension;
  return { id, api, configSchema, create: (config, host) => extension.create(configSchema.parse(config), host) };
}

/** The channels of this build, of the installed packages and of the release's list. */
export interface ChannelCatalog {
  readonly channels: readonly (ChannelEntry | UnavailableChannel)[];
  /** Packages that are not used, and why. */
  readonly notices: readonly ConfigProblem[];
  /** Providers of models of installed packages. */
  readonly packageProviders: readonly PackageProvider[];
  /** Folders of skills of installed packages. */
  readonly skillFolders: readonly string[];
  /** MCP servers and language servers of installed packages. */
  readonly packageServers: PackageServers;
}

/** Finds all channels without loading any. `known` defaults to the list of the release. */
export async function channelCatalog(env: Environment, known: KnownExtensions = KNOWN_EXTENSIONS): Promise<ChannelCatalog> {
  const found = await findInstalled(env);
  const available: ChannelEntry[] = [
    ...CHANNELS,
    ...found.channels.map((channel): ChannelEntry => ({
      id: channel.id,
      load: async () => (await import("../extensions/load-channel.ts")).readChannelSchema(channel),
      loadManifest: () => Promise.resolve(channel),
      loadExtension: async () => erase(await (await import("../extensions/load-channel.ts")).loadChannelExtension(channel)),
    })),
  ];
  const entries = available.map(withMemberCheck);
  const isTaken = new Set(available.map(({ id }) => id));
  const unavailable = new Map<string, string>();
  for (const id of knownChannels(known)) unavailable.set(id, `no package provides this channel; install it: factotum channels add ${id}`);
  for (const id of found.build?.others ?? []) unavailable.set(id, missingInBuild(id, found.build?.channels ?? []));
  for (const { channelIds, message } of found.problems) for (const id of channelIds) unavailable.set(id, message);
  return {
    channels: [...entries, ...[...unavailable].flatMap(([id, why]) => (isTaken.has(id) ? [] : [{ id, unavailable: why }]))],
    notices: found.problems.map(({ message }): ConfigProblem => ({ type: "extension", path: "", message })),
    packageProviders: pluginProviders(found.plugins),
    skillFolders: found.skills.map(({ folder }) => folder),
    packageServers: found.servers,
  };
}

/** The configuration's check of people in groups, by the form of the channel's ids. */
function withMemberCheck(entry: ChannelEntry): ChannelEntry {
  return {
    ...entry,
    memberIdProblem: async (id) => {
      const { people, members = people } = (await entry.loadManifest()).ids ?? {};
      const problem = members === undefined ? undefined : idCheck(members, "members")(id);
      return problem === undefined ? undefined : `${problem.message} ${problem.fix}`;
    },
  };
}

/** For a channel that is configured and that the deployment was built without. */
function missingInBuild(id: string, channels: readonly string[]): string {
  const chosen = [...channels.filter((other) => CHANNELS.find((entry) => entry.id === other)?.implicit !== true), id];
  return `this deployment was built without this channel; build it again ${buildAgain(chosen)}`;
}

/** The installed extensions of a state directory and of the deployment. */
export async function findInstalled(env: Environment): Promise<FoundExtensions> {
  return findExtensions(statePaths(env), { builtIn: new Map(CHANNELS.map(({ id }) => [id, `@factotum/${id}`])) });
}

/** What a first run needs of extensions. Packages are looked for when they are asked for. */
export function firstRunExtensions(env: Environment): Pick<FirstRunParts, "channels" | "packageProviders"> {
  return { channels: CHANNELS, packageProviders: async () => pluginProviders((await findInstalled(env)).plugins) };
}

/** Names the package whose server of a name is used; `undefined` for a server of the configuration. */
export function packageOf(
  kind: "mcp" | "lsp",
  { written }: Pick<LoadedConfig, "written">,
  servers: PackageServers,
): (name: string) => string | undefined {
  const section = written[kind] as { readonly servers?: object } | undefined;
  return (name) => (Object.hasOwn(section?.servers ?? {}, name) ? undefined : servers[kind].find((one) => one.name === name)?.packageName);
}

/** What `loadConfig` and `setConfigValue` need to know: the environment and all channels. */
export async function configOptions(env: Environment): Promise<LoadConfigOptions & ChannelCatalog> {
  return { env, ...(await channelCatalog(env)) };
}
