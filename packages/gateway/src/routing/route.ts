import type { Conversation, Origin } from "@factotum/channel-contract";
import { isOwnersPerson } from "../access/owner.ts";
import { personId, scopedOrigin } from "../kernel/person-id.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { EarlierAddresses } from "../channels/conversation-moves.ts";
import { agentSessionKey, GLOBAL_SESSION_KEY, keyPart } from "./session-key.ts";

/** How direct messages share sessions. */
type DmScope = "main" | "per-peer" | "per-channel-peer" | "per-account-channel-peer";

/** One rule of `bindings[]`. */
export interface Binding {
  readonly agentId: string;
  readonly match: {
    readonly channel: string;
    /** Left out: the account `default`; `*`: every account. */
    readonly accountId?: string | undefined;
    readonly peer?: { readonly kind: "direct" | "group" | "channel"; readonly id: string } | undefined;
    readonly guildId?: string | undefined;
    readonly roles?: readonly string[] | undefined;
    readonly teamId?: string | undefined;
  };
  readonly session?: { readonly dmScope?: DmScope | undefined } | undefined;
  /** With the type `acp`: the external agent that answers. */
  readonly acp?: { readonly agent: string } | undefined;
}

/** The part of the configuration that routing uses. */
export interface RoutingConfig {
  readonly agents: readonly { readonly id: string; readonly isDefault: boolean }[];
  readonly bindings: readonly Binding[];
  readonly session: {
    readonly scope: "per-sender" | "global";
    readonly mainKey: string;
    readonly dmScope: DmScope;
    /** Messages of others enter the owner's sessions too: the main one under `main`, the single one under `global`. */
    readonly sharedMain: boolean;
    /** Canonical name to ids (of `personId`) of the same person. */
    readonly identityLinks: Readonly<Record<string, readonly string[]>>;
  };
  readonly commands: { readonly ownerAllowFrom: readonly string[] };
}

/** The destination of an input. */
export interface Route {
  readonly agentId: string;
  readonly sessionKey: string;
  /** The owner's session that the input would share under `session.sharedMain`; absent when that changes nothing. */
  readonly keptOutOf?: string;
  /** The key that the address would have if its conversation had not moved there; absent if it has not. */
  readonly ownKey?: string;
}

/** The facts of a message that routing looks at. */
export interface RouteQuery {
  readonly origin: Origin;
  readonly senderId: string;
  readonly roles: readonly string[];
  /** The sender is a bot: never the owner, whatever the lists say. */
  readonly isBot?: boolean;
  /** Of the channel: two ids that differ in case are two ids. */
  readonly caseSensitiveIds: boolean;
  /** Of the channel: threads of direct conversations have sessions of their own. */
  readonly directThreads?: true;
  /** Of a conversation that has moved: the address that its session has its key of. */
  readonly original?: Conversation;
  /** Of a conversation that has moved, or whose thread's parent has. */
  readonly earlier?: EarlierAddresses;
  /** Answers instead of the agent of the bindings: one of several that answer the conversation. */
  readonly agentId?: string;
}

/** The query for a message, with the facts of its channel. */
export function routeQuery(
  { origin: address, senderId, roles, isBot = false }: Pick<RouteQuery, "origin" | "senderId" | "roles" | "isBot">,
  channels: Pick<ChannelRegistry, "channelFor" | "moves">,
): RouteQuery {
  const capabilities = channels.channelFor(address)?.capabilities;
  const caseSensitiveIds = capabilities?.caseSensitiveIds ?? true;
  const threads = capabilities?.directThreads === true ? ({ directThreads: true } as const) : {};
  const origin = scopedOrigin(address, capabilities);
  const { moves } = channels;
  const earlier = moves.earlierOf(origin);
  if (earlier.conversations.length + earlier.parentIds.length === 0)
    return { origin, senderId, roles, isBot, caseSensitiveIds, ...threads };
  return { origin, senderId, roles, isBot, caseSensitiveIds, ...threads, original: moves.original(origin).conversation, earlier };
}

/**
 * Selects agent and session for a message. Pure: the same message and configuration always give the same route.
 *
 * Without `session.sharedMain` the owner's sessions (main, `global`) get the owner's direct messages and nothing else: a direct message of anyone else falls
 * back to `per-channel-peer`, and under `global` a group keeps a session of its own. A conversation that has moved keeps the session of its original address.
 */
export function routeMessage(query: RouteQuery, config: RoutingConfig): Route {
  if (query.original === undefined) return routeAddress(query, config);
  const route = routeAddress({ ...query, sessionOf: query.original }, config);
  const { sessionKey: ownKey } = routeAddress(query, config);
  return ownKey === route.sessionKey ? route : { ...route, ownKey };
}

