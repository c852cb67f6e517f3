/** Dependencies of the media cache. */
export interface MediaCacheOptions {
  /** The bytes of a file of a message; `undefined` if they cannot be loaded. Never rejects. */
  load(sessionKey: string, id: string): Promise<Blob | undefined>;
  createUrl(blob: Blob): string;
  revokeUrl(url: string): void;
}

/** Maximum files whose bytes the browser holds. */
const MAX_FILES = 60;

interface CachedFile {
  readonly blob: Blob;
  readonly url: string;
}

/** Object URLs for files of conversations, and the previews of pending ones. */
export class MediaCache {
  readonly #options: MediaCacheOptions;
  readonly #files = new Map<string, Promise<CachedFile | undefined>>();
  readonly #previews = new Map<string, string>();

  constructor(options: MediaCacheOptions) {
    this.#options = options;
  }

  /** An object URL of a file; `undefined` if it cannot be loaded now. */
  async url(sessionKey: string, id: string): Promise<string | undefined> {
    return (await this.#file(sessionKey, id))?.url;
  }

  /** A file's bytes; `undefined` if they cannot be loaded now. */
  async blob(sessionKey: string, id: string): Promise<Blob | undefined> {
    return (await this.#file(sessionKey, id))?.blob;
  }

  /** Takes ownership of the preview of an image that is being sent. */
  addPreview(ref: string, url: string): void {
    this.#previews.set(ref, url);
  }

  /** The preview of an image that is being sent; none after a reload. */
  previewOf(ref: string): string | undefined {
    return this.#previews.get(ref);
  }

  /** Releases the previews of all other images. */
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
    // A failed load is retried the next time.
    if (file === undefined) this.#files.delete(key);
    await this.#prune();
    return file;
  }

  async #load(sessionKey: string, id: string): Promise<CachedFile | undefined> {
    const blob = await this.#options.load(sessionKey, id);
    return blob === undefined ? undefined : { blob, url: this.#options.createUrl(blob) };
  }

  /** A shown image has its bytes; only later ones need an object URL. */
  async #prune(): Promise<void> {
    const [oldest] = this.#files;
    if (oldest === undefined || this.#files.size <= MAX_FILES) return;
    this.#files.delete(oldest[0]);
    const file = await oldest[1];
    if (file !== undefined) this.#options.revokeUrl(file.url);
  }
}
