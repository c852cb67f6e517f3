import type { AgentRunResult, ChatEvent } from "@factotum/protocol";

/** Why a client need not wait any longer: the run has ended, or it waits for the answer to a question, which is the client's next prompt. */
export type TurnEnd = { readonly type: "ended"; readonly result: AgentRunResult } | { readonly type: "question" };

const LOST = "The connection to the gateway broke. The answer is in the conversation: load the session again to see it.";

/** One prompt of a client: the run that it caused, as far as the session's events tell. */
export class PromptTurn {
  readonly idempotencyKey: string;
  /** The client does not want the answer any more. */
  isCancelled = false;
  /** Something was shown since the prompt. */
  hasShown = false;
  /** The model's answer was cut at its limit of tokens. */
  isCut = false;
  #runId: string | undefined;
  #hasEnded = false;
  readonly #question = Promise.withResolvers<TurnEnd>();
  readonly #ended = Promise.withResolvers<void>();

  /** `runId`: of the run that the prompt continues, because it answers its question. */
  constructor(idempotencyKey: string, runId?: string) {
    this.idempotencyKey = idempotencyKey;
    this.#runId = runId;
  }

  /** Absent until its run has taken the message. */
  get runId(): string | undefined {
    return this.#runId;
  }

  receive(event: ChatEvent): void {
    if (event.type === "entry") {
      const { entry, runId } = event;
      if (entry.type === "user" && entry.idempotencyKey === this.idempotencyKey) this.#runId = runId ?? this.#runId;
      if (entry.type === "assistant") this.isCut = entry.stopReason === "length";
      if (entry.type === "notice" && entry.request?.type === "answer") this.#question.resolve({ type: "question" });
    }
    if (event.type === "run-end" && event.runId === this.#runId) {
      this.#hasEnded = true;
      this.#ended.resolve();
    }
  }

  /** Waits for the run of `asked`, and for its last event. Rejects as `asked` does, and when the connection `closed`. */
  async end(asked: Promise<AgentRunResult>, closed: AbortSignal): Promise<TurnEnd> {
    const ended = asked.then(async (result): Promise<TurnEnd> => {
      // What a run has committed is told before its end, and its end may be told after its result.
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
