import type { ImageOrder, MediaCallOptions, MediaModels } from "@factotum/agent-contract";
import { speakableText } from "../delivery/speakable-text.ts";
import type { MediaStage } from "../media/media-stage.ts";
import { lookAtImages, type LookParts } from "./look-at-images.ts";
import { makeImages, type MakeParts } from "./make-images.ts";

/** The dependencies of the models for media. */
export interface ToolMediaParts extends LookParts, Omit<MakeParts, "spend"> {
  readonly media: Pick<MediaStage, "fitImages" | "speaker">;
}

/** The models for media, for tools. The tools are created before the parts that it works with. */
export class ToolMedia implements MediaModels {
  #connected: ToolMediaParts | undefined;

  connect(parts: ToolMediaParts): void {
    this.#connected = parts;
  }

  get #parts(): ToolMediaParts {
    if (this.#connected === undefined) throw new Error("The gateway has not started yet.");
    return this.#connected;
  }

  async lookAt(images: readonly Uint8Array[], question: string, options: MediaCallOptions): ReturnType<MediaModels["lookAt"]> {
    return lookAtImages(images, question, { ...options, parts: this.#parts });
  }

  async makeImages(order: ImageOrder, options: MediaCallOptions): ReturnType<MediaModels["makeImages"]> {
    return makeImages(order, { ...options, parts: this.#parts });
  }

  async speak(text: string, options: MediaCallOptions & { readonly voice?: string }): ReturnType<MediaModels["speak"]> {
    const { running, media } = this.#parts;
    const { maxChars } = running.config.messages.tts;
    if (text.length > maxChars)
      return failed(
        `The text has ${text.length} characters; at most ${maxChars} are spoken at once (messages.tts.maxChars). Speak a part of it.`,
      );
    const { text: words } = speakableText(text, maxChars);
    if (words === "") return failed("There is nothing to speak in it: code, tables and addresses are not read aloud.");
    const outcome = await media.speaker.attempt(words, options);
    return outcome.type === "spoken"
      ? { type: "done", result: outcome.audio }
      : failed(`Nothing was spoken: ${outcome.message.replace(/\.?$/, ".")}`);
  }
}

function failed(message: string): { readonly type: "failed"; readonly message: string } {
  return { type: "failed", message };
}
