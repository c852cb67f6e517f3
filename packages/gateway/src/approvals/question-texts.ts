import type { Question } from "@factotum/agent-contract";
import type { Card, Origin } from "@factotum/channel-contract";

/** A question in a chat without buttons: its options are numbered. In a group an answer has to be addressed to the assistant. */
export function questionText({ question, options }: Question, { conversation }: Origin): string {
  const numbered = options.map((option, index) => `${index + 1}. ${option}`).join("\n");
  const how = conversation.kind === "direct" ? "Reply" : "Reply to this message";
  const hint = options.length === 0 ? `${how} with your answer.` : `${how} with a number, or in your own words.`;
  return [question, numbered, hint].filter((part) => part !== "").join("\n\n");
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