function routeAddress(query: AddressQuery, config: RoutingConfig): Route {
  const binding = findBinding(query, config.bindings)?.binding;
  const agentId = query.agentId ?? binding?.agentId ?? defaultAgentId(config);
  const { scope, sharedMain } = config.session;
  const dmScope = binding?.session?.dmScope ?? config.session.dmScope;
  // Such a thread is never in the owner's session, regardless of the sender and of the lists.
  if (isOwnThread(query))
    return { agentId, sessionKey: addressKey(agentId, query, config, dmScope === "main" ? "per-channel-peer" : dmScope) };
  const shared = scope === "global" ? GLOBAL_SESSION_KEY : addressKey(agentId, query, config, dmScope);
  const isDirect = query.origin.conversation.kind === "direct";
  const isOwners = scope === "global" || (isDirect && dmScope === "main");
  if (sharedMain || !isOwners || (isDirect && isOwner(query, config))) return { agentId, sessionKey: shared };
  return { agentId, sessionKey: addressKey(agentId, query, config, "per-channel-peer"), keptOutOf: shared };
}

/** True if the sender's direct messages are the owner's. */
function isOwner({ origin, senderId, isBot }: AddressQuery, config: RoutingConfig): boolean {
  return isBot !== true && isOwnersPerson(personId(origin, senderId), config);
}

/** True for a thread of a direct conversation that has a session of its own. */
function isOwnThread({ directThreads, origin: { conversation } }: AddressQuery): boolean {
  return directThreads === true && conversation.kind === "direct" && conversation.threadId !== undefined;
}

/** `sessionOf`: the conversation that the key is of, if it is not the query's own. */
type AddressQuery = RouteQuery & { readonly sessionOf?: Conversation };

/** The agent for everything that no binding names: the default one, otherwise the first, otherwise `main`. */
export function defaultAgentId(config: Pick<RoutingConfig, "agents">): string {
  return config.agents.find((agent) => agent.isDefault)?.id ?? config.agents[0]?.id ?? "main";
}

function addressKey(agentId: string, query: AddressQuery, config: RoutingConfig, dmScope: DmScope): string {
  const { channel, accountId, idScope } = query.origin;
  const conversation = query.sessionOf ?? query.origin.conversation;
  const part = (id: string): string => keyPart(id, { caseSensitive: query.caseSensitiveIds });
  const account = [channel.toLowerCase(), keyPart(accountId, { caseSensitive: false })];
  const scope = idScope === "account" ? account : [channel.toLowerCase()];
  if (conversation.kind !== "direct") {
    const thread =
      conversation.threadId === undefined ? [] : [conversation.kind === "group" ? "topic" : "thread", part(conversation.threadId)];
    return agentSessionKey(agentId, ...scope, conversation.kind, part(conversation.id), ...thread);
  }
  const peer = linkedIdentity(query, config) ?? part(query.senderId);
  const own = query.directThreads === true && conversation.threadId !== undefined ? ["thread", part(conversation.threadId)] : [];
  switch (dmScope) {
    case "main":
      return agentSessionKey(agentId, config.session.mainKey);
    case "per-peer":
      return agentSessionKey(agentId, "direct", peer, ...own);
    case "per-channel-peer":
      return agentSessionKey(agentId, ...scope, "direct", peer, ...own);
    case "per-account-channel-peer":
      return agentSessionKey(agentId, ...account, "direct", peer, ...own);
  }
}

/**
 * The name that links ids of one person. A name that equals one of the owner's ids would lead others into the owner's conversation: it is ignored for them, and
 * each id keeps its own conversation.
 */
function linkedIdentity(query: RouteQuery, config: RoutingConfig): string | undefined {
  const id = personId(query.origin, query.senderId);
  const entry = Object.entries(config.session.identityLinks).find(([, ids]) => ids.includes(id));
  if (entry === undefined) return undefined;
  const name = keyPart(entry[0], { caseSensitive: false });
  return isOwner(query, config) || !ownersPeers(config).has(name) ? name : undefined;
}

/** Ids that mean the owner in keys of direct conversations, in any spelling: the listed ids, and the names of the owner's links. */
function ownersPeers({ session, commands }: RoutingConfig): ReadonlySet<string> {
  const links = Object.entries(session.identityLinks).filter(([, linked]) => linked.some((id) => commands.ownerAllowFrom.includes(id)));
  const ids = [...commands.ownerAllowFrom, ...links.flatMap(([, linked]) => linked)].map((id) => id.slice(id.indexOf(":") + 1));
  return new Set([...ids, ...links.map(([name]) => name)].map((peer) => keyPart(peer, { caseSensitive: false })));
}

type Match = Binding["match"];

const isPlace = (match: Match): boolean => match.guildId !== undefined || match.teamId !== undefined;

