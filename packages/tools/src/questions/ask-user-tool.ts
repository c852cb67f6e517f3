import type { AgentTool, Question, Questioner } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";

const MAX_QUESTIONS = 3;
const MAX_OPTIONS = 6;
const MAX_QUESTION_CHARS = 500;
/** Fits on a button of most chats. */
const MAX_OPTION_CHARS = 60;

const AskUserSchema = z.strictObject({
  questions: z
    .array(
      z.strictObject({
        question: z.string().trim().min(1).max(MAX_QUESTION_CHARS),
        options: z.array(z.string().trim().min(1).max(MAX_OPTION_CHARS)).max(MAX_OPTIONS).optional(),
      }),
    )
    .min(1)
    .max(MAX_QUESTIONS),
});

/** Asks the user and waits for the answers. */
export function createAskUserTool({ questioner }: { readonly questioner: Questioner }): AgentTool {
  return defineTool({
    name: "ask_user",
    summary: "Ask the user and wait for the answer",
    description: "Asks the user 1 to 3 questions, each with up to 6 short options, if you cannot go on without the answers.",
    schema: AskUserSchema,
    // After a crash it is called again, and waits on for the same questions.
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: false, holdsNoPlace: true },
    async execute({ questions }, { callId, run }) {
      const asked = questions.map(({ question, options = [] }): Question => ({ question, options }));
      const repeated = asked.find(({ options }) => new Set(options.map((option) => option.toLowerCase())).size < options.length);
      if (repeated !== undefined) return errorResult(`Two options of ${JSON.stringify(repeated.question)} are the same.`);
      const outcome = await questioner.ask(asked, { callId, run });
      const { answers, untrusted } = outcome;
      const lines = answers.map((answer, index) => (asked.length === 1 ? answer : `${asked[index]?.question ?? ""} ${answer}`));
      if (outcome.type === "answered") return textResult(["The user answered:", ...lines].join("\n"), { untrusted });
      return errorResult([...lines, outcome.message].join("\n"), { untrusted });
    },
  });
}
