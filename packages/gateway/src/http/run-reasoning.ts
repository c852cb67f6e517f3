import type { ChatEvent } from "@factotum/protocol";
import { toolFailureLine, toolStartLine } from "../delivery/plan-tool-line.ts";

/**
 * The activity of a run besides its text, as an OpenAI client gets it on request: thoughts as they come, and a line for every tool that starts or fails,
 * separated by blank lines. Fed with the events of the session, like `RunText`.
 */
export class RunReasoning {
  readonly #runId: string;
  readonly #hideSecrets: (text: string) => string;
  #inThoughts = false;
  /** A part was shown: the next one starts after a blank line. */
  #hasShown = false;
  #beginsPart = true;
  /** Characters of thoughts of the current answer. */
  #ofAnswer = 0;

  constructor(runId: string, hideSecrets: (text: string) => string) {
    this.#runId = runId;
    this.#hideSecrets = hideSecrets;
  }

  /** The text that this event adds. */
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

  /** How many of the last characters this event withdraws: the answer broke off and is retried. */
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
