import type { RunOutcome, StopReason, ToolCall, UsageTotals } from "@factotum/agent-contract";

/** The usage of an answer, in OpenAI's terms. */
export type AnswerUsage = Pick<UsageTotals, "input" | "output" | "cacheRead" | "cacheWrite">;

/** How an answer ends. */
export type AnswerEnd =
  /** `calls`: of the client's tools, to which it sends the results next. */
  | { readonly type: "done"; readonly stopReason: StopReason; readonly usage: AnswerUsage; readonly calls: readonly ToolCall[] }
  /** No model was asked: the text says what was done instead. */
  | { readonly type: "notice"; readonly text: string }
  /** `message` is for the client. */
  | { readonly type: "failed"; readonly outcome: Exclude<RunOutcome, { readonly type: "done" }>; readonly message: string };

/** The events of an answer, in order; an end comes last. */
export type AnswerEvent =
  | { readonly type: "text"; readonly text: string }
  /** Thoughts and tool activity, for clients that asked for them. */
  | { readonly type: "reasoning"; readonly text: string }
  /** The answer broke off and is retried: this many of the last reasoning characters are withdrawn. A stream has sent them. */
  | { readonly type: "withdrawal"; readonly characters: number }
  | AnswerEnd;

/** One answer in progress. */
export interface Answer {
  readonly id: string;
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>;
  readonly events: AsyncIterable<AnswerEvent>;
  /** The client has left. */
  readonly cancel: () => Promise<void>;
}

/** Passes events from callbacks to one reader, in order; ends after the answer's end. */
export class AnswerQueue implements AsyncIterable<AnswerEvent> {
  readonly #events: AnswerEvent[] = [];
  #wake: (() => void) | undefined;

  /** Empty text is dropped. */
  push(event: AnswerEvent): void {
    if ((event.type === "text" || event.type === "reasoning") && event.text === "") return;
    if (event.type === "withdrawal" && event.characters === 0) return;
    this.#events.push(event);
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AnswerEvent, void, undefined> {
    for (;;) {
      const event = this.#events.shift();
      if (event === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      yield event;
      if (event.type !== "text" && event.type !== "reasoning" && event.type !== "withdrawal") return;
    }
  }
}
