import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { createCachedLookup } from "@factotum/channel-kit";
import type { CachedLookup } from "@factotum/channel-kit";
import * as z from "zod";
import type { DiscordApi } from "../api/discord-api.ts";
import { toLookupFailure } from "../errors.ts";

/** A role of a server. */
export interface GuildRole {
  readonly id: string;
  readonly name: string;
  /** Set for the role that the platform made for one bot. */
  readonly botId: string | undefined;
  /** Bits of its permissions. */
  readonly permissions: bigint;
}

/** The roles of servers, by the server's id. */
export type GuildRoles = CachedLookup<readonly GuildRole[]>;

const RolesSchema = z.array(
  z.looseObject({
    id: z.string(),
    name: z.string(),
    permissions: z.string().regex(/^\d+$/),
    tags: z.looseObject({ bot_id: z.string().optional() }).optional(),
  }),
);
const TTL_MS = 10 * 60_000;

/** Creates an empty cache; `signal` ends its requests. */
export function createGuildRoles(api: DiscordApi, host: Pick<ChannelHost, "clock" | "logger">, { signal }: CallOptions): GuildRoles {
  return createCachedLookup({
    what: "the roles of servers",
    scope: "View Channel",
    advice: (permission) => `give the bot the permission ${permission}`,
    ttlMs: TTL_MS,
    maxEntries: 200,
    failureOf: toLookupFailure,
    host,
    signal,
    async ask(guildId, options) {
      const roles = RolesSchema.parse(await api.call("the roles", (sdk, given) => sdk.guilds.getRoles(guildId, given), options));
      return roles.map(({ id, name, permissions, tags }) => ({ id, name, permissions: BigInt(permissions), botId: tags?.bot_id }));
    },
  });
}
