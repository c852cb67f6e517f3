import { contextBudget, estimateTokens } from "@factotum/agent-core";
import type { MediaFacts } from "@factotum/agent-core";
import type { AgentMessage } from "@factotum/agent-contract";
import { mediaReference } from "../media/store/media-store.ts";
import type { MediaStore } from "../media/store/media-store.ts";

/** Assumed without a known model: the smallest window that agents run with. */
const MIN_WINDOW = 16_000;
const HEAD_SHARE = 0.7;
/** The share of a request; the rest is for the prompt, the tools and a little of the conversation. */
const MAX_MESSAGE_SHARE = 0.85;

/** Where a long text is stored, and for whom. */
export interface LongTextPlace {
  readonly sessionId: string;
  readonly sessionKey: string;
  /** True if anyone but the owner has written it (R23). */
  readonly untrusted: boolean;
}

/** A message in the model's form. */
export interface ShortenedText {
  readonly text: string;
  /** The file with the whole text; absent for a text that was not cut. */
  readonly file?: MediaFacts;
}

/** True for a text that takes nearly all or more of a request to a model with this window: no request could contain it. */
export function isLongText(text: string, window: number = MIN_WINDOW): boolean {
  const maxTokens = maxMessageTokens(window);
  // A text never has more tokens than UTF-16 units, so most need no counting.
  return text.length > maxTokens && estimateTokens(text) > maxTokens;
}

/**
 * Stores the whole of a long text in a file that its conversation's tools can read, and truncates it to its beginning and its end; a shorter one is unchanged.
 * Without a store, if no tool opens files, it is only truncated. Rejects if the file cannot be written: then nothing is truncated.
 */
export async function shortenText(
  text: string,
  window: number | undefined,
  place: LongTextPlace,
  store: Pick<MediaStore, "put"> | undefined,
): Promise<ShortenedText> {
  if (!isLongText(text, window)) return { text };
  if (store === undefined) return { text: cutMiddle(text, window) };
  const stored = await store.put(Buffer.from(text), {
    ...place,
    kind: "file",
    mimeType: "text/plain",
    extension: "txt",
    fileName: "message.txt",
  });
  const location = mediaReference(stored.id);
  return {
    text: cutMiddle(text, window, location),
    file: { location, path: stored.path, fileName: "message.txt", mimeType: "text/plain" },
  };
}

/** The same for each text of a client's earlier messages; the files are named in the truncated text itself. */
export async function shortenMessages(
  messages: readonly AgentMessage[],
  window: number,
  place: LongTextPlace,
  store: Pick<MediaStore, "put"> | undefined,
): Promise<readonly AgentMessage[]> {
  const shortened: AgentMessage[] = [];
  for (const message of messages) {
    const content: AgentMessage["content"][number][] = [];
    for (const block of message.content)
      content.push(block.type === "text" ? { ...block, text: (await shortenText(block.text, window, place, store)).text } : block);
    shortened.push({ ...message, content } as AgentMessage);
  }
  return shortened;
}

/** The notice for the sender; `undefined` if nothing was cut. */
export function longTextNotice(
  texts: readonly string[],
  { window, isKept }: { readonly window: number; readonly isKept: boolean },
): string | undefined {
  const long = texts.filter((text) => isLongText(text, window));
  if (long.length === 0) return undefined;
  const chars = long.reduce((sum, text) => sum + text.length, 0).toLocaleString("en-US");
  const what = long.length === 1 ? "Your message is" : `${long.length} messages are`;
  return `${what} longer than the model can take at once (${chars} characters): it was given the beginning and the end.${isKept ? " The whole text is kept in a file that it can read." : ""}`;
}

/** Tokens of new messages beyond the window's reserve; zero for messages of usual length. */
export function longTextTokens(texts: readonly string[], window: number): number {
  const maxTokens = maxMessageTokens(window);
  const tokens = texts.reduce((sum, text) => sum + Math.min(maxTokens, estimateTokens(text)), 0);
  return tokens > (window - contextBudget({ window }).maxContext) / 2 ? tokens : 0;
}

function maxMessageTokens(window: number): number {
  return Math.floor(contextBudget({ window }).maxContext * MAX_MESSAGE_SHARE);
}

function cutMiddle(text: string, window: number = MIN_WINDOW, location?: string): string {
  const place = location === undefined ? "" : ` The whole text is in the file ${location}.`;
  for (let chars = contextBudget({ window }).maxToolResultChars; ; chars = Math.floor(chars / 2)) {
    const head = text.slice(0, Math.ceil(chars * HEAD_SHARE)).toWellFormed();
    const tail = text.slice(text.length - Math.floor(chars * (1 - HEAD_SHARE))).toWellFormed();
    const total = text.length.toLocaleString("en-US");
    const cut = (text.length - head.length - tail.length).toLocaleString("en-US");
    const shown = `${head}\n(${cut} of the ${total} characters of this message are left out here.${place})\n${tail}`;
    if (chars === 0 || estimateTokens(shown) <= maxMessageTokens(window)) return shown;
  }
}
