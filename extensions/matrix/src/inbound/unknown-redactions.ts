import type { AccountProgress, CallOptions, ChannelHost, MsgContext } from "@factotum/channel-contract";
import { backoffDelay, reasonOf } from "@factotum/channel-kit";
import { toChannelError } from "../errors.ts";
import { EventSchema } from "./event-schema.ts";
import type { MatrixEvent } from "./event-schema.ts";

/** Redactions of events that this process has not seen: the homeserver is asked what they remove, concurrently with messages. */
export interface UnknownRedactions {
  /** Keeps a redaction until it is read; resolves once it is on disk, with `progress`. False if too many wait: it is left out. */
  keep(roomId: string, event: MatrixEvent, progress: AccountProgress): Promise<boolean>;
  /** Begins to read what is kept. Idempotent. */
  start(): void;
}

/** What reading them needs. */
interface UnknownRedactionParts {
  readonly host: ChannelHost;
  /** What a redaction says to people; `undefined` if nothing. Rejects if the homeserver does not answer. */
  readonly read: (roomId: string, event: MatrixEvent, options: CallOptions) => Promise<MsgContext | undefined>;
}

/** Questions to the homeserver at once. */
const MAX_AT_ONCE = 3;
/** Redactions that wait at once: anybody with the right to can remove a room's whole history. */
const MAX_WAITING = 100;
const MAX_TRIES = 6;
const RETRY = { baseMs: 5_000, maxMs: 5 * 60_000 };
const PREFIX = "redaction/";

/** Creates the redactions of one account; `signal` ends the work, and what is kept goes on after the next start. */
export function createUnknownRedactions(parts: UnknownRedactionParts, options: CallOptions): UnknownRedactions {
  return new KeptRedactions(parts, options);
}

interface Kept {
  readonly key: string;
  readonly roomId: string;
  readonly event: MatrixEvent;
  readonly attempt: number;
}

class KeptRedactions implements UnknownRedactions {
  readonly #parts: UnknownRedactionParts;
  readonly #lives: CallOptions;
  /** Kept and not settled, by key; those of a former process once they are loaded. */
  readonly #kept = new Set<string>();
  readonly #queue: Kept[] = [];
  readonly #retries = new Set<Disposable>();
  #loading: Promise<void> | undefined;
  #running = 0;
  #isFull = false;

  constructor(parts: UnknownRedactionParts, lives: CallOptions) {
    this.#parts = parts;
    this.#lives = lives;
    const end = (): void => {
      for (const retry of this.#retries) retry[Symbol.dispose]();
    };
    lives.signal.addEventListener("abort", end, { once: true });
  }

  start(): void {
    this.#load().catch((error: unknown) => {
      this.#parts.host.logger.warn("matrix redactions not read", { error: reasonOf(error) });
    });
  }

  async keep(roomId: string, event: MatrixEvent, progress: AccountProgress): Promise<boolean> {
    const { host } = this.#parts;
    await this.#load();
    const key = PREFIX + event.event_id;
    const isKnown = this.#kept.has(key);
    if (!isKnown && this.#kept.size >= MAX_WAITING) {
      if (!this.#isFull)
        host.logger.warn("matrix redactions left out: too many of unknown events wait to be read", { waiting: MAX_WAITING });
      this.#isFull = true;
      return false;
    }
    const { type, event_id, sender, origin_server_ts, content, redacts } = event;
    const json = { roomId, event: { type, event_id, sender, origin_server_ts, content, ...(redacts !== undefined && { redacts }) } };
    await host.commit({ ...progress, state: [...(progress.state ?? []), { type: "set", key, value: { type: "json", json } }] });
    if (!isKnown) this.#add({ key, roomId, event, attempt: 1 });
    return true;
  }

  async #load(): Promise<void> {
    this.#loading ??= this.#read().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #read(): Promise<void> {
    for (const { key, value } of await this.#parts.host.state.list(PREFIX)) {
      const json = value.type === "json" && typeof value.json === "object" && value.json !== null ? value.json : {};
      const event = EventSchema.safeParse("event" in json ? json.event : undefined).data;
      if (event !== undefined && "roomId" in json && typeof json.roomId === "string")
        this.#add({ key, roomId: json.roomId, event, attempt: 1 });
    }
  }

  #add(kept: Kept): void {
    this.#kept.add(kept.key);
    this.#queue.push(kept);
    this.#pump();
  }

  #pump(): void {
    while (this.#running < MAX_AT_ONCE && !this.#lives.signal.aborted) {
      const kept = this.#queue.shift();
      if (kept === undefined) return;
      this.#running += 1;
      void this.#settle(kept).finally(() => {
        this.#running -= 1;
        this.#pump();
      });
    }
  }

  /** Reads one and passes it on; after a failure it takes its place again later. Never rejects. */
  async #settle(kept: Kept): Promise<void> {
    const { host, read } = this.#parts;
    const { key, roomId, event, attempt } = kept;
    const done = { state: [{ type: "delete", key }] } as const;
    try {
      const message = await read(roomId, event, this.#lives);
      this.#lives.signal.throwIfAborted();
      if (message === undefined) await host.commit(done);
      else await host.receive(message, done);
      this.#forget(key);
    } catch (error) {
      if (this.#lives.signal.aborted) return;
      if (attempt < MAX_TRIES) return this.#tryAgain(kept);
      host.logger.warn("a matrix redaction is left out: what it removes could not be read", {
        room: roomId,
        error: toChannelError(error).message,
      });
      await host.commit(done).catch(() => undefined);
      this.#forget(key);
    }
  }

  #tryAgain(kept: Kept): void {
    const { clock, random } = this.#parts.host;
    const delayMs = RETRY.baseMs + backoffDelay(kept.attempt, { ...RETRY, random });
    const retry = clock.schedule(delayMs, () => {
      this.#retries.delete(retry);
      this.#queue.push({ ...kept, attempt: kept.attempt + 1 });
      this.#pump();
    });
    this.#retries.add(retry);
  }

  #forget(key: string): void {
    this.#kept.delete(key);
    this.#isFull = false;
  }
}
