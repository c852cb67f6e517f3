import { Buffer } from "node:buffer";
import { plural } from "@factotum/agent-contract";
import type { AgentTool, AgentToolResult } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import type { FileAccess } from "../file-access/create-file-access.ts";
import { FileAccessError } from "../file-access/file-access-error.ts";
import type { OpenFile } from "../file-access/open-file.ts";
import { readChunks } from "./chunks.ts";
import type { PdfReader } from "../pdf/read-pdf.ts";
import { showPdf } from "../pdf/show-pdf.ts";
import { PATH_ALIASES, PathSchema } from "./path-parameter.ts";
import { readWindow, type TextWindow } from "./read-window.ts";
import { sniffFile, type FileKind } from "./sniff-file.ts";

/** Reserve for the closing line, so that the whole result stays within the cap. */
const NOTE_CHARS = 160;

export interface ReadToolOptions {
  readonly files: FileAccess;
  /** Maximum characters of a result. */
  readonly maxResultChars: number;
  /** Maximum bytes of an image for the model. */
  readonly maxImageBytes: number;
  readonly readPdf: PdfReader;
}

const ReadSchema = z.strictObject({
  path: PathSchema,
  offset: z.int().min(1).max(1_000_000_000).optional().describe("First line (of a PDF: page), from 1"),
  limit: z.int().min(1).max(1_000_000).optional().describe("Lines (of a PDF: pages)"),
});

/** Shows a text file, the text of a PDF, or an image. Memory is bounded, regardless of the file's size. */
export function createReadTool(options: ReadToolOptions): AgentTool {
  const { files, maxResultChars, maxImageBytes, readPdf } = options;
  return defineTool({
    name: "read",
    summary: "Show a text file, PDF or image",
    description: `Returns a text file, the text of a PDF, or a PNG, JPEG, GIF or WebP image. A call returns at most ${maxResultChars} characters of text; if more is left, the last line says which offset is next.`,
    schema: ReadSchema,
    aliases: PATH_ALIASES,
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
    async execute({ path, offset = 1, limit = Number.MAX_SAFE_INTEGER }, { run, signal }) {
      await using file = await (await files.forRun(run)).openFile(path);
      const { kind, head } = await sniffFile(file.handle);
      switch (kind.type) {
        case "empty":
          return textResult("(empty file)", { details: { path: file.shown, sizeBytes: 0 }, untrusted: file.untrusted });
        case "image":
          return readImage(file, kind, maxImageBytes);
        case "pdf":
          // The file stays open until the process has read it.
          return await showPdf(file, readPdf, { firstPage: offset, maxPages: limit, maxChars: maxResultChars, signal });
        case "binary":
          return errorResult(`${file.shown} is not text (${kind.name}, ${plural(file.sizeBytes, "byte")}), so it cannot be shown.`);
        case "text": {
          const limits = { firstLine: offset, maxLines: limit, maxChars: maxResultChars - NOTE_CHARS };
          return toResult(file, await readWindow(readChunks(file, { head, signal }), limits));
        }
      }
    },
  });
}

function toResult(file: OpenFile, window: TextWindow): AgentToolResult {
  if (window.type === "past-end") {
    return errorResult(`${file.shown} has ${plural(window.lineCount, "line")}; the offset is past its end.`);
  }
  const { firstLine, lastLine } = window;
  const leftBytes = Math.max(0, file.sizeBytes - window.endByte);
  const details = { path: file.shown, sizeBytes: file.sizeBytes, firstLine, lastLine, leftBytes };
  const note = closingLine(window, leftBytes, file.sizeBytes);
  return textResult(window.text + note, { details, untrusted: file.untrusted });
}

function closingLine({ text, lastLine, lineCut }: Extract<TextWindow, { type: "window" }>, leftBytes: number, sizeBytes: number): string {
  if (leftBytes === 0) return "";
  const left = `${leftBytes} of ${plural(sizeBytes, "byte")} ${leftBytes === 1 ? "is" : "are"} left`;
  if (lineCut) return `\n[Line ${lastLine} is too long to show whole; ${left}. Later lines: offset ${lastLine + 1}.]`;
  return `${text.endsWith("\n") ? "" : "\n"}[${left}. Go on with offset ${lastLine + 1}.]`;
}

async function readImage(file: OpenFile, kind: Extract<FileKind, { type: "image" }>, maxBytes: number): Promise<AgentToolResult> {
  const { shown, sizeBytes, untrusted } = file;
  const what = `${shown} (${kind.mimeType}, ${sizeBytes} bytes)`;
  if (sizeBytes > maxBytes)
    return errorResult(`${what} is larger than ${maxBytes.toLocaleString("en")} bytes, so it cannot be shown; make a smaller copy first.`);
  const { bytesRead, buffer } = await file.handle.read(Buffer.allocUnsafe(sizeBytes), 0, sizeBytes, 0);
  if (bytesRead !== sizeBytes) throw new FileAccessError("changed", `${shown} changed while it was read; try again.`);
  return {
    content: [
      { type: "text", text: what },
      { type: "image", data: buffer.toString("base64"), mimeType: kind.mimeType },
    ],
    details: { path: shown, sizeBytes, mimeType: kind.mimeType },
    ...(untrusted ? { untrusted } : {}),
  };
}
