import { createHash } from "node:crypto";
import { createReadStream, type ReadStream } from "node:fs";
import { Readable } from "node:stream";
import { createGunzip, type Gunzip } from "node:zlib";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { CliError } from "../runtime/cli-error.ts";
import { ArchiveError } from "./archive-error.ts";
import {
  FORMAT,
  HEAD_NAME,
  HOME_PREFIX,
  isSafePath,
  MANIFEST_NAME,
  MAX_ENTRIES,
  MAX_HEAD_BYTES,
  MAX_MANIFEST_BYTES,
  parseHead,
  parseManifest,
  type BackupFile,
  type BackupManifest,
} from "./manifest.ts";

/** Facts about a file in an archive. */
interface FileFacts {
  /** The permission bits. */
  readonly mode: number;
  readonly modifiedAt: Date;
}

/** Receives the content of an archive, in order. Paths are relative to the state directory and stay in it. */
export interface ArchiveVisitor {
  readonly folder: (path: string) => Promise<void>;
  /** The body must be read to its end. */
  readonly file: (path: string, body: AsyncIterable<Uint8Array>, facts: FileFacts) => Promise<void>;
}

/** Options of reading. */
export interface ReadArchiveOptions {
  /** Maximum unpacked bytes of all files together. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Reads an archive from its first to its last byte and resolves with its manifest, once every file has the size and the hash of the manifest, and no file is
 * missing or additional. Refuses links, paths that leave the state directory, and anything but files and folders, before the visitor sees them. Rejects with an
 * `ArchiveError`, or with the visitor's error.
 */
export async function readArchive(file: string, visitor: ArchiveVisitor, options: ReadArchiveOptions): Promise<BackupManifest> {
  const unpacking = new Unpacking(file, options);
  try {
    const reading = new Reading(unpacking, visitor, options);
    for await (const entry of unpacking.entries()) await reading.take(entry);
    return reading.end();
  } finally {
    unpacking.close();
  }
}

/** The stream of an archive. Its errors mean a damaged archive, unless the file itself cannot be read. */
class Unpacking {
  readonly file: string;
  readonly #source: ReadStream;
  readonly #unzipped: Gunzip = createGunzip();
  /** The error that ended the stream: the adapters to web streams do not always pass it on. */
  #failure: Error | undefined;

  constructor(file: string, { signal }: Pick<ReadArchiveOptions, "signal">) {
    this.file = file;
    this.#source = createReadStream(file, { signal });
    this.#source.on("error", (error) => this.#unzipped.destroy(error));
    this.#unzipped.on("error", (error) => (this.#failure ??= error));
    this.#source.pipe(this.#unzipped);
  }

