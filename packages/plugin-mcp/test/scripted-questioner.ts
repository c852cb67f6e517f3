import type { Question, Questioner, QuestionOutcome } from "@factotum/agent-contract";

/** Answers questions as a person would. */
export interface ScriptedQuestioner extends Questioner {
  readonly asked: { readonly question: Question; readonly callId: string; readonly runId: string }[];
  /** Called for each question; `undefined` leaves it without an answer. */
  answer: (question: Question, options: { readonly signal: AbortSignal | undefined }) => string | undefined | Promise<string | undefined>;
}

/** `answers`: in the order of the questions; those after the last one get none. */
export function scriptedQuestioner(...answers: readonly string[]): ScriptedQuestioner {
  const left = [...answers];
  const questioner: ScriptedQuestioner = {
    asked: [],
    answer: () => left.shift(),
    ask: async (questions, { callId, run, signal }): Promise<QuestionOutcome> => {
      const given: string[] = [];
      for (const question of questions) {
        questioner.asked.push({ question, callId, runId: run.runId });
        const answer = await questioner.answer(question, { signal });
        if (answer === undefined) return { type: "unanswered", answers: given, untrusted: false, message: "no answer came" };
        given.push(answer);
      }
      return { type: "answered", answers: given, untrusted: false };
    },
  };
  return questioner;
}
