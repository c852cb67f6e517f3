import { callTools, sayText } from "@factotum/testing-providers";
import type { CapturedRequest, ScriptedReply } from "@factotum/testing-providers";

/** How a message names itself, in what is said and in what is answered. */
export const MARK: RegExp = /input-\d+/g;

interface Block {
  readonly type: string;
  readonly text?: string;
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

/** The message that a request asks to be answered, and whether its tool has been called. */
export function readQuestion({ body }: CapturedRequest): { readonly mark: string; readonly isToolDone: boolean } | undefined {
  const messages = (body?.["messages"] ?? []) as unknown as readonly Message[];
  const at = messages.findLastIndex((message) => message.role === "user" && textOf(message).match(MARK) !== null);
  const asked = messages[at];
  const mark = asked === undefined ? undefined : textOf(asked).match(MARK)?.at(-1);
  if (mark === undefined) return undefined;
  return { mark, isToolDone: messages.slice(at + 1).some(({ content }) => blocks(content).some(({ type }) => type === "tool_result")) };
}

/** Calls one tool that leaves a line for each time it runs, then answers by the message's name, in several pieces. */
export function answerQuestion(request: CapturedRequest, effectsFile: string): ScriptedReply {
  const question = readQuestion(request);
  if (question === undefined) return sayText("Nobody has asked anything.");
  const { mark, isToolDone } = question;
  if (isToolDone) return sayText(`This is the answer to ${mark}, and it is long enough to come in more than one piece.`);
  return callTools({ name: "exec", arguments: { command: `echo ${mark} >> ${effectsFile}` } });
}

function textOf({ content }: Message): string {
  return blocks(content)
    .flatMap(({ type, text = "" }) => (type === "text" ? [text] : []))
    .join("\n");
}

function blocks(content: Message["content"]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
