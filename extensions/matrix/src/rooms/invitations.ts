import type { CallOptions, ChannelHost, Retry } from "@factotum/channel-contract";
import { backoffDelay, raceAbort } from "@factotum/channel-kit";
import * as z from "zod";
import { pathOf } from "../api/matrix-api.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { isFinal, toChannelError } from "../errors.ts";
import type { StateEvent } from "../inbound/event-schema.ts";
import type { DirectRooms } from "./direct-rooms.ts";

/** Invitations of the bot to rooms. */
export interface Invitations {
  /** Keeps an invitation until it is followed; resolves once it is on disk. */
  keep(roomId: string, state: readonly StateEvent[]): Promise<void>;
  /** Begins to follow what is kept. Idempotent. */
  start(): void;
}

/** Rooms that the bot is in at most: anybody can invite it. */
const MAX_ROOMS = 500;
/** Invitations that wait at once; further ones are left alone. */
const MAX_WAITING = 100;
/** Tries of one invitation, over about an hour. */
const MAX_TRIES = 20;
const RETRY = { baseMs: 1_000, maxMs: 5 * 60_000 };
const SAFE_ID = /^[\w.@:+=/!-]{1,200}$/;
const PREFIX = "invitation/";

const KeptSchema = z.looseObject({ inviter: z.string(), isDirect: z.boolean() });
const RoomsSchema = z.looseObject({ joined_rooms: z.array(z.string()) });

/** What following invitations needs. */
interface InvitationParts {
  readonly api: MatrixApi;
  readonly direct: DirectRooms;
  readonly host: ChannelHost;
  /** The bot's user id. */
  readonly selfId: string;
}

/** Creates the invitations of one account; `signal` ends the work. */
export function createInvitations(parts: InvitationParts, options: CallOptions): Invitations {
  return new KeptInvitations(parts, options);
}

class KeptInvitations implements Invitations {
  readonly #parts: InvitationParts;
  readonly #lives: CallOptions;
  #isWorking = false;
  #hasNew = false;
  /** Ends the wait before the next try. */
  #wake: (() => void) | undefined;

  constructor(parts: InvitationParts, lives: CallOptions) {
    this.#parts = parts;
    this.#lives = lives;
  }

  async keep(roomId: string, invitation: readonly StateEvent[]): Promise<void> {
    const { host, selfId } = this.#parts;
    const own = invitation.find(({ type, state_key: key }) => type === "m.room.member" && key === selfId);
    if (own === undefined) return;
    const waiting = await host.state.list(PREFIX);
    if (waiting.length >= MAX_WAITING && !waiting.some(({ key }) => key === PREFIX + roomId)) {
      host.logger.info("matrix invitation left alone: too many wait", { room: roomId, inviter: own.sender });
      return;
    }
    const json = { inviter: own.sender, isDirect: own.content["is_direct"] === true };
    await host.state.set(PREFIX + roomId, { type: "json", json });
    this.#hasNew = true;
    this.#wake?.();
    this.start();
  }

  start(): void {
    if (this.#lives.signal.aborted || this.#isWorking) return;
    this.#isWorking = true;
    void this.#run()
      .catch((error: unknown) => {
        // What is kept is followed after the next start.
        if (!this.#lives.signal.aborted)
          this.#parts.host.logger.warn("matrix invitations not followed", { error: toChannelError(error).message });
      })
      .finally(() => {
        this.#isWorking = false;
        if (this.#hasNew) this.start();
      });
  }

  async #run(): Promise<void> {
    const { host } = this.#parts;
    const tries = new Map<string, number>();
    for (let attempt = 0; !this.#lives.signal.aborted; attempt += 1) {
      this.#hasNew = false;
      let delayMs: number | undefined;
      for (const { key, value } of await host.state.list(PREFIX)) {
        const kept = value.type === "json" ? KeptSchema.safeParse(value.json).data : undefined;
        const delay = kept === undefined ? undefined : await this.#try(key, kept, tries);
        if (delay === undefined) await host.state.delete(key);
        else
          delayMs = Math.max(
            delayMs ?? 0,
            delay.type === "after" ? delay.delayMs : backoffDelay(attempt, { ...RETRY, random: host.random }),
          );
      }
      if (delayMs === undefined) return;
      await this.#wait(delayMs);
    }
  }

  /** Follows one invitation; resolves with when to try it again, `undefined` for never. One that fails holds up no other. */
  async #try(key: string, kept: z.infer<typeof KeptSchema>, tries: Map<string, number>): Promise<Retry | undefined> {
    const roomId = key.slice(PREFIX.length);
    try {
      await this.#follow(roomId, kept);
      return undefined;
    } catch (error) {
      this.#lives.signal.throwIfAborted();
      const { retry, message } = toChannelError(error);
      const count = (tries.get(key) ?? 0) + 1;
      tries.set(key, count);
      const isGivenUp = count >= MAX_TRIES || retry.type === "never";
      if (count === 1 || isGivenUp) {
        const { inviter } = kept;
        const text = isGivenUp ? "matrix invitation could not be followed" : "matrix invitation waits: the room cannot be joined now";
        this.#parts.host.logger.info(text, { room: roomId, inviter, error: message });
      }
      return isGivenUp ? undefined : retry;
    }
  }

  /** Joins the room; rejects if that is to be tried again. Whether its people are answered is for the gateway to decide. */
  async #follow(roomId: string, { inviter, isDirect }: z.infer<typeof KeptSchema>): Promise<void> {
    const { api, direct, host } = this.#parts;
    const joined = RoomsSchema.parse(
      await api.call("the joined rooms", { method: "GET", path: "/joined_rooms" }, this.#lives),
    ).joined_rooms;
    if (joined.length >= MAX_ROOMS && !joined.includes(roomId)) {
      host.logger.info("matrix invitation left alone: the bot is in too many rooms", { room: roomId, inviter, rooms: joined.length });
      return;
    }
    // First, so that its first message is one of a direct chat.
    if (isDirect) await direct.add(roomId, inviter, this.#lives);
    try {
      await api.call("the invitation", { method: "POST", path: pathOf("rooms", roomId, "join"), body: {} }, this.#lives);
    } catch (error) {
      if (!isFinal(error)) throw error;
      host.logger.info("matrix invitation could not be followed", { room: roomId, inviter, error: toChannelError(error).message });
      return;
    }
    const id = isDirect ? inviter : roomId;
    // Strangers choose ids: only what is harmless in a shell becomes a command.
    const admit = SAFE_ID.test(id) ? { admit: `factotum access allow matrix:${host.accountId} '${id}'${isDirect ? "" : " --group"}` } : {};
    host.logger.info("matrix room joined by invitation", { room: roomId, inviter, ...admit });
  }

  async #wait(delayMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    using _timer = this.#parts.host.clock.schedule(delayMs, resolve);
    await raceAbort(promise, this.#lives).catch(() => undefined);
  }
}
