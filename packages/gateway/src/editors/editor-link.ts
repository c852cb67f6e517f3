import type { Clock } from "@factotum/agent-contract";
import type { EditorAnswer, EditorOffer, EditorRequest, RpcEvent, RpcEvents } from "@factotum/protocol";

/** The connection of an editor. */
export interface EditorConnection {
  /** Fires when it closes. */
  readonly signal: AbortSignal;
  notify<Event extends RpcEvent>(event: Event, payload: RpcEvents[Event]): void;
}

/** Requests that wait for one editor. */
const MAX_WAITING = 64;

/** An answer; `gone`: the editor had left before it was asked, so that nothing has happened. */
export type LinkAnswer = EditorAnswer | { readonly type: "gone" } | { readonly type: "lost"; readonly message: string };

/** What an editor offers to the runs of one session, for as long as its connection lasts. */
export class EditorLink {
  readonly sessionKey: string;
  readonly offer: EditorOffer;
  /** The folder that the session works in. Real. */
  readonly workspace: string;
  readonly connection: EditorConnection;
  readonly #clock: Pick<Clock, "schedule">;
  readonly #nextId: () => string;
  readonly #left = new AbortController();
  readonly #waiting = new Map<string, (answer: LinkAnswer) => void>();

  constructor(
    facts: Pick<EditorLink, "sessionKey" | "offer" | "workspace" | "connection">,
    { clock, nextId }: { readonly clock: Pick<Clock, "schedule">; readonly nextId: () => string },
  ) {
    [this.sessionKey, this.offer, this.workspace, this.connection] = [facts.sessionKey, facts.offer, facts.workspace, facts.connection];
    this.#clock = clock;
    this.#nextId = nextId;
  }

  /** Fires when the editor leaves. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  /** Asks the editor. Without `timeoutMs` the answer is awaited until the editor leaves. Never rejects. */
  async ask(request: EditorRequest, { timeoutMs }: { readonly timeoutMs?: number } = {}): Promise<LinkAnswer> {
    if (this.#left.signal.aborted || this.connection.signal.aborted) return { type: "gone" };
    if (this.#waiting.size >= MAX_WAITING) return { type: "failed", message: "the editor has too many requests to answer" };
    const id = this.#nextId();
    const { promise, resolve } = Promise.withResolvers<LinkAnswer>();
    this.#waiting.set(id, resolve);
    using timers = new DisposableStack();
    if (timeoutMs !== undefined)
      timers.use(this.#clock.schedule(timeoutMs, () => resolve({ type: "lost", message: "the editor does not answer" })));
    this.connection.notify("editor-request", { sessionKey: this.sessionKey, id, request });
    try {
      return await promise;
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** False if no request of this id waits. */
  answer(id: string, answer: EditorAnswer): boolean {
    const resolve = this.#waiting.get(id);
    resolve?.(answer);
    return resolve !== undefined;
  }

  /** Shows the person a remark. */
  note(text: string): void {
    if (!this.connection.signal.aborted) this.connection.notify("editor-note", { sessionKey: this.sessionKey, text });
  }

  /** The editor has left: what waits for it is lost. */
  leave(): void {
    this.#left.abort();
    for (const resolve of this.#waiting.values()) resolve({ type: "lost", message: "the editor has left" });
  }
}
