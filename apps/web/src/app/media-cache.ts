/** What files of conversations are had and shown with. */
export interface MediaCacheOptions {
  /** The bytes of a file that came with a message; `undefined` when they cannot be had. Never rejects. */
  load(sessionKey: string, id: string): Promise<Blob | undefined>;
  createUrl(blob: Blob): string;
  revokeUrl(url: string): void;
}

/** The browser holds the bytes of so many. */
const MAX_FILES = 60;

interface CachedFile {
  readonly blob: Blob;
  readonly url: string;
}

/** Files of conversations as addresses that images can show, and the previews of those that are on their way. */
export class MediaCache {
  readonly #options: MediaCacheOptions;
  readonly #files = new Map<string, Promise<CachedFile | undefined>>();
  readonly #previews = new Map<string, string>();

  constructor(options: MediaCacheOptions) {
    this.#options = options;
  }

  /** An address of a file's bytes; `undefined` when they cannot be had now. */
  async url(sessionKey: string, id: string): Promise<string | undefined> {
    return (await this.#file(sessionKey, id))?.url;
  }

  /** A file's bytes; `undefined` when they cannot be had now. */
  async blob(sessionKey: string, id: string): Promise<Blob | undefined> {
    return (await this.#file(sessionKey, id))?.blob;
  }

  /** Takes over the preview of an image that is being sent. */
  addPreview(ref: string, url: string): void {
    this.#previews.set(ref, url);
  }

  /** The preview of an image that is being sent; none after a reload. */
  previewOf(ref: string): string | undefined {
    return this.#previews.get(ref);
  }

  /** Gives up the previews of all other images. */
  keepPreviews(refs: ReadonlySet<string>): void {
    for (const [ref, url] of this.#previews) {
      if (refs.has(ref)) continue;
      this.#previews.delete(ref);
      this.#options.revokeUrl(url);
    }
  }

  async #file(sessionKey: string, id: string): Promise<CachedFile | undefined> {
    const key = `${id} ${sessionKey}`;
    const known = this.#files.get(key);
    if (known !== undefined) return known;
    const loading = this.#load(sessionKey, id);
    this.#files.set(key, loading);
    const file = await loading;
    // What could not be had is asked for again the next time.
    if (file === undefined) this.#files.delete(key);
    await this.#prune();
    return file;
  }

  async #load(sessionKey: string, id: string): Promise<CachedFile | undefined> {
    const blob = await this.#options.load(sessionKey, id);
    return blob === undefined ? undefined : { blob, url: this.#options.createUrl(blob) };
  }

  /** An image that is shown has its bytes; only those to come need an address. */
  async #prune(): Promise<void> {
    const [oldest] = this.#files;
    if (oldest === undefined || this.#files.size <= MAX_FILES) return;
    this.#files.delete(oldest[0]);
    const file = await oldest[1];
    if (file !== undefined) this.#options.revokeUrl(file.url);
  }
}
