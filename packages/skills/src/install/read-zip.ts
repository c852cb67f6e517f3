import { promisify } from "node:util";
import { open, type Entry, type ZipFile } from "yauzl";
import { refusedSource, SkillInstallError } from "./install-error.ts";
import { INSTALL_LIMITS, type StagedFiles } from "./staged-files.ts";

const ENCRYPTED = 1;
/** The file type in the mode that Unix programs put into the upper half of the external attributes. */
const TYPE_BITS = 0o170_000;
const REGULAR = 0o100_000;
const FOLDER = 0o040_000;
const LINK = 0o120_000;

/** Unpacks a zip archive. Throws a SkillInstallError for links, encrypted files, paths that leave the folder, and everything beyond the limits. */
export async function readZip(file: string, staged: StagedFiles, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  let zip: ZipFile | undefined;
  try {
    zip = await openZip(file);
    if (zip.entryCount > INSTALL_LIMITS.maxEntries) throw refusedSource(`it has more than ${INSTALL_LIMITS.maxEntries} files`);
    const openStream = promisify<Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip));
    for await (const entry of entriesOf(zip)) {
      signal.throwIfAborted();
      await takeEntry(entry, staged, openStream);
    }
  } catch (error) {
    if (error instanceof SkillInstallError) throw error;
    signal.throwIfAborted();
    // Errors of the file system have a syscall; all others are about the archive.
    if (error instanceof Error && "syscall" in error) throw error;
    const reason = error instanceof Error ? error.message.replace(/\.$/, "") : "unknown error";
    throw refusedSource(`the archive cannot be read (${reason})`, { cause: error });
  } finally {
    zip?.close();
  }
}

async function takeEntry(entry: Entry, staged: StagedFiles, openStream: (entry: Entry) => Promise<NodeJS.ReadableStream>): Promise<void> {
  const { fileName, uncompressedSize } = entry;
  const mode = entry.externalFileAttributes >>> 16;
  const type = mode & TYPE_BITS;
  if (type === LINK) staged.refuseSpecial(fileName, "link");
  if (type !== 0 && type !== REGULAR && type !== FOLDER) staged.refuseSpecial(fileName, "special file");
  if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) throw refusedSource(`${JSON.stringify(fileName)} is encrypted`);
  if (fileName.endsWith("/")) return staged.addFolder(fileName);
  if (type === FOLDER) throw refusedSource(`${JSON.stringify(fileName)} is a folder without a final slash`);
  // The limits are checked before the stream is opened: nothing is inflated of what is too large.
  const body = lazyBody(async () => openStream(entry));
  await staged.addFile(fileName, body, { isExecutable: (mode & 0o100) !== 0, size: uncompressedSize });
}

async function* lazyBody(openBody: () => Promise<NodeJS.ReadableStream>): AsyncIterable<Uint8Array> {
  for await (const chunk of await openBody()) yield chunk as unknown as Uint8Array;
}

function openZip(file: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    open(file, { lazyEntries: true, autoClose: false, validateEntrySizes: true, strictFileNames: true }, (error, zip) => {
      if (error !== null && error !== undefined) reject(error);
      else resolve(zip);
    });
  });
}

async function* entriesOf(zip: ZipFile): AsyncIterable<Entry> {
  for (;;) {
    const entry = await nextEntry(zip);
    if (entry === undefined) return;
    yield entry;
  }
}

function nextEntry(zip: ZipFile): Promise<Entry | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      zip.removeListener("entry", onEntry).removeListener("end", onEnd).removeListener("error", onError);
      end();
    };
    const onEntry = (entry: Entry): void => settle(() => resolve(entry));
    const onEnd = (): void => settle(() => resolve(undefined));
    const onError = (error: Error): void => settle(() => reject(error));
    zip.on("entry", onEntry).on("end", onEnd).on("error", onError);
    zip.readEntry();
  });
}
