import {
  EXTERNAL_PROVIDER,
  NO_USAGE,
  type AssistantMessage,
  type ModelInfo,
  type ModelStreamEvent,
  type Usage,
} from "@factotum/agent-contract";

/** Collects what a model has shown so far, so that an abort loses none of it, even if the client stops responding. */
export class PartialMessage {
  readonly #info: ModelInfo;
  readonly #blocks = new Map<number, { readonly type: "text" | "thinking"; text: string }>();
  #usage: Usage = NO_USAGE;

  constructor(info: ModelInfo) {
    this.#info = info;
  }

  /** Adds one event of the stream. Tool calls are ignored: an unfinished message runs none. */
  add(event: ModelStreamEvent): void {
    switch (event.type) {
      case "message-start":
        // A second start withdraws an earlier attempt of which no text was shown.
        this.#blocks.clear();
        this.#usage = event.usage ?? NO_USAGE;
        return;
      case "text-delta":
        this.#block(event.index, "text").text += event.text;
        return;
      case "thinking-delta":
        this.#block(event.index, "thinking").text += event.text;
        return;
      case "text-end":
        this.#block(event.index, "text").text = event.text;
        return;
      case "thinking-end":
        this.#block(event.index, "thinking").text = event.text;
        return;
      default:
        return;
    }
  }

  /**
   * Builds the intentionally incomplete message; `undefined` if nothing was shown. An external agent that was stopped before that has an answer nevertheless, so
   * that it is not given the stopped prompt again together with the next one.
   */
  build(stopReason: "aborted" | "error", errorMessage: string, timestamp: number): AssistantMessage | undefined {
    const inOrder = [...this.#blocks].toSorted(([left], [right]) => left - right);
    const content = inOrder.map(([, block]) => ({ ...block })).filter((block) => block.text !== "");
    const { api, provider, id } = this.#info;
    if (content.length === 0 && provider === EXTERNAL_PROVIDER && stopReason === "aborted")
      content.push({ type: "thinking", text: "(Stopped before the first word.)" });
    if (content.length === 0) return undefined;
    return { role: "assistant", content, api, provider, model: id, usage: this.#usage, stopReason, errorMessage, timestamp };
  }

  #block(index: number, type: "text" | "thinking"): { text: string } {
    const known = this.#blocks.get(index);
    if (known !== undefined) return known;
    const block = { type, text: "" };
    this.#blocks.set(index, block);
    return block;
  }
}
