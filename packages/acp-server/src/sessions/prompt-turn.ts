import type { AgentRunResult, ChatEntry, ChatEvent, ChatOutcome } from "@factotum/protocol";

/** Why a client's prompt ends: the run has ended, or it waits for the answer to a question, which is the client's next prompt. */
export type TurnEnd = { readonly type: "ended"; readonly result: AgentRunResult } | { readonly type: "question" };

const LOST = "The connection to the gateway broke. The answer is in the conversation: load the session again to see it.";

/** One prompt of a client: the run that it caused, as far as the session's events tell. */
export class PromptTurn {
  readonly idempotencyKey: string;
  /** The client has cancelled the prompt. */
  isCancelled = false;
  /** Something was shown since the prompt. */
  hasShown = false;
  /** The model's answer was cut at its limit of tokens. */
  isCut = false;
  #runId: string | undefined;
  /** The active run of the session. */
  #liveRunId: string | undefined;
  /** The message is in the conversation: the active run, or else the next one, is its run. */
  #isTaken = false;
  #hasEnded = false;
  readonly #question = Promise.withResolvers<TurnEnd>();
  readonly #ended = Promise.withResolvers<ChatOutcome>();

  /** `liveRunId`: of the active run of the session. `runId`: of the run that the prompt continues, because it answers its question. */
  constructor(
    idempotencyKey: string,
    { liveRunId, runId }: { readonly liveRunId: string | undefined; readonly runId: string | undefined },
  ) {
    this.idempotencyKey = idempotencyKey;
    this.#liveRunId = liveRunId;
    this.#runId = runId;
  }

  /** Absent until its run has taken the message. */
  get runId(): string | undefined {
    return this.#runId;
  }

  receive(event: ChatEvent): void {
    switch (event.type) {
      case "run-start":
        this.#liveRunId = event.runId;
        break;
      case "entry":
        this.#receiveEntry(event.entry);
        break;
      case "run-end":
        this.#liveRunId = undefined;
        if (event.runId !== this.#runId) break;
        this.#hasEnded = true;
        this.#ended.resolve(event.outcome);
        break;
      default:
        return;
    }
    if (this.#isTaken) this.#runId ??= this.#liveRunId;
  }

  #receiveEntry(entry: ChatEntry): void {
    if (entry.type === "user" && entry.idempotencyKey === this.idempotencyKey) this.#isTaken = true;
    if (entry.type === "assistant") this.isCut = entry.stopReason === "length";
  }

  /** Its run waits for the answer to a question, which the client gives with its next prompt. */
  waitForAnswer(): void {
    this.#question.resolve({ type: "question" });
  }

  /** Its message was dropped before a run had taken it. */
  drop(): void {
    if (this.#runId === undefined) this.#ended.resolve({ type: "aborted" });
  }

  /** Its session is no longer followed, so no event will report its end. */
  abandon(): void {
    this.#hasEnded = true;
    this.#ended.resolve({ type: "aborted" });
  }

  /** The outcome of its run as the session's events tell it, for a message whose sending does not wait for its run. */
  async outcome(): Promise<ChatOutcome> {
    return this.#ended.promise;
  }

  /** Waits for the run of `asked`, and for its last event. Rejects as `asked` does, and when the connection `closed`. */
  async end(asked: Promise<AgentRunResult>, closed: AbortSignal): Promise<TurnEnd> {
    const ended = asked.then(async (result): Promise<TurnEnd> => {
      // Committed entries are reported before the end of a run, and its end possibly after its result.
      if (result.runId !== "" && result.runId === this.#runId && !this.#hasEnded) await this.#ended.promise;
      return { type: "ended", result };
    });
    const lost = Promise.withResolvers<never>();
    const onClose = (): void => lost.reject(new Error(LOST));
    closed.addEventListener("abort", onClose, { once: true });
    if (closed.aborted) onClose();
    try {
      return await Promise.race([ended, this.#question.promise, lost.promise]);
    } finally {
      closed.removeEventListener("abort", onClose);
    }
  }
}
