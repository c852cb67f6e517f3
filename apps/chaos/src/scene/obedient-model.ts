import { callTools, sayText } from "@factotum/testing-providers";
import type { CapturedRequest, Gate, ScriptedReply } from "@factotum/testing-providers";

/** The form of a message's name, in questions and answers. */
export const MARK: RegExp = /input-\d+/g;

/** More than the events before the first words plus some of these, less than the whole answer. */
const STALL_AFTER_BYTES = 1_500;

interface Block {
  readonly type: string;
  readonly text?: string;
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

/** The message that a request must answer, and whether its tool was called. */
export function readQuestion({ body }: CapturedRequest): { readonly mark: string; readonly isToolDone: boolean } | undefined {
  const messages = (body?.["messages"] ?? []) as unknown as readonly Message[];
  const at = messages.findLastIndex((message) => message.role === "user" && textOf(message).match(MARK) !== null);
  const asked = messages[at];
  const mark = asked === undefined ? undefined : textOf(asked).match(MARK)?.at(-1);
  if (mark === undefined) return undefined;
  return { mark, isToolDone: messages.slice(at + 1).some(({ content }) => blocks(content).some(({ type }) => type === "tool_result")) };
}

/** Parts of an answer: numbered paragraphs. */
export const PARTS = 3;

/** The behaviour of the model. */
export interface AnswerOptions {
  /** Each run of the tool appends a line to it. */
  readonly effectsFile: string;
  /** The answer pauses in its middle until this opens. */
  readonly until?: Gate;
  /** The first part comes before the tool, in a separate message: only display modes that show all text show all parts then. */
  readonly saysBefore: boolean;
}

/** Calls one tool, then answers with the message's name, in parts. */
export function answerQuestion(request: CapturedRequest, options: AnswerOptions): ScriptedReply {
  const question = readQuestion(request);
  if (question === undefined) return sayText("Nobody has asked anything.");
  const { mark, isToolDone } = question;
  const { effectsFile, saysBefore, until } = options;
  const answer = Array.from({ length: PARTS }, (_, part) => `Part ${part + 1} of the answer to ${mark}: long enough to come in pieces.`);
  const before = saysBefore ? answer.splice(0, 1) : [];
  if (!isToolDone) {
    const call = callTools({ name: "exec", arguments: { command: `echo ${mark} >> ${effectsFile}` } });
    return { ...call, content: [...before.map((text) => ({ type: "text", text }) as const), ...call.content] };
  }
  return {
    ...sayText(answer.join("\n\n")),
    ...(until === undefined ? {} : { fault: { type: "stall", afterBytes: STALL_AFTER_BYTES, until } }),
  };
}

/** The parts of answers in a text, by their messages; a part cut within its name does not count. */
export function readParts(text: string): readonly { readonly mark: string; readonly part: number }[] {
  return [...text.matchAll(/Part (\d) of the answer to (input-\d+):/g)].map(([, part, mark = ""]) => ({ mark, part: Number(part) - 1 }));
}

function textOf({ content }: Message): string {
  return blocks(content)
    .flatMap(({ type, text = "" }) => (type === "text" ? [text] : []))
    .join("\n");
}

function blocks(content: Message["content"]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
