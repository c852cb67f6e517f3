import type { ChatEvent } from "@factotum/protocol";
import { toolFailureLine, toolStartLine } from "../delivery/plan-tool-line.ts";

/**
 * What a run does besides its text, as an OpenAI client gets it on request: thoughts as they come, and a line for every tool that begins or fails, with a
 * blank line between them. Fed with the events of the session, like `RunText`.
 */
export class RunReasoning {
  readonly #runId: string;
  readonly #hideSecrets: (text: string) => string;
  #inThoughts = false;
  /** A part has been shown: the next one begins behind a blank line. */
  #hasShown = false;
  #beginsPart = true;
  /** Characters of thoughts of the answer that is being made. */
  #ofAnswer = 0;

  constructor(runId: string, hideSecrets: (text: string) => string) {
    this.#runId = runId;
    this.#hideSecrets = hideSecrets;
  }

  /** What this event adds. */
  push(event: ChatEvent): string {
    if (!("runId" in event) || event.runId !== this.#runId) return "";
    switch (event.type) {
      case "block-start":
        this.#inThoughts = event.block === "thinking";
        this.#beginsPart = true;
        return "";
      case "block-delta":
        return this.#inThoughts ? this.#showThought(event.text) : "";
      case "tool-start":
        return this.#showLine(toolStartLine(event.call, this.#hideSecrets));
      case "entry":
        this.#ofAnswer = 0;
        return event.entry.type === "tool-result" && event.entry.isError
          ? this.#showLine(toolFailureLine(event.entry, this.#hideSecrets))
          : "";
      default:
        return "";
    }
  }

  /** How many of the last characters the model has taken back with this event: its answer broke off and is made again. */
  withdrawn(event: ChatEvent): number {
    if (event.type !== "answer-restart" || event.runId !== this.#runId) return 0;
    const characters = this.#ofAnswer;
    this.#ofAnswer = 0;
    return characters;
  }

  #showThought(text: string): string {
    const shown = this.#show(text);
    this.#ofAnswer += shown.length;
    return shown;
  }

  #showLine(line: string): string {
    this.#beginsPart = true;
    const shown = this.#show(line);
    this.#beginsPart = true;
    return shown;
  }

  #show(text: string): string {
    if (text === "") return "";
    const separator = this.#beginsPart && this.#hasShown ? "\n\n" : "";
    this.#beginsPart = false;
    this.#hasShown = true;
    return separator + text;
  }
}
