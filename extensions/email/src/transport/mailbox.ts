import type { AccountProgress, CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { connectionHealth, createConnectionSupervisor, createUnreadableEvents, PlatformFailure } from "@factotum/channel-kit";
import type { ConnectionSupervisor, EventOutcome, SupervisedConnection, UnreadableEvents } from "@factotum/channel-kit";
import type { ImapFlow } from "imapflow";
import { endedFailure, isUnauthorized } from "../errors.ts";
import type { MailAccount } from "../login/logins.ts";
import { searchSince } from "./search-since.ts";
import { parseCursor, renderCursor } from "./cursor.ts";
import type { Cursor } from "./cursor.ts";
import { fetchMail } from "./fetched-mail.ts";
import type { FetchedMail } from "./fetched-mail.ts";
import { openFolder } from "./open-folder.ts";
import { openImap } from "./open-imap.ts";
import type { ImapConnection } from "./open-imap.ts";

/** A connection with its folder open. */
interface MailboxLink extends SupervisedConnection {
  readonly imap: ImapFlow;
  readonly validity: string;
}

/** Dependencies of a mailbox. */
export interface MailboxParts extends MailAccount {
  readonly host: ChannelHost;
  /** Passes one mail on; `progress` is committed with it. Rejects if it was not stored: it is read again. */
  readonly accept: (mail: FetchedMail, link: MailboxLink, progress: AccountProgress) => Promise<EventOutcome>;
}

/** The folder of one account. */
export interface Mailbox {
  /** Connects; resolves once new mail is read. */
  start(options: CallOptions): Promise<void>;
  /** The open connection; rejects with a PlatformFailure if there is none. */
  connect(options: CallOptions): Promise<MailboxLink>;
  health(): ChannelHealth;
  stop(options: CallOptions): Promise<void>;
}

/** The server is asked so often, whatever it reports by itself: reports can be lost with a connection that looks alive. */
const POLL_MS = 60_000;
/** After a refused login only a person can help. */
const UNAUTHORIZED_MS = 5 * 60_000;

/** Creates the mailbox of an account; it connects with `start` or the first use. */
export function createMailbox(parts: MailboxParts): Mailbox {
  return new ImapMailbox(parts);
}

class ImapMailbox implements Mailbox {
  readonly #parts: MailboxParts;
  readonly #supervisor: ConnectionSupervisor<MailboxLink>;
  readonly #unreadable: UnreadableEvents;
  #evidenceAtMs: number | undefined;
  #isUnstored = false;

  constructor(parts: MailboxParts) {
    const { host } = parts;
    this.#parts = parts;
    this.#unreadable = createUnreadableEvents(host);
    this.#supervisor = createConnectionSupervisor<MailboxLink>({
      open: (options) => this.#open(options),
      minDelayMs: (failure) => (isUnauthorized(failure) ? UNAUTHORIZED_MS : 0),
      onRetry: (failure, delayMs) => host.logger.warn("mailbox connection lost", { delayMs, reason: failure.message }),
      clock: host.clock,
      random: host.random,
    });
  }

  start(options: CallOptions): Promise<void> {
    return this.#supervisor.start(options);
  }

  async connect(options: CallOptions): Promise<MailboxLink> {
    const { state } = this.#supervisor;
    if (state === "idle" || state === "connecting") await this.#supervisor.start(options);
    const { connection, failure } = this.#supervisor;
    if (connection === undefined) throw endedFailure("imap", failure);
    return connection;
  }

  health(): ChannelHealth {
    const health = connectionHealth(this.#supervisor, { evidenceAtMs: this.#evidenceAtMs });
    const isUnstored = this.#isUnstored && health.state === "disconnected";
    return this.#unreadable.addTo(isUnstored ? { ...health, state: "degraded" } : health);
  }

  stop(options: CallOptions): Promise<void> {
    return this.#supervisor.stop(options);
  }

  async #open(options: CallOptions): Promise<MailboxLink> {
    const { config } = this.#parts;
    const connection = await openImap(this.#parts, options);
    try {
      const opened = await openFolder(connection.imap, config.folder);
      const validity = String(opened.uidValidity);
      const cursor = await this.#begin(connection.imap, { validity, uidNext: opened.uidNext });
      this.#evidenceAtMs = this.#parts.host.clock.now();
      return this.#read(connection, validity, cursor);
    } catch (error) {
      await connection.close({ signal: AbortSignal.abort() });
      throw error;
    }
  }

  /** The committed position; at the first start behind the newest mail, since old ones need no answer. */
  async #begin(imap: ImapFlow, { validity, uidNext }: { readonly validity: string; readonly uidNext: number }): Promise<Cursor> {
    const { host } = this.#parts;
    const committed = parseCursor(await host.cursor());
    if (committed !== undefined) return committed;
    const newest = uidNext > 0 ? uidNext - 1 : Math.max(0, ...(await searchUids(imap, { all: true })));
    const cursor = { validity, uid: newest, atMs: host.clock.now() };
    await host.commit({ cursor: renderCursor(cursor) });
    return cursor;
  }

  #read(connection: ImapConnection, validity: string, first: Cursor): MailboxLink {
    const { imap } = connection;
    const stopping = new AbortController();
    const link: MailboxLink = {
      imap,
      validity,
      ended: Promise.race([connection.ended, Promise.resolve().then(async () => this.#run(link, first, stopping.signal))]),
      close: async (options) => {
        stopping.abort();
        await connection.close(options);
      },
    };
    void link.ended.then(() => {
      stopping.abort();
      imap.close();
    });
    return link;
  }

  /** Reads until something fails; resolves with the failure. */
  async #run(link: MailboxLink, first: Cursor, signal: AbortSignal): Promise<Error> {
    const wake = createWake(this.#parts.host, link.imap, signal);
    try {
      let cursor = first.validity === link.validity ? first : await this.#catchUp(link, first, signal);
      while (!signal.aborted) {
        wake.clear();
        cursor = await this.#drain(link, cursor, signal);
        this.#isUnstored = false;
        await wake.next();
      }
      return new Error("the mailbox was closed");
    } catch (error) {
      return error instanceof Error ? error : new Error("reading the mailbox failed", { cause: error });
    } finally {
      wake[Symbol.dispose]();
    }
  }

  /** Passes on what is behind the cursor; returns the new one. */
  async #drain(link: MailboxLink, cursor: Cursor, signal: AbortSignal): Promise<Cursor> {
    const found = await searchUids(link.imap, { uid: `${cursor.uid + 1}:*` });
    this.#evidenceAtMs = this.#parts.host.clock.now();
    let at = cursor;
    // `n:*` also has the last mail if its number is smaller.
    for (const uid of found.filter((one) => one > cursor.uid)) {
      if (signal.aborted) return at;
      const next = { validity: link.validity, uid, atMs: this.#parts.host.clock.now() };
      await this.#acceptOne(link, uid, { cursor: renderCursor(next) });
      at = next;
    }
    return at;
  }

  /**
   * The server has numbered the folder again. Passes on what arrived since the folder was last read; what was passed on before is known by its Message-ID. The
   * new position is committed at the end, so that an interruption begins again.
   */
  async #catchUp(link: MailboxLink, cursor: Cursor, signal: AbortSignal): Promise<Cursor> {
    const { host } = this.#parts;
    host.logger.warn("the folder has new numbers; mail since the last reading is compared by its Message-ID", { sinceMs: cursor.atMs });
    const all = await searchUids(link.imap, { all: true });
    for (const uid of await searchSince(link.imap, cursor.atMs, host.clock.now())) {
      if (signal.aborted) return cursor;
      await this.#acceptOne(link, uid, {});
    }
    const next = { validity: link.validity, uid: Math.max(0, ...all), atMs: host.clock.now() };
    await host.commit({ cursor: renderCursor(next) });
    return next;
  }

  async #acceptOne(link: MailboxLink, uid: number, progress: AccountProgress): Promise<void> {
    const { host } = this.#parts;
    const mail = await fetchMail(link.imap, uid);
    this.#evidenceAtMs = host.clock.now();
    const outcome = mail === undefined ? ({ type: "ignored", reason: "it is gone" } as const) : await this.#accept(mail, link, progress);
    if (outcome.type === "accepted" || outcome.type === "duplicate") return;
    if (outcome.type === "unreadable") this.#unreadable.record(outcome.reason);
    else host.logger.debug("mail ignored", { reason: outcome.type === "ignored" ? outcome.reason : "it belongs to another account" });
    if (progress.cursor !== undefined) await host.commit(progress).catch((cause: unknown) => this.#notStored(cause));
  }

  async #accept(mail: FetchedMail, link: MailboxLink, progress: AccountProgress): Promise<EventOutcome> {
    try {
      return await this.#parts.accept(mail, link, progress);
    } catch (error) {
      if (error instanceof PlatformFailure && error.reason.type !== "local") throw error;
      // It can never be stored; the next mail must not wait for it.
      if (error instanceof RangeError) return { type: "unreadable", reason: `it exceeds a limit: ${error.message}` };
      return this.#notStored(error);
    }
  }

  #notStored(cause: unknown): never {
    this.#isUnstored = true;
    throw new Error("a message could not be stored; it is read again", { cause });
  }
}

