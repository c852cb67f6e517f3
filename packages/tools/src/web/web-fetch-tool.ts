import { plural, withoutUndefined } from "@factotum/agent-contract";
import { STATUS_CODES } from "node:http";
import type { AgentTool, AgentToolResult } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, ownError, textResult } from "../define-tool/tool-result.ts";
import { NO_PRIVATE_PLACES, parsePrivatePlaces } from "../public-fetch/private-places.ts";
import type { PublicResponse, RequestRefused, ResponseHead } from "../public-fetch/public-request.ts";
import { parseTarget } from "../public-fetch/resolve-target.ts";
import { kindOfBytes, kindOfType, mediaType } from "./content-kind.ts";
import { decodeText } from "./page/decode-text.ts";
import type { PageFormat, PageText } from "./page/page-job.ts";
import type { WebAccess } from "./web-access.ts";

export interface WebFetchToolOptions {
  readonly web: WebAccess;
  /** Maximum characters of a result. */
  readonly maxResultChars: number;
}

/** For a fetch with its redirects. */
const TIMEOUT_MS = 30_000;
const MAX_TITLE_CHARS = 300;
const MAX_URL_CHARS = 4_096;
/** Reserve for the closing line. */
const NOTE_CHARS = 120;

const WebFetchSchema = z.strictObject({
  url: z.string().min(1).max(MAX_URL_CHARS),
  format: z.enum(["markdown", "text"]).optional().describe("Default markdown"),
  offset: z.int().min(0).max(100_000_000).optional().describe("First character; default 0"),
  maxChars: z.int().min(100).max(100_000).optional(),
});

type Answer = Extract<PublicResponse, { type: "response" }>;

/** Text of an answer, with remarks about how it came about. */
interface Content extends PageText {
  readonly notes: readonly string[];
}

