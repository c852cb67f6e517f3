/**
 * The program of a process that reads the text of a PDF: the document is its standard input, an open file. A process of its own, because a hostile document
 * can take any time and memory.
 */
import { fstatSync, readSync } from "node:fs";
import { getDocumentProxy } from "unpdf";
import type { PdfAnswer, PdfPage, TimedPdfJob } from "./pdf-job.ts";

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

const STDIN = 0;
/** What a page takes at least: its number, and blank lines. */
const HEADING_CHARS = 16;

/** The file's offset belongs to the gateway, too: every read names its position. */
function readInput(): Uint8Array {
  const bytes = new Uint8Array(fstatSync(STDIN).size);
  let length = 0;
  while (length < bytes.length) {
    const count = readSync(STDIN, bytes, length, bytes.length - length, length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

async function answer({ firstPage, maxPages, maxChars, maxMs }: TimedPdfJob): Promise<PdfAnswer> {
  let document: PdfDocument;
  try {
    // Fonts are for pictures of pages.
    document = await getDocumentProxy(readInput(), { verbosity: 0, disableFontFace: true, useSystemFonts: false });
  } catch (error) {
    return { type: "failed", reason: error instanceof Error && error.name === "PasswordException" ? "encrypted" : "damaged" };
  }
  const pageCount = document.numPages;
  const pages: PdfPage[] = [];
  let chars = 0;
  const isLate = (): boolean => pages.length > 0 && process.uptime() * 1000 > maxMs;
  for (let number = firstPage; number <= pageCount && pages.length < maxPages && chars <= maxChars && !isLate(); number += 1) {
    const text = await textOf(document, number);
    pages.push(text === undefined ? { number } : { number, text: text.slice(0, maxChars + 1) });
    chars += HEADING_CHARS + (text?.length ?? 0);
  }
  return { type: "pages", pageCount, pages };
}

async function textOf(document: PdfDocument, number: number): Promise<string | undefined> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
    page.cleanup();
    return text.toWellFormed().trim();
  } catch (error) {
    // One damaged page does not fail the document.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

const job = JSON.parse(process.argv[2] ?? "") as TimedPdfJob;
process.stdout.write(JSON.stringify(await answer(job)));
