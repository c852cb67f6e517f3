import type { Clock, ModelClient, ModelEvent, ModelRequest } from "@factotum/agent-contract";
import { NO_USAGE, withoutUndefined } from "@factotum/agent-contract";
import type { NewRequest, RequestOutcome, RequestView } from "@factotum/store";
import type { MessageDigests } from "./message-digests.ts";

/** What is known of a run's requests before they are sent. */
export interface RequestRecorderOptions {
  /** The session's prompt; absent for requests that are not made of the conversation: those are kept with their texts. */
  readonly promptHash?: string;
  readonly view: RequestView;
  /** Named causes and breaks of this turn; they hold for its first request. */
  readonly causes: readonly string[];
  /** Requests that the turn had sent before, in a process that has ended. */
  readonly sentBefore: number;
  /** Reference of the session's model. */
  readonly model: string;
  /** Name of the credential with which the model of a reference was asked last. */
  readonly credentialOf: (reference: string) => string | undefined;
  /** The last entry of the transcript that is on disk. */
  readonly lastEntryId: string;
  readonly digests: MessageDigests;
  readonly clock: Clock;
}

/**
 * Keeps what is needed to show and to repeat each request of a run. Nothing is written here: the rows go along with the next commit of the turn, so that
 * the hot path has no commit more, and those since the last commit are lost with the process.
 */
export class RequestRecorder {
  readonly #options: RequestRecorderOptions;
  #number: number;
  /** The last entry that the next request holds. Its id is known once it is on disk. */
  #last: { id: string };
  #ended: { readonly request: NewRequest; readonly last: { readonly id: string } }[] = [];
  /** Requests on the wire: each callback records, once, how its request ended. */
  readonly #open = new Set<(end: LastEvent | undefined) => void>();

  constructor(options: RequestRecorderOptions) {
    this.#options = options;
    this.#number = options.sentBefore;
    this.#last = { id: options.lastEntryId };
  }

  /** Requests of the turn so far, those of earlier processes included. */
  get count(): number {
    return this.#number;
  }

  /** The same client; each of its requests is kept once it has ended. */
  wrap(client: ModelClient): ModelClient {
    return { info: client.info, stream: (request, options) => this.#record(client, request, options) };
  }

  /** The turn has written entries: the next request holds them. */
  noteWritten(entries: readonly { readonly id: string }[]): void {
    this.noteWriting()(entries);
  }

  /** The turn is writing entries, which the next request holds, even when it leaves before they are on disk. Give them to the result once they are. */
  noteWriting(): (entries: readonly { readonly id: string }[]) => void {
    const last = { ...this.#last };
    this.#last = last;
    return (entries) => {
      last.id = entries.at(-1)?.id ?? last.id;
    };
  }

  /** Requests that have ended since the last call. Entries that they hold must be on disk. */
  take(): readonly NewRequest[] {
    return this.#ended.splice(0).map(({ request, last }) => ({ ...request, lastEntryId: last.id }));
  }

  /** The same for a run that is over: nobody waits for what is still on the wire, and it is kept as it is. */
  finish(): readonly NewRequest[] {
    for (const keep of this.#open) keep(undefined);
    return this.take();
  }

  async *#record(client: ModelClient, request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncGenerator<ModelEvent, void> {
    const keep = this.begin(request);
    let ended = false;
    try {
      for await (const event of client.stream(request, options)) {
        // Kept before it is handed on: nobody comes back to a stream after its last event.
        if (event.type === "message-end" || event.type === "message-failed") {
          ended = true;
          keep(event);
        }
        yield event;
      }
    } finally {
      if (!ended) keep(undefined);
    }
  }

  /**
   * Records a request that is about to be sent. The returned function records how it ended (`undefined`: the stream was abandoned); call it before the last
   * event is passed on.
   */
  begin({ system, tools, messages, ...settings }: ModelRequest): (end: LastEvent | undefined) => void {
    const { promptHash, view, causes, sentBefore, digests, clock, credentialOf } = this.#options;
    const startedMs = clock.monotonic();
    const last = this.#last;
    this.#number += 1;
    const sent = {
      number: this.#number,
      ...(promptHash === undefined ? { body: { system, messages, tools } } : { promptHash }),
      view,
      causes: this.#number === sentBefore + 1 ? causes : [],
      lastEntryId: last.id,
      messages: { count: messages.length, digest: digests.of(messages) },
      settings,
      sentAtMs: clock.now(),
    };
    const keep = (end: LastEvent | undefined): void => {
      if (!this.#open.delete(keep)) return;
      const message = end?.type === "message-end" ? end.message : end?.partial;
      const model = end?.type === "message-end" ? `${end.message.provider}/${end.message.model}` : this.#options.model;
      const credential = credentialOf(model);
      const request = {
        ...sent,
        model,
        ...withoutUndefined({ credential }),
        usage: message?.usage ?? NO_USAGE,
        outcome: outcomeOf(end),
        durationMs: Math.round(clock.monotonic() - startedMs),
      };
      this.#ended.push({ request, last });
    };
    this.#open.add(keep);
    return keep;
  }
}

type LastEvent = Extract<ModelEvent, { readonly type: "message-end" | "message-failed" }>;

function outcomeOf(end: LastEvent | undefined): RequestOutcome {
  if (end === undefined) return { type: "failed", code: "aborted", message: "The run left before the answer was complete." };
  if (end.type === "message-end") return { type: "answered", stopReason: end.message.stopReason };
  return { type: "failed", code: end.error.code, message: end.error.message };
}
