import type { CallOptions, Clock } from "@factotum/channel-contract";
import { raceAbort } from "./race-abort.ts";

/** How the parts of an album become one message. */
export interface AlbumJoinerOptions<Part, Result> {
  readonly clock: Pick<Clock, "schedule">;
  /** Milliseconds since the newest part after which an album counts as complete. */
  readonly waitMs: number;
  /** Milliseconds since the first part after which it is passed on in any case. */
  readonly maxWaitMs: number;
  /** Passes an album on, parts in the order of their arrival; resolves after the commit. */
  readonly pass: (parts: readonly Part[]) => Promise<Result>;
}

/** Joins parts that arrive as events of their own. */
export interface AlbumJoiner<Part, Result> {
  /**
   * Adds a part. Settles like `pass` for the album: acknowledge the part only then. A part with an id that is waiting is another delivery of the same. A part of
   * an album that was passed on begins another.
   */
  add(key: string, part: { readonly id: string; readonly part: Part }): Promise<Result>;
  /** Passes on at once what waits; resolves when it is stored, or the signal has fired. */
  stop(options: CallOptions): Promise<void>;
}

interface Album<Part, Result> {
  readonly parts: Map<string, Part>;
  readonly result: PromiseWithResolvers<Result>;
  readonly deadline: Disposable;
  timer: Disposable;
}

/** Creates a joiner for platforms that deliver each part again until it is acknowledged: nothing is kept but in memory. */
export function createAlbumJoiner<Part, Result>({
  clock,
  waitMs,
  maxWaitMs,
  pass,
}: AlbumJoinerOptions<Part, Result>): AlbumJoiner<Part, Result> {
  const waiting = new Map<string, Album<Part, Result>>();
  const passing = new Set<Promise<unknown>>();

  const close = (key: string, album: Album<Part, Result>): void => {
    if (waiting.get(key) !== album) return;
    waiting.delete(key);
    album.timer[Symbol.dispose]();
    album.deadline[Symbol.dispose]();
    const passed = pass([...album.parts.values()]).then(album.result.resolve, album.result.reject);
    passing.add(passed);
    void passed.finally(() => passing.delete(passed));
  };
  const open = (key: string): Album<Part, Result> => {
    const closing = (): void => close(key, album);
    const album: Album<Part, Result> = {
      parts: new Map(),
      result: Promise.withResolvers(),
      timer: clock.schedule(waitMs, closing),
      deadline: clock.schedule(maxWaitMs, closing),
    };
    waiting.set(key, album);
    return album;
  };

  return {
    add(key, { id, part }) {
      const album = waiting.get(key) ?? open(key);
      if (!album.parts.has(id)) {
        album.parts.set(id, part);
        album.timer[Symbol.dispose]();
        album.timer = clock.schedule(waitMs, () => close(key, album));
      }
      return album.result.promise;
    },
    async stop({ signal }) {
      for (const [key, album] of waiting) close(key, album);
      await raceAbort(Promise.all(passing), { signal }).catch(() => undefined);
    },
  };
}
