import type { JsonObject, ModelRequest, ToolResultMessage } from "@factotum/agent-contract";
import { DEMO_NOTICES, demoWords, type DemoWords } from "./demo-words.ts";
import { findWish, isChinese, type Wish } from "./find-wish.ts";
import { readUserTurn } from "./read-user-text.ts";

/** The demo model's next step: a text, and optionally one tool call. */
export interface DemoAnswer {
  readonly text: string;
  readonly call?: { readonly name: string; readonly arguments: JsonObject };
}

const LONGEST_ECHO_LINES = 40;
const LONGEST_ECHO = 3_000;

/** Derives the next answer from the request alone: a request becomes a tool call, a tool's result becomes an answer. Pure. */
export function planDemoAnswer(request: ModelRequest): DemoAnswer {
  const { text, index } = readUserTurn(request);
  const words = demoWords(isChinese(text) ? "chinese" : "english");
  const wish = findWish(text);
  const result = request.messages.slice(index + 1).findLast((message) => message.role === "toolResult");
  if (result !== undefined) return finish(request, tellResult(result, wish, words), words);
  if (text === "") return finish(request, words.nothingSaid, words);
  if (wish.type === "talk") return finish(request, words.help, words);
  const call = toCall(wish, words);
  if (!request.tools.some((tool) => tool.name === call.name)) return finish(request, words.missing(call.name), words);
  return { text: words.announce(wish.type, wish.type === "run" ? wish.command : wish.path), call };
}

/** The model describes itself with the first answer of a conversation. */
function finish(request: ModelRequest, text: string, words: DemoWords): DemoAnswer {
  const isSaid = request.messages.some(
    (message) =>
      message.role === "assistant" &&
      message.content.some((part) => part.type === "text" && DEMO_NOTICES.some((notice) => part.text.includes(notice))),
  );
  return { text: isSaid ? text : `${text}\n\n${words.notice}` };
}

function toCall(wish: Exclude<Wish, { type: "talk" }>, words: DemoWords): { readonly name: string; readonly arguments: JsonObject } {
  switch (wish.type) {
    case "list":
      return { name: "ls", arguments: { path: wish.path } };
    case "read":
      return { name: "read", arguments: { path: wish.path } };
    case "write":
      return { name: "write", arguments: { path: wish.path, content: wish.content ?? words.sampleContent } };
    case "run":
      return { name: "exec", arguments: { command: wish.command } };
  }
}

function tellResult(result: ToolResultMessage, wish: Wish, words: DemoWords): string {
  const text = result.content
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n")
    .trim();
  if (result.isError) return words.failed(fence(text, words));
  switch (result.toolName) {
    case "ls":
      return text === "" ? words.emptyFolder : `${words.listed(text.split("\n").length)}\n\n${fence(text, words)}`;
    case "read":
      return `${words.wasRead(wish.type === "read" ? wish.path : "?")}\n\n${fence(text, words)}`;
    case "write":
      return words.wasWritten(text);
    case "exec":
      return `${words.ran}\n\n${fence(text, words)}`;
    default:
      return `${words.other(result.toolName)}\n\n${fence(text, words)}`;
  }
}

/** The result as a code block, cut if it is too long to read; the fence is longer than any inside. */
function fence(text: string, words: DemoWords): string {
  const lines = text.slice(0, LONGEST_ECHO).split("\n").slice(0, LONGEST_ECHO_LINES);
  const left = text.split("\n").length - lines.length;
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const marks = "`".repeat(longest + 1);
  return `${marks}\n${lines.join("\n").toWellFormed()}\n${marks}${left > 0 ? `\n${words.more(left)}` : ""}`;
}
