import { mkdir, open, rename, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

/** A full file becomes `<name>.1`, replacing the previous one: at most twice this is on disk. */
const MAX_BYTES = 10 * 1024 * 1024;
/** Buffer for a slow disk; lines beyond that are counted and dropped. */
const MAX_WAITING_CHARS = 1024 * 1024;

/** Options of a log file. */
export interface LogFileOptions {
  readonly maxBytes?: number;
  /** Called once when lines cannot be written, until they can be again. Must not write to this file. */
  readonly onFailure: (error: unknown) => void;
}

/** The gateway's log on disk: written asynchronously, one write at a time, and bounded in bytes. */
export class LogFile implements AsyncDisposable {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #onFailure: (error: unknown) => void;
  #handle: FileHandle | undefined;
  #size = 0;
  #waiting: string[] = [];
  #waitingChars = 0;
  #lost = 0;
  #failed = false;
  #working: Promise<void> | undefined;

  private constructor(path: string, { maxBytes = MAX_BYTES, onFailure }: LogFileOptions) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#onFailure = onFailure;
  }

  /** Opens or creates the file, private to its owner. Never rejects: failures are reported to `onFailure`. */
  static async open(path: string, options: LogFileOptions): Promise<LogFile> {
    const log = new LogFile(path, options);
    try {
      await log.#open();
    } catch (error) {
      log.#fail(error);
    }
    return log;
  }

  /** Takes a line with its line break. Returns at once. */
  write(line: string): void {
    if (this.#waitingChars + line.length > MAX_WAITING_CHARS) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(line);
    this.#waitingChars += line.length;
    this.#working ??= this.#work();
  }

  /** Resolves once all buffered lines are written, or cannot be. Later lines open the file again. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#working !== undefined) await this.#working;
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      this.#waitingChars = 0;
      // More may be lost while this is written.
      const lost = this.#lost;
      this.#lost = 0;
      try {
        await this.#append(`${lostLine(lost)}${lines.join("")}`);
        this.#failed = false;
      } catch (error) {
        this.#lost += lost + lines.length;
        this.#fail(error);
      }
    }
    this.#working = undefined;
  }

  async #append(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    if (this.#size > 0 && this.#size + bytes.length > this.#maxBytes) await this.#rotate();
    const handle = this.#handle ?? (await this.#open());
    // Partly written bytes on a full disk count as written.
    this.#size += bytes.length;
    await handle.appendFile(bytes);
  }

  async #rotate(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
    try {
      await rename(this.#path, `${this.#path}.1`);
    } catch (error) {
      // It was rotated or removed by another program.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    this.#size = 0;
  }

  async #open(): Promise<FileHandle> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const handle = await open(this.#path, "a", 0o600);
    this.#handle = handle;
    this.#size = (await handle.stat()).size;
    return handle;
  }

  #fail(error: unknown): void {
    if (!this.#failed) this.#onFailure(error);
    this.#failed = true;
  }
}

function lostLine(lines: number): string {
  if (lines === 0) return "";
  return `${JSON.stringify({ level: "warn", time: new Date().toISOString(), message: "Lines of the log could not be written", lines })}\n`;
}
