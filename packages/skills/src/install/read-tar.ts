import { createReadStream } from "node:fs";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { ParsedTarEntry } from "modern-tar";
import { refusedSource, SkillInstallError } from "./install-error.ts";
import { INSTALL_LIMITS, type StagedFiles } from "./staged-files.ts";

/** The most that a decompressed archive can have: its files, and a header and padding for each. */
const MAX_UNPACKED_BYTES = INSTALL_LIMITS.maxTotalBytes + INSTALL_LIMITS.maxEntries * 4_096;

/** Unpacks a tar archive, compressed with gzip or not. Throws a SkillInstallError for links, devices, paths that leave the folder, and everything beyond the limits. */
export async function readTar(
  file: string,
  staged: StagedFiles,
  { isCompressed, signal }: { readonly isCompressed: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { createTarDecoder } = await import("modern-tar");
  const bounded = boundedStream();
  // Its end is the stream's end or error, which the reader sees.
  const source = createReadStream(file);
  const flow = isCompressed ? pipeline(source, createGunzip(), bounded, { signal }) : pipeline(source, bounded, { signal });
  const failed = flow.then(
    () => undefined,
    (error: unknown) => error,
  );
  try {
    const entries = Readable.toWeb(bounded).pipeThrough(createTarDecoder({ strict: true })) as ReadableStream<ParsedTarEntry>;
    for await (const { header, body } of entries) {
      if (header.type === "directory") {
        await staged.addFolder(header.name);
        await body.cancel();
      } else if (header.type === "file")
        await staged.addFile(header.name, body, { isExecutable: ((header.mode ?? 0) & 0o100) !== 0, size: header.size });
      else staged.refuseSpecial(header.name, header.type ?? "special file");
    }
  } catch (error) {
    bounded.destroy();
    const cause = (await failed) ?? error;
    if (error instanceof SkillInstallError) throw error;
    if (cause instanceof SkillInstallError) throw cause;
    signal.throwIfAborted();
    throw refusedSource(`the archive is damaged (${reasonOf(error)})`, { cause: error });
  }
}

function boundedStream(): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > MAX_UNPACKED_BYTES ? refusedSource(`it unpacks to more than ${MAX_UNPACKED_BYTES} bytes`) : null, chunk);
    },
  });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, "") : "unknown error";
}