/** UIDs in rising order; rejects with a PlatformFailure. */
async function searchUids(imap: ImapFlow, query: Parameters<ImapFlow["search"]>[0]): Promise<readonly number[]> {
  const found = await imap.search(query, { uid: true }).catch((error: unknown) => {
    throw endedFailure("imap", error);
  });
  if (found === false || found === undefined) throw endedFailure("imap", new Error("the server refused to search the folder"));
  return found;
}

/** Has the server report by itself, again after every command of somebody else, such as for a file. Its failure is that of the connection. */
async function idle(imap: ImapFlow, isOver: () => boolean): Promise<void> {
  try {
    // The library's type hides that a refusal is `false`.
    while (!isOver() && imap.usable && ((await imap.idle()) as unknown) !== false);
  } catch {
    return;
  }
}

interface Wake extends Disposable {
  clear(): void;
  /** Resolves when the server has reported something since `clear`, after the interval, or when the signal fires. */
  next(): Promise<void>;
}

function createWake({ clock }: Pick<ChannelHost, "clock">, imap: ImapFlow, signal: AbortSignal): Wake {
  let isAwake = false;
  let resolve: (() => void) | undefined;
  const wake = (): void => {
    isAwake = true;
    resolve?.();
  };
  imap.on("exists", wake);
  imap.on("expunge", wake);
  signal.addEventListener("abort", wake, { once: true });
  return {
    clear() {
      isAwake = false;
    },
    async next() {
      if (isAwake || signal.aborted) return;
      const { promise, resolve: done } = Promise.withResolvers<void>();
      resolve = done;
      using _timer = clock.schedule(POLL_MS, done);
      let isOver = false;
      if (imap.capabilities.has("IDLE")) void idle(imap, () => isOver);
      await promise;
      isOver = true;
    },
    [Symbol.dispose]() {
      imap.off("exists", wake);
      imap.off("expunge", wake);
      signal.removeEventListener("abort", wake);
    },
  };
}
