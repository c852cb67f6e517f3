/** The services for media that the configuration can name. */
export type MediaService = "transcription" | "speech";

/** The newest failure of each service, until it works again. */
export class MediaProblems {
  readonly #problems = new Map<MediaService, string>();

  /** `text` is for the owner. */
  record(service: MediaService, text: string): void {
    this.#problems.set(service, text);
  }

  clear(service: MediaService): void {
    this.#problems.delete(service);
  }

  list(): readonly { readonly service: MediaService; readonly text: string }[] {
    return [...this.#problems].map(([service, text]) => ({ service, text }));
  }
}