  entries(): AsyncIterable<ParsedTarEntry> {
    const decoder = createTarDecoder({ strict: true });
    return this.guard(Readable.toWeb(this.#unzipped).pipeThrough(decoder) as ReadableStream<ParsedTarEntry>);
  }

  /** Passes on the items of the archive. */
  async *guard<Item>(items: AsyncIterable<Item>): AsyncIterable<Item> {
    try {
      yield* items;
    } catch (error) {
      throw toArchiveError(this.file, this.#failure ?? error);
    }
  }

  close(): void {
    this.#source.destroy();
    this.#unzipped.destroy();
  }
}

/** One pass over an archive. */
class Reading {
  readonly #unpacking: Unpacking;
  readonly #visitor: ArchiveVisitor;
  readonly #options: ReadArchiveOptions;
  readonly #files: BackupFile[] = [];
  readonly #paths: Set<string> = new Set();
  #entries = 0;
  #bytes = 0;
  #manifest: BackupManifest | undefined;

  constructor(unpacking: Unpacking, visitor: ArchiveVisitor, options: ReadArchiveOptions) {
    this.#unpacking = unpacking;
    this.#visitor = visitor;
    this.#options = options;
  }

  async take({ header, body }: ParsedTarEntry): Promise<void> {
    this.#entries += 1;
    if (this.#entries === 1) return this.#takeHead(header, this.#unpacking.guard(body));
    if (this.#manifest !== undefined) throw this.#refuse("has entries after its list of files");
    if (this.#entries > MAX_ENTRIES) throw this.#refuse("has too many entries");
    if (header.name === MANIFEST_NAME) {
      this.#manifest = parseManifest(await this.#text(header.size, MAX_MANIFEST_BYTES, this.#unpacking.guard(body)));
      if (this.#manifest === undefined) throw this.#refuse("is damaged: its list of files cannot be read");
      return;
    }
    const shown = JSON.stringify(header.name);
    const path = header.name.startsWith(HOME_PREFIX) ? header.name.slice(HOME_PREFIX.length).replace(/\/$/, "") : "";
    if (!isSafePath(path)) throw this.#refuse(`is refused: the path ${shown} does not stay in the state directory`);
    if (header.type !== "file" && header.type !== "directory")
      throw this.#refuse(`is refused: ${shown} is neither a file nor a folder (${header.type ?? "unknown"})`);
    if (this.#paths.has(path)) throw this.#refuse(`is refused: ${shown} is there twice`);
    this.#paths.add(path);
    if (header.type === "directory") {
      await body.cancel();
      return this.#visitor.folder(path);
    }
    this.#bytes += header.size;
    if (this.#bytes > this.#options.maxBytes)
      throw new CliError(
        "failure",
        `${this.#unpacking.file} unpacks to more than the ${this.#options.maxBytes} bytes that there is space for.`,
        {
          fix: "Free some space, or choose a larger disk.",
        },
      );
    await this.#takeFile(path, header, body);
  }

  /** Ends the pass: all files must match the manifest. */
  end(): BackupManifest {
    const manifest = this.#manifest;
    if (manifest === undefined) throw this.#refuse("is incomplete: it ends before its list of files");
    const listed = new Map(manifest.files.map((one) => [one.path, one]));
    for (const { path, bytes, sha256 } of this.#files) {
      const expected = listed.get(path);
      if (expected === undefined) throw this.#refuse(`is damaged: ${path} is not in its list of files`);
      if (expected.bytes !== bytes || expected.sha256 !== sha256) throw this.#refuse(`is damaged: ${path} has changed`);
      listed.delete(path);
    }
    const [missing] = listed.keys();
    if (missing !== undefined) throw this.#refuse(`is damaged: ${missing} is missing`);
    return manifest;
  }

  async #takeHead(header: ParsedTarEntry["header"], body: AsyncIterable<Uint8Array>): Promise<void> {
    const head = header.name === HEAD_NAME ? parseHead(await this.#text(header.size, MAX_HEAD_BYTES, body)) : undefined;
    if (head === undefined) throw this.#refuse("is no backup of Factotum");
    if (head.format <= FORMAT) return;
    throw new ArchiveError(this.#unpacking.file, `was made by a newer Factotum (${head.version}), and this one does not know its form`, {
      fix: `Install Factotum ${head.version} or newer.`,
    });
  }

  async #takeFile(path: string, header: ParsedTarEntry["header"], body: AsyncIterable<Uint8Array>): Promise<void> {
    const hash = createHash("sha256");
    let bytes = 0;
    const counted = async function* (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    };
    await this.#visitor.file(path, counted(this.#unpacking.guard(body)), {
      mode: header.mode ?? 0o600,
      modifiedAt: header.mtime ?? new Date(),
    });
    this.#files.push({ path, bytes, sha256: hash.digest("hex") });
  }

  async #text(bytes: number, maxBytes: number, body: AsyncIterable<Uint8Array>): Promise<string> {
    if (bytes > maxBytes) throw this.#refuse("is damaged: its description is too long");
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks).toString("utf8");
  }

  #refuse(reason: string): ArchiveError {
    return new ArchiveError(this.#unpacking.file, reason);
  }
}

function toArchiveError(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || error.name === "AbortError") return error;
  const code = "code" in error ? String(error.code) : "";
  if (code === "ENOENT") return new CliError("failure", `There is no file ${file}.`, { cause: error, fix: "Check its name." });
  if (code === "Z_BUF_ERROR") return new ArchiveError(file, "is incomplete: it ends in the middle", { cause: error });
  if (code === "Z_DATA_ERROR" && error.message.includes("header"))
    return new ArchiveError(file, "is no backup of Factotum", { cause: error });
  // Errors of the file system have a syscall.
  if ("syscall" in error) return error;
  return new ArchiveError(file, `is damaged: ${error.message.replace(/\.$/, "")}`, { cause: error });
}