const namesPeer = ({ peer }: Match): boolean => peer !== undefined && peer.id !== "*";

/** A kind of bindings. `has` goes by the binding alone, `accepts` by a message of its account and space. */
interface Tier {
  readonly name: string;
  readonly has: (match: Match) => boolean;
  readonly accepts: (match: Match, query: RouteQuery) => boolean;
}

const tierOfMatch = (name: string, has: Tier["has"]): Tier => ({ name, has, accepts: has });

/** Tiers of precedence, strongest first; within a tier the first binding of the list wins. */
const TIERS: readonly Tier[] = [
  {
    name: "peer",
    has: namesPeer,
    accepts: ({ peer }, query) => peer?.kind === query.origin.conversation.kind && peer.id === peerIdOf(query),
  },
  {
    name: "an earlier address of the peer",
    has: namesPeer,
    accepts: ({ peer }, { origin, earlier }) =>
      origin.conversation.kind !== "direct" &&
      earlier?.conversations.some(({ kind, id }) => peer?.kind === kind && peer.id === id) === true,
  },
  {
    name: "the thread's parent",
    has: namesPeer,
    accepts: ({ peer }, { origin, earlier }) =>
      peer !== undefined && peer.id !== "*" && [origin.conversation.parentId, ...(earlier?.parentIds ?? [])].includes(peer.id),
  },
  {
    name: "every peer of the kind",
    has: ({ peer }) => peer?.id === "*",
    accepts: ({ peer }, { origin }) => peer?.kind === origin.conversation.kind && peer.id === "*",
  },
  tierOfMatch("guild and roles", ({ peer, guildId, roles }) => peer === undefined && guildId !== undefined && roles !== undefined),
  tierOfMatch("guild", ({ peer, guildId, roles }) => peer === undefined && guildId !== undefined && roles === undefined),
  tierOfMatch("team", ({ peer, teamId }) => peer === undefined && teamId !== undefined),
  tierOfMatch("account", (match) => match.peer === undefined && !isPlace(match) && match.accountId !== "*"),
  tierOfMatch("channel", (match) => match.peer === undefined && !isPlace(match) && match.accountId === "*"),
];

/** A binding with its place in the list and its strongest tier. */
export interface OrderedBinding<Kind extends Binding> {
  readonly index: number;
  readonly tier: string;
  readonly binding: Kind;
}

/** The bindings in the order in which they apply. */
export function orderBindings<Kind extends Binding>(bindings: readonly Kind[]): readonly OrderedBinding<Kind>[] {
  const rows = bindings.map((binding, index) => ({ binding, index, rank: TIERS.findIndex(({ has }) => has(binding.match)) }));
  return rows
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ binding, index, rank }) => ({ index, tier: TIERS[rank]?.name ?? "", binding }));
}

/** Why a message has its agent, as text: the binding by its index in the list, with its tier, or the default agent. */
export function explainRoute(query: RouteQuery, config: RoutingConfig): string {
  const found = findBinding(query, config.bindings);
  if (found === undefined) return `agent ${defaultAgentId(config)}, the default: no binding matches`;
  return `agent ${found.binding.agentId}, by bindings[${config.bindings.indexOf(found.binding)}] (${found.tier})`;
}

/** The external agent that answers a message, by its binding; `undefined`: the model of its session. */
export function boundExternalAgent(query: RouteQuery, config: Pick<RoutingConfig, "bindings">): string | undefined {
  return findBinding(query, config.bindings)?.binding.acp?.agent;
}

function findBinding(query: RouteQuery, bindings: readonly Binding[]): { readonly binding: Binding; readonly tier: string } | undefined {
  const candidates = bindings.filter((binding) => matchesAccount(binding, query.origin) && matchesSpace(binding, query));
  for (const { name, accepts } of TIERS) {
    const binding = candidates.find(({ match }) => accepts(match, query));
    if (binding !== undefined) return { binding, tier: name };
  }
  return undefined;
}

function peerIdOf({ origin, senderId }: RouteQuery): string {
  return origin.conversation.kind === "direct" ? senderId : origin.conversation.id;
}

function matchesAccount(binding: Binding, origin: Origin): boolean {
  if (binding.match.channel !== origin.channel) return false;
  const wanted = binding.match.accountId ?? "default";
  return wanted === "*" || wanted === origin.accountId;
}

function matchesSpace(binding: Binding, query: RouteQuery): boolean {
  const { guildId, teamId, roles } = binding.match;
  const { spaceId } = query.origin.conversation;
  if (guildId !== undefined && guildId !== spaceId) return false;
  if (teamId !== undefined && teamId !== spaceId) return false;
  return roles === undefined || roles.some((role) => query.roles.includes(role));
}