/** Fetches a page of the web as text. Runs no script, sends no cookie, and reaches private addresses only where the owner has opened them, in the owner's turns. */
export function createWebFetchTool({ web, maxResultChars }: WebFetchToolOptions): AgentTool {
  return defineTool({
    name: "web_fetch",
    summary: "Read a web page",
    description:
      "Returns the main text of a page as Markdown, JSON and plain text as they are. Runs no scripts. If more is left, the last line says which offset comes next.",
    schema: WebFetchSchema,
    traits: { effect: "read", idempotent: true, output: "untrusted", network: true, parallel: true },
    // The offset and the format are not sent, so a decision is about the address alone.
    inspect: async ({ url }) => {
      const parsed = parseTarget(url);
      if (parsed.type === "refused") return { type: "invalid", message: refusalText(parsed) };
      return { type: "action", text: `Fetch ${url}`, binding: { url } };
    },
    async execute({ url, format = "markdown", offset = 0, maxChars = maxResultChars }, { run, signal }) {
      const answer = await web.request({
        url,
        signal,
        maxBytes: web.fetch.maxBytes,
        timeoutMs: TIMEOUT_MS,
        keepsPart: true,
        headers: { accept: "text/html, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5" },
        allowsPrivate: run.owner ? parsePrivatePlaces(web.fetch.allowPrivate) : NO_PRIVATE_PLACES,
        readsBody: ({ status, contentType }) => isSuccess(status) && kindOfType(contentType) !== "file",
      });
      if (answer.type === "refused") return (answer.isUnsent === true ? ownError : errorResult)(refusalText(answer));
      const { head } = answer;
      if (!isSuccess(head.status)) return errorResult(statusText(head));
      const content = await contentOf(answer, format, web, signal);
      return content === undefined ? fileResult(answer) : showWindow(head, content, { offset, maxChars, maxResultChars });
    },
  });
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function refusalText({ message, isPrivate }: RequestRefused): string {
  if (isPrivate !== true) return `Nothing was fetched: ${message}.`;
  return `Nothing was fetched: ${message}. The owner can open single private addresses in tools.web.fetch.allowPrivate, for the owner's turns.`;
}

function statusText({ status, url }: ResponseHead): string {
  const hint = status === 401 || status === 403 ? " It may need a login, or refuse programs." : status === 429 ? " Try again later." : "";
  return `The server answered ${status} (${STATUS_CODES[status] ?? "unknown status"}) for ${url}.${hint}`;
}

/** The text of an answer; `undefined` for a file. */
async function contentOf(
  { head, bytes, isCut, brokenOff }: Answer,
  format: PageFormat,
  { pages, fetch }: WebAccess,
  signal: AbortSignal,
): Promise<Content | undefined> {
  if (bytes === undefined) return undefined;
  const { url, contentType } = head;
  const named = kindOfType(contentType);
  const kind = named === "unknown" ? kindOfBytes(bytes) : named;
  if (kind === "file") return undefined;
  const cut = isCut ? [partNote(brokenOff, bytes.length, fetch.maxBytes)] : [];
  if (kind === "text") return { title: "", text: decodeText(bytes, contentType), notes: cut };
  const reading = await pages.readPage({ bytes, contentType, url, format }, { signal });
  if (reading.type === "failed") return { title: "", text: "", notes: [...cut, `Its text could not be read: ${reading.message}.`] };
  const { page, plainBecause } = reading;
  const notes = [
    ...cut,
    ...(plainBecause === undefined
      ? []
      : [`This is all text of the page, without its structure, because reading its main text failed: ${plainBecause}.`]),
    ...(page.refresh === undefined ? [] : [`The page sends its readers on to ${page.refresh}`]),
    ...(page.text === "" ? ["The page has no text without its scripts."] : []),
  ];
  return { ...page, notes };
}

/** The rest is missing because of the limit, or because it did not come. */
function partNote(brokenOff: string | undefined, bytes: number, maxBytes: number): string {
  if (brokenOff === undefined) return `Only its first ${maxBytes.toLocaleString("en")} bytes were read.`;
  return `Only its first ${bytes.toLocaleString("en")} bytes came (${brokenOff}).`;
}

/** Names a file that is no text. */
function fileResult({ head: { url, contentType, sizeBytes }, bytes, isCut }: Answer): AgentToolResult {
  const size = sizeBytes ?? (isCut ? undefined : bytes?.length);
  const type = mediaType(contentType) || "application/octet-stream";
  const what = `${url} is a file: ${type}, ${size === undefined ? "size unknown" : plural(size, "byte")}.`;
  const how =
    "This tool returns text only. To open it, save it in the workspace with a command (curl -L -o NAME URL); to pass it on, give its address to message as media.";
  return textResult(`${what} ${how}`, { details: { url, contentType: type, ...withoutUndefined({ sizeBytes: size }) } });
}

function showWindow(
  { url, status, contentType }: ResponseHead,
  { title, text, notes }: Content,
  { offset, maxChars, maxResultChars }: { readonly offset: number; readonly maxChars: number; readonly maxResultChars: number },
): AgentToolResult {
  if (offset > 0 && offset >= text.length) return errorResult(`The text has ${text.length} characters; the offset is past its end.`);
  const head = [
    ...(title === "" ? [] : [`Title: ${title.slice(0, MAX_TITLE_CHARS).toWellFormed()}`]),
    `URL: ${url.slice(0, MAX_URL_CHARS)}`,
    ...notes.map((note) => `[${note}]`),
  ].join("\n");
  const room = Math.max(0, maxResultChars - head.length - NOTE_CHARS);
  const shown = cutAt(text.slice(offset), Math.min(maxChars, room));
  const end = offset + shown.length;
  const note = end < text.length ? `\n[Characters ${offset}-${end} of ${text.length}. Go on with offset ${end}.]` : "";
  return textResult(`${head}\n\n${shown}${note}`, {
    details: {
      url,
      status,
      contentType: mediaType(contentType),
      title: title.slice(0, MAX_TITLE_CHARS).toWellFormed(),
      chars: text.length,
      offset,
      leftChars: text.length - end,
    },
  });
}

/** Never within a character. */
function cutAt(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, maxChars);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
