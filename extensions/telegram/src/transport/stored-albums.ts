import type { AccountRow, CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { raceAbort, reasonOf } from "@factotum/channel-kit";
import type { EventOutcome } from "@factotum/channel-kit";
import { albumOf } from "../inbound/accept-update.ts";
import type { AcceptUpdates } from "../inbound/accept-update.ts";

/** Milliseconds since the newest part after which an album counts as complete. */
const WAIT_MS = 1_000;
const RETRY_MS = 5_000;
/** How long the platform may deliver a part again that was passed on. */
const KEPT_MS = 24 * 60 * 60_000;

/**
 * Albums of a webhook. The platform posts the next part of a chat only after the one before was acknowledged, so that parts cannot wait for each other in memory:
 * each is stored in the account's state and acknowledged, and the album is passed on a moment after its last part.
 */
export interface StoredAlbums {
  /** Stores a part; resolves after the commit. */
  keep(update: unknown): Promise<EventOutcome>;
  /** Continues with what an earlier process has stored, by whatever transport. */
  start(): Promise<void>;
  addTo(health: ChannelHealth): ChannelHealth;
  /** Waits for an album that is being passed on; others wait for the next start. */
  stop(options: CallOptions): Promise<void>;
}

/** Creates the albums of an account. */
export function createStoredAlbums(host: Pick<ChannelHost, "state" | "clock" | "commit" | "logger">, accept: AcceptUpdates): StoredAlbums {
  const { state, clock, logger } = host;
  const timers = new Map<string, Disposable>();
  const passing = new Set<Promise<void>>();
  const ending = new AbortController();
  let isStopped = false;
  let trouble: string | undefined;

  const later = (album: string, delayMs: number): void => {
    timers.get(album)?.[Symbol.dispose]();
    if (isStopped) return;
    timers.set(
      album,
      clock.schedule(delayMs, () => {
        timers.delete(album);
        const passed = pass(album).finally(() => passing.delete(passed));
        passing.add(passed);
      }),
    );
  };
  const pass = async (album: string): Promise<void> => {
    try {
      const rows = await state.list(`album/${album}/`);
      const updates = rows.map(updateOf);
      if (updates.length === 0) return;
      const ids = rows.map(({ key }) => key.split("/").at(-1) ?? "");
      const done = {
        type: "set",
        key: `album-passed/${album}`,
        value: { type: "json", json: ids },
        expiresAtMs: clock.now() + KEPT_MS,
      } as const;
      const progress = { state: [...rows.map(({ key }) => ({ type: "delete", key }) as const), done] };
      const { type } = await accept(updates, progress, { signal: ending.signal });
      if (type !== "accepted" && type !== "duplicate") await host.commit(progress);
      trouble = undefined;
    } catch (error) {
      trouble = "an album could not be stored; it is tried again";
      logger.error("telegram album not stored", { error: reasonOf(error) });
      later(album, RETRY_MS);
    }
  };

  return {
    async keep(update) {
      const album = albumOf(update);
      const id = partIdOf(update);
      if (album === undefined || id === undefined) return { type: "unreadable", reason: "it is not a part of an album" };
      const passed = await state.get(`album-passed/${album}`);
      if (passed?.type === "json" && Array.isArray(passed.json) && passed.json.includes(id)) return { type: "duplicate" };
      const value = { type: "json", json: update } as const;
      // Without an end: it was acknowledged, and is kept until it is passed on, however long the account is stopped.
      await host.commit({ state: [{ type: "set", key: `album/${album}/${id}`, value }] });
      later(album, WAIT_MS);
      return { type: "accepted" };
    },
    async start() {
      const rows = await state.list("album/");
      for (const album of new Set(rows.map(({ key }) => key.split("/").slice(1, -1).join("/")))) later(album, WAIT_MS);
    },
    addTo(health) {
      if (trouble === undefined || health.state === "stopped") return health;
      return { ...health, state: "degraded", detail: trouble };
    },
    async stop({ signal }) {
      isStopped = true;
      for (const timer of timers.values()) timer[Symbol.dispose]();
      timers.clear();
      await raceAbort(Promise.all(passing), { signal }).catch(() => undefined);
      ending.abort(new Error("the channel was stopped"));
    },
  };
}

/** Ids of messages with leading zeros: rows are sorted as texts. */
function partIdOf(update: unknown): string | undefined {
  const { message, channel_post: post } = update as Readonly<Record<string, { readonly message_id?: unknown } | undefined>>;
  const id = (message ?? post)?.message_id;
  return typeof id === "number" ? String(id).padStart(16, "0") : undefined;
}

function updateOf({ value }: AccountRow): unknown {
  return value.type === "json" ? value.json : undefined;
}
