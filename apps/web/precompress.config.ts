import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** File types worth compressing; images and fonts are compressed already. */
const TEXTS = /\.(?:html|js|css|svg|json|webmanifest)$/;
/** Below this size in bytes the headers outweigh the savings. */
const MIN_BYTES = 512;

/**
 * Writes `<file>.br` and `<file>.gz` for each text file of a built page, at the highest levels, so that a server compresses nothing at run time. Skips hidden
 * folders, which are not part of the page, and omits a compressed file that is not smaller.
 */
export async function precompress(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && TEXTS.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !path.relative(folder, file).startsWith("."));
  await Promise.all(files.map(compressFile));
}

async function compressFile(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < MIN_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const forms = { br: await promisify(brotliCompress)(bytes, { params }), gz: await promisify(gzip)(bytes, { level: 9 }) };
  for (const [extension, form] of Object.entries(forms)) if (form.length < bytes.length) await writeFile(`${file}.${extension}`, form);
}
