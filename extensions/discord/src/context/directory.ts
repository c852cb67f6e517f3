import type { CallOptions, ChannelHost, DirectoryEntry, Origin } from "@factotum/channel-contract";
import * as z from "zod";
import type { DiscordApi } from "../api/discord-api.ts";
import { isFinal } from "../errors.ts";
import { MemberSchema } from "../inbound/event-schema.ts";
import { nameOf } from "../inbound/parse-text.ts";
import { isSnowflake } from "../snowflake.ts";
import { addressOf, parsePlace } from "./places.ts";
import type { Place, Places } from "./places.ts";

/** People and channels of the servers that the bot is in. */
export interface Directory {
  /** As `Channel.directory`; rejects with a PlatformFailure. */
  search(query: string, options: CallOptions & { readonly limit: number }): Promise<readonly DirectoryEntry[]>;
  /** As `Channel.resolveTarget`; rejects with a PlatformFailure. */
  resolve(query: string, options: CallOptions): Promise<Origin | undefined>;
}

const TTL_MS = 10 * 60_000;
/** Servers whose channels and people are looked through; more are not found by name. */
const MAX_GUILDS = 50;
const MAX_PEOPLE = 100;
/** Channels that can be written to: text, announcements, forums' posts by their threads. */
const WRITABLE: readonly number[] = [0, 2, 5, 13];

const GuildsSchema = z.array(z.looseObject({ id: z.string() }));
const MembersSchema = z.array(MemberSchema);
const DirectSchema = z.looseObject({ id: z.string().min(1) });

/** A person of a server, with everything that names them in lower case. */
interface Person {
  readonly id: string;
  readonly name: string;
  readonly names: readonly string[];
}

/** What a directory needs. */
interface DirectoryParts {
  readonly api: DiscordApi;
  readonly places: Places;
}

/** Creates the directory of one account; `signal` ends its requests. */
export function createDirectory(parts: DirectoryParts, host: Pick<ChannelHost, "clock" | "accountId">, { signal }: CallOptions): Directory {
  return new GuildDirectory(parts, host, { signal });
}

class GuildDirectory implements Directory {
  readonly #parts: DirectoryParts;
  readonly #host: Pick<ChannelHost, "clock" | "accountId">;
  readonly #lives: CallOptions;
  #cached: { readonly channels: Promise<readonly Place[]>; readonly atMs: number } | undefined;

  constructor(parts: DirectoryParts, host: Pick<ChannelHost, "clock" | "accountId">, lives: CallOptions) {
    this.#parts = parts;
    this.#host = host;
    this.#lives = lives;
  }

  async search(query: string, { limit }: CallOptions & { readonly limit: number }): Promise<readonly DirectoryEntry[]> {
    const wanted = query.trim().toLowerCase().replace(/^[@#]/, "");
    const found = (await this.#channels()).filter(({ id, name }) => id.includes(wanted) || name.toLowerCase().includes(wanted));
    const persons = wanted === "" ? [] : await this.#people(wanted, limit);
    const entries: readonly DirectoryEntry[] = [
      ...persons.map(({ id, name }) => ({ type: "person", id, name }) as const),
      ...found.map(({ id, name }) => ({ type: "channel", id, ...(name !== "" && { name }) }) as const),
    ];
    return entries.slice(0, limit);
  }

  async resolve(query: string, options: CallOptions): Promise<Origin | undefined> {
    const [, kind, rest = ""] = /^(?:(user|channel|group|thread):)?(.*)$/s.exec(query.trim()) ?? [];
    const [, mark = "", markId] = /^<(@!?|#)(\d+)>$/.exec(rest.trim()) ?? [];
    const wanted = markId ?? rest.trim();
    const isPerson = kind === "user" || mark.startsWith("@") || wanted.startsWith("@");
    if (isSnowflake(wanted)) {
      if (isPerson) return this.#direct(wanted, options);
      const place = await this.#parts.places.get(wanted, options);
      return place === undefined ? undefined : this.#origin(addressOf(place));
    }
    const name = wanted.replace(/^[@#]/, "").toLowerCase();
    if (name === "") return undefined;
    const isChannel = (kind !== undefined && kind !== "user") || wanted.startsWith("#");
    const found = isPerson ? [] : (await this.#channels()).filter((place) => place.name.toLowerCase() === name);
    const persons = isChannel ? [] : (await this.#people(name, MAX_PEOPLE)).filter(({ names }) => names.includes(name));
    if (found.length + persons.length !== 1) return undefined;
    const [place] = found;
    return place === undefined ? this.#direct(persons[0]?.id ?? "", options) : this.#origin(addressOf(place));
  }

  #origin(conversation: Origin["conversation"]): Origin {
    return { channel: "discord", accountId: this.#host.accountId, conversation };
  }

  async #direct(userId: string, options: CallOptions): Promise<Origin | undefined> {
    const { api } = this.#parts;
    const answer = await optional(api.call("the direct chat", (sdk, given) => sdk.users.createDM(userId, given), options));
    const id = DirectSchema.safeParse(answer).data?.id;
    return id === undefined ? undefined : this.#origin({ kind: "direct", id });
  }

  async #guilds(): Promise<readonly string[]> {
    const answer = await this.#parts.api.call(
      "the servers",
      (sdk, given) => sdk.users.getGuilds({ limit: MAX_GUILDS }, given),
      this.#lives,
    );
    return GuildsSchema.parse(answer).map(({ id }) => id);
  }

  async #channels(): Promise<readonly Place[]> {
    const nowMs = this.#host.clock.monotonic();
    if (this.#cached === undefined || nowMs - this.#cached.atMs >= TTL_MS) {
      const fresh = { channels: this.#readChannels(), atMs: nowMs };
      this.#cached = fresh;
      fresh.channels.catch(() => {
        if (this.#cached === fresh) this.#cached = undefined;
      });
    }
    return this.#cached.channels;
  }

  async #readChannels(): Promise<readonly Place[]> {
    const { api } = this.#parts;
    const all = await Promise.all(
      (await this.#guilds()).map(async (guildId) => {
        const answer: unknown = await api.call("the channels", (sdk, given) => sdk.guilds.getChannels(guildId, given), this.#lives);
        return z
          .array(z.unknown())
          .parse(answer)
          .flatMap((value) => {
            const place = parsePlace(value);
            return place === undefined || !WRITABLE.includes(place.type) ? [] : [{ ...place, guildId }];
          });
      }),
    );
    return all.flat();
  }

  /** The platform finds people by the beginning of a name. */
  async #people(query: string, limit: number): Promise<readonly Person[]> {
    const { api } = this.#parts;
    const wanted = { query, limit: Math.min(limit, MAX_PEOPLE) };
    const found = await Promise.all(
      (await this.#guilds()).map(async (guildId) =>
        MembersSchema.parse(await api.call("the people", (sdk, given) => sdk.guilds.searchForMembers(guildId, wanted, given), this.#lives)),
      ),
    );
    const members = found.flat().flatMap((member) => {
      const { user } = member;
      if (user === undefined) return [];
      const names = [member.nick, user.global_name, user.username].filter((name) => typeof name === "string");
      return [{ id: user.id, name: nameOf(user, member), names: names.map((name) => name.toLowerCase()) }];
    });
    return members.filter(({ id }, index) => members.findIndex((one) => one.id === id) === index);
  }
}

/** What the platform refuses for good is not there. */
async function optional<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (isFinal(error)) return undefined;
    throw error;
  });
}
