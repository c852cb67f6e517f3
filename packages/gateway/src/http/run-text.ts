import type { ChatEvent } from "@factotum/protocol";
import { mediaWords } from "../media/media-words.ts";
import { ReplyParser } from "../delivery/reply-parser.ts";

/**
 * The text of a whole run as an OpenAI client gets it: all answers of the assistant, separated by blank lines. Fed with the events of the session, so that a
 * streaming and a waiting client get the same characters.
 */
export class RunText {
  readonly #runId: string;
  #current: ReplyParser | undefined;
  #inText = false;
  #saidBefore = false;
  #saidNow = false;

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** The text that this event adds. */
  push(event: ChatEvent): string {
    if (!("runId" in event) || event.runId !== this.#runId) return "";
    switch (event.type) {
      case "block-start": {
        if (event.block !== "text") {
          this.#inText = false;
          return "";
        }
        const rest = this.#close();
        this.#inText = true;
        this.#current = new ReplyParser();
        return rest;
      }
      case "block-delta":
        return this.#inText && this.#current !== undefined ? this.#say(this.#current.push(event.text)) : "";
      case "entry":
        return event.entry.type === "assistant" ? this.#close() : "";
      case "run-end":
        return this.#close();
      default:
        return "";
    }
  }

  #close(): string {
    const rest = this.#current === undefined ? "" : this.#say(this.#current.end().text) + this.#sayMedia(this.#current.media);
    this.#current = undefined;
    this.#saidBefore ||= this.#saidNow;
    this.#saidNow = false;
    this.#inText = false;
    return rest;
  }

  /** An OpenAI client gets the names of files instead of files. */
  #sayMedia(media: readonly string[]): string {
    if (media.length === 0) return "";
    const separator = this.#saidNow ? "\n\n" : "";
    return separator + this.#say(mediaWords(media));
  }

  #say(text: string): string {
    if (text === "") return "";
    const separator = this.#saidBefore && !this.#saidNow ? "\n\n" : "";
    this.#saidNow = true;
    return separator + text;
  }
}
