import type { Question } from "@factotum/agent-contract";
import type { Card, Origin } from "@factotum/channel-contract";
import type { NoticeBlock } from "@factotum/store";

/** A question in a chat without buttons: its options are numbered. In a group an answer has to be addressed to the assistant. */
export function questionText(question: Question, origin: Origin): string {
  return [askedText(question), hintText(question, origin)].filter((part) => part !== "").join("\n\n");
}

/** The same for clients that tell the words of the model from those of the gateway. */
export function questionBlocks(question: Question, origin: Origin): readonly NoticeBlock[] {
  return [
    { type: "quote", text: askedText(question) },
    { type: "text", text: hintText(question, origin) },
  ];
}

function askedText({ question, options }: Question): string {
  const numbered = options.map((option, index) => `${index + 1}. ${option}`).join("\n");
  return [question, numbered].filter((part) => part !== "").join("\n\n");
}

function hintText({ options }: Question, { conversation }: Origin): string {
  if (conversation.kind !== "direct")
    return options.length === 0 ? "Reply to this message with your answer." : "Reply to this message with a number, or in your own words.";
  return options.length === 0 ? "Reply with your answer." : "Reply with a number, or in your own words.";
}

/** The same with a button for each option. Its values are commands, which the model cannot write on buttons (`toCard`). */
export function questionCard(id: string, question: Question, origin: Origin): Card {
  const buttons = question.options.map((option, index) => ({
    actionId: `answer-${index + 1}`,
    label: option,
    value: `/answer ${id} ${index + 1}`,
    style: "default" as const,
  }));
  return { body: questionText(question, origin), buttons };
}

/** The answer that a text gives: the option with this number or these words, or the text itself. */
export function answerText(text: string, { options }: Question): string {
  const said = text.trim();
  const number = /^\(?(\d{1,2})[.)]?$/.exec(said)?.[1];
  const numbered = number === undefined ? undefined : options[Number(number) - 1];
  return numbered ?? options.find((option) => option.toLowerCase() === said.toLowerCase()) ?? said;
}
