import { isAbsolute, resolve, sep } from "node:path";
import type { AgentMessage, AssistantMessage, ToolResultMessage, UserMessage } from "@factotum/agent-contract";
import { splitEffectivePrompt } from "@factotum/agent-core";
import { requestedAddresses } from "../kernel/requested-addresses.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** An address in text or JSON: to the next space, quote, bracket, escape or full-width mark. */
const ADDRESSES = /https?:\/\/(?:\[[\da-f:.]+\])?[^\s<>"'`\\|^{}[\]，。；：！？、）（」「』『】【》《]*/giu;
/** The same with the marks that end most addresses in texts and may stand in one all the same. */
const RARE_ADDRESS = /https?:\/\/[^\s<>"`\\，。；：！？、）（」「』『】【》《]{1,4096}/iuy;
const RARE_MARK = /['|^{}[\]]|%27|%5e|%7[bcd]/i;
/** Marks that may belong to the sentence around an address, of which this many are tried. */
const SENTENCE_END = /[.,;:!?)*_~'|^{}[\]]$/;
const MAX_END_MARKS = 8;
/** Longer ones cannot be requested. */
const MAX_CHARS = 4_096;
/** Tools whose results others write. What other tools return, the model can compose: a file that it has written, a command's output, an answer about a picture. */
const WRITTEN_BY_OTHERS = new Set(["web_fetch", "web_search", "browser"]);
/** Text that an agent wrote in an earlier turn. */
const NOTES = "daily notes (untrusted)";

/** The conversation in which an address is looked up, and the tool that is to request it. */
interface GivenContext {
  readonly messages: readonly AgentMessage[];
  readonly tool: string;
  /** The folder of the conversation's received files: what `read` shows of one of them, others have written. */
  readonly receivedFolder: string;
}

/**
 * True if the address tells nothing new to the server behind it (R23), because somebody other than the model has written it, verbatim and whole: in the body
 * of a message, in a quote or another block of a message, in a page, or in a received file. So has an address that the same tool has already requested, for the
 * rest of a long page. Only the fragment is disregarded, since it is not sent.
 *
 * Text that the model can compose does not count, or an address could carry what it has read: its answers and calls, summaries, notes, results of its own
 * files and commands, errors that repeat an argument. Once the model has written the address, nothing outside of a message's body counts, since it may be an
 * echo.
 */
export function isGivenAddress(address: string, { messages, tool, receivedFolder }: GivenContext): boolean {
  const wanted = canonical(address);
  if (wanted === undefined) return false;
  const requests = new Set<string>();
  const received = new Set<string>();
  let isOwn = false;
  for (const message of messages) {
    switch (message.role) {
      case "assistant":
        for (const id of callsFor(message, { tool, wanted })) requests.add(id);
        for (const id of readsBelow(message, receivedFolder)) received.add(id);
        isOwn ||= hasAddress(JSON.stringify(message.content), wanted);
        break;
      case "user": {
        const { body, blocks } = givenTexts(message);
        if (hasAddress(body, wanted) || (!isOwn && hasAddress(blocks, wanted))) return true;
        break;
      }
      case "toolResult":
        if (message.isError || message.tainted !== true) break;
        if (requests.has(message.toolCallId)) return true;
        if (!WRITTEN_BY_OTHERS.has(message.toolName) && !received.has(message.toolCallId)) break;
        if (!isOwn && hasAddress(textOf(message), wanted)) return true;
    }
  }
  return false;
}

function callsFor({ content }: AssistantMessage, { tool, wanted }: { readonly tool: string; readonly wanted: string }): readonly string[] {
  return content.flatMap((block) => {
    if (block.type !== "toolCall" || block.name !== tool) return [];
    return requestedAddresses(block.arguments).some((address) => canonical(address) === wanted) ? [block.id] : [];
  });
}

/** Calls that read files of a folder, by their whole path. */
function readsBelow({ content }: AssistantMessage, folder: string): readonly string[] {
  return content.flatMap((block) => {
    if (block.type !== "toolCall" || block.name !== "read") return [];
    const { path } = block.arguments;
    return typeof path === "string" && isAbsolute(path) && resolve(path).startsWith(`${folder}${sep}`) ? [block.id] : [];
  });
}

/** The text as it was written, and what surrounds it: quotes, names, files. A message without parts is a summary, or comes from a file: its author is unknown. */
function givenTexts(message: UserMessage): { readonly body: string; readonly blocks: string } {
  const { parts } = message;
  if (parts === undefined || (parts.run !== undefined && !RUN_POLICY[parts.run].givesAddresses)) return { body: "", blocks: "" };
  const blocks = splitEffectivePrompt(textOf(message)).filter(({ id }) => id !== NOTES && id !== "body");
  return { body: parts.body, blocks: blocks.map(({ text }) => text).join("\n") };
}

function textOf({ content }: UserMessage | ToolResultMessage): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function hasAddress(text: string, wanted: string): boolean {
  for (const [found] of text.matchAll(ADDRESSES)) if (found.length <= MAX_CHARS && isWithoutEnd(found, wanted)) return true;
  return RARE_MARK.test(wanted) && hasRareAddress(text, wanted);
}

/** Looks at every beginning of an address, since one that is followed by such a mark and another address ends there. */
function hasRareAddress(text: string, wanted: string): boolean {
  for (const { index } of text.matchAll(/https?:\/\//gi)) {
    RARE_ADDRESS.lastIndex = index;
    if (isWithoutEnd(RARE_ADDRESS.exec(text)?.[0] ?? "", wanted)) return true;
  }
  return false;
}

/** True if a found address is the wanted one, with or without the last marks. */
function isWithoutEnd(found: string, wanted: string): boolean {
  let candidate = found;
  for (let marks = 0; marks <= MAX_END_MARKS; marks += 1) {
    if (canonical(candidate) === wanted) return true;
    if (!SENTENCE_END.test(candidate)) break;
    candidate = candidate.slice(0, -1);
  }
  return false;
}

function canonical(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null) return undefined;
  url.hash = "";
  return url.href;
}
