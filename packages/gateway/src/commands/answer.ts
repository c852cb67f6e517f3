import { defineCommand } from "./define-command.ts";
import type { Command } from "./define-command.ts";

/** Absent: the person wants to know how. */
interface Answer {
  readonly id?: string;
  readonly words?: string;
}

/** Answers a question of the assistant, as a button of the question does. */
export const answerCommand: Command = defineCommand<Answer>({
  name: "/answer",
  summary: "<id> <number or words> answers a question that I wait for, as its buttons do",
  hint: "ID ANSWER",
  access: "anyone",
  parse: (words) => {
    if (words.trim() === "") return {};
    const [, id, answer] = /^\s+(\S+)\s+(\S[^]*)$/.exec(words) ?? [];
    return id === undefined || answer === undefined ? undefined : { id, words: answer.trim() };
  },
  // Only those who are asked can answer.
  changes: () => false,
  isGivenOnce: true,
  run: async ({ id, words }, { session, questions }) => {
    if (id === undefined || words === undefined)
      return "/answer takes the id of a question and your answer. A plain message answers it too.";
    return questions.answer(id, words, session.target.input);
  },
});
