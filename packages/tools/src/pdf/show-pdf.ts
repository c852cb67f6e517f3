import type { AgentToolResult } from "@factotum/agent-contract";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import type { OpenFile } from "../file-access/open-file.ts";
import type { PdfPage } from "./pdf-job.ts";
import type { PdfReader, PdfResult } from "./read-pdf.ts";

const MAX_PDF_BYTES = 64 * 1024 * 1024;
/** Reserve for the closing line. */
const NOTE_CHARS = 160;

/** Which pages, and the most characters of the whole result. */
export interface ShowPdfOptions {
  /** From 1. */
  readonly firstPage: number;
  readonly maxPages: number;
  readonly maxChars: number;
  readonly signal: AbortSignal;
}

/** The text of a PDF's pages, each below its number: whole pages, except if the first is already too long. */
export async function showPdf(file: OpenFile, read: PdfReader, options: ShowPdfOptions): Promise<AgentToolResult> {
  const { shown, sizeBytes, untrusted } = file;
  const { firstPage, maxPages, signal } = options;
  const maxChars = options.maxChars - NOTE_CHARS;
  if (sizeBytes > MAX_PDF_BYTES) {
    return errorResult(`${shown} (PDF, ${sizeBytes} bytes) is too large to read; at most ${MAX_PDF_BYTES}. Split it first.`);
  }
  const result = await read(file.handle.fd, { firstPage, maxPages, maxChars }, { signal });
  if (result.type === "failed") return errorResult(`${shown} ${FAILURES[result.reason]}`);
  const { pageCount } = result;
  if (firstPage > pageCount) {
    return errorResult(`${shown} has ${pageCount === 1 ? "1 page" : `${pageCount} pages`}; the offset is past its end.`);
  }
  const { text, lastPage, isCut } = joinPages(result, maxChars);
  const details = { path: shown, sizeBytes, pageCount, firstPage, lastPage };
  return textResult(text + closingLine({ lastPage, pageCount, isCut }), { details, untrusted });
}

const FAILURES: Readonly<Record<Extract<PdfResult, { type: "failed" }>["reason"], string>> = {
  encrypted: "is a PDF that needs a password, so it cannot be read. Ask for a copy without one.",
  damaged: "is not a PDF that can be read: it is damaged or incomplete.",
  "timed-out": "is a PDF that takes too long to read. Ask for fewer pages with limit, or split it first.",
  "broke-down": "is a PDF that needs too much memory to read, or is damaged. Ask for fewer pages with limit, or split it first.",
};

function joinPages(
  { pages, pageCount }: Extract<PdfResult, { type: "pages" }>,
  maxChars: number,
): { readonly text: string; readonly lastPage: number; readonly isCut: boolean } {
  let text = "";
  let lastPage = 0;
  for (const page of pages) {
    const section = `[Page ${page.number} of ${pageCount}]\n${wordsOf(page)}\n\n`;
    if (text !== "" && text.length + section.length > maxChars) break;
    text += section;
    lastPage = page.number;
  }
  const isCut = text.length > maxChars;
  const cut = isCut ? text.slice(0, maxChars).toWellFormed() : text.trimEnd();
  return { text: `${cut}\n`, lastPage, isCut };
}

function wordsOf({ text }: PdfPage): string {
  if (text === undefined) return "(this page is damaged)";
  return text === "" ? "(no text; it may be a picture)" : text;
}

function closingLine({
  lastPage,
  pageCount,
  isCut,
}: {
  readonly lastPage: number;
  readonly pageCount: number;
  readonly isCut: boolean;
}): string {
  const rest = lastPage < pageCount ? ` Go on with offset ${lastPage + 1}.` : "";
  if (isCut) return `[Page ${lastPage} is too long to show whole.${rest}]`;
  return rest === "" ? "" : `[Pages ${lastPage + 1} to ${pageCount} are left.${rest}]`;
}
