import type { Clock, ModelClient, ModelEvent, ModelRequest } from "@factotum/agent-contract";
import { NO_USAGE, withoutUndefined } from "@factotum/agent-contract";
import type { NewRequest, RequestOutcome, RequestView } from "@factotum/store";
import type { MessageDigests } from "./message-digests.ts";

/** Facts about a run's requests that are known before they are sent. */
export interface RequestRecorderOptions {
  /** Hash of the session's prompt; absent for requests that are not built from the conversation, which are stored with their texts. */
  readonly promptHash?: string;
  readonly view: RequestView;
  /** Named causes and prefix breaks of this turn, recorded with its first request. */
  readonly causes: readonly string[];
  /** Requests of this turn that an earlier process sent. */
  readonly sentBefore: number;
  /** Reference of the session's model. */
  readonly model: string;
  /** Name of the last credential used for a model reference. */
  readonly credentialOf: (reference: string) => string | undefined;
  /** The last committed transcript entry. */
  readonly lastEntryId: string;
  readonly digests: MessageDigests;
  readonly clock: Clock;
}

/**
 * Records what is needed to show and to replay each request of a run. It writes nothing itself: the rows are part of the turn's next commit, so the hot path
 * has no extra commit. Rows since the last commit are lost with the process.
 */
export class RequestRecorder {
  readonly #options: RequestRecorderOptions;
  #number: number;
  /** The last entry that the next request includes. Its id is set once it is committed. */
  #last: { id: string };
  #ended: { readonly request: NewRequest; readonly last: { readonly id: string } }[] = [];
  /** Requests on the wire: each callback records, once, how its request ended. */
  readonly #open = new Set<(end: LastEvent | undefined) => void>();

  constructor(options: RequestRecorderOptions) {
    this.#options = options;
    this.#number = options.sentBefore;
    this.#last = { id: options.lastEntryId };
  }

  /** Number of requests of the turn so far, including those of earlier processes. */
  get count(): number {
    return this.#number;
  }

  /** Wraps a client so that each of its requests is recorded when it ends. */
  wrap(client: ModelClient): ModelClient {
    return { info: client.info, stream: (request, options) => this.#record(client, request, options) };
  }

  /** Entries of the turn were committed; the next request includes them. */
  recordWritten(entries: readonly { readonly id: string }[]): void {
    this.recordWriting()(entries);
  }

  /**
   * Entries are being committed; the next request includes them even if it is sent before the commit is durable. Call the result with the entries after the
   * commit.
   */
  recordWriting(): (entries: readonly { readonly id: string }[]) => void {
    const last = { ...this.#last };
    this.#last = last;
    return (entries) => {
      last.id = entries.at(-1)?.id ?? last.id;
    };
  }

  /** Takes the requests that have ended since the last call. Entries that they include must be committed. */
  take(): readonly NewRequest[] {
    return this.#ended.splice(0).map(({ request, last }) => ({ ...request, lastEntryId: last.id }));
  }

  /** The same for a run that is over: requests still on the wire are recorded as they are. */
  finish(): readonly NewRequest[] {
    for (const keep of this.#open) keep(undefined);
    return this.take();
  }

  async *#record(client: ModelClient, request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncGenerator<ModelEvent, void> {
    const keep = this.begin(request);
    let ended = false;
    try {
      for await (const event of client.stream(request, options)) {
        // Recorded before the event is yielded: readers do not resume a stream after its last event.
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
