import type { RunFacts } from "./run.ts";

/** A file that a media model has made. Its bytes were checked: the type is theirs. */
export interface MadeFile {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** Without a dot; letters and digits. */
  readonly extension: string;
}

/** The images that a tool asks for. */
export interface ImageOrder {
  /** What they show, or how `inputs` are to be changed. */
  readonly prompt: string;
  /** How many, at least 1. */
  readonly count: number;
  /** `WIDTHxHEIGHT` in pixels or an aspect such as `3:2`; the provider's own by default. The nearest that the model can make. */
  readonly size?: string;
  /** Images to change or to combine; empty for new ones. */
  readonly inputs: readonly Uint8Array[];
}

/** What a request for media came to; `message` is for the calling model: what failed, and what to do. */
export type MediaOutcome<Result> =
  | { readonly type: "done"; readonly result: Result }
  | { readonly type: "failed"; readonly message: string };

/** Options of a request for media, which is charged to the run. */
export interface MediaCallOptions {
  readonly run: RunFacts;
  readonly signal: AbortSignal;
}

/** The models for media that the owner has configured, for tools. Implemented by the gateway. Rejects only when the signal fires or the store fails. */
export interface MediaModels {
  /** What a model that sees images answers to a question about them. Text of others, because words in an image can be anybody's. */
  lookAt(images: readonly Uint8Array[], question: string, options: MediaCallOptions): Promise<MediaOutcome<string>>;
  /** New or changed images, at least one. `problem` says why there are fewer than ordered. */
  makeImages(
    order: ImageOrder,
    options: MediaCallOptions,
  ): Promise<MediaOutcome<{ readonly files: readonly MadeFile[]; readonly problem?: string }>>;
  /** A recording of a text. `voice` is the provider's name of one; the configured one by default. */
  speak(text: string, options: MediaCallOptions & { readonly voice?: string }): Promise<MediaOutcome<MadeFile>>;
}
