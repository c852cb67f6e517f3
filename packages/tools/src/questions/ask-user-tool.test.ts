import type { Question, QuestionOutcome } from "@factotum/agent-contract";
import { beforeEach, expect, test } from "vitest";
import { createToolRig, textOf } from "../../test/tool-rig.ts";
import { createAskUserTool } from "./ask-user-tool.ts";

let asked: readonly Question[][];
let outcome: QuestionOutcome;
const tool = createAskUserTool({
  questioner: {
    async ask(questions) {
      asked = [...asked, [...questions]];
      return outcome;
    },
  },
});
beforeEach(() => {
  asked = [];
  outcome = { type: "answered", answers: ["Blue"], untrusted: false };
});

test("returns the answer to one question", async () => {
  await using rig = await createToolRig();
  const result = await rig.call(tool, { questions: [{ question: "Which colour?", options: ["Red", "Blue"] }] });
  expect(textOf(result)).toBe("The user answered:\nBlue");
  expect(result.untrusted).toBeUndefined();
  expect(asked).toEqual([[{ question: "Which colour?", options: ["Red", "Blue"] }]]);
});

test("returns the answers to several with their questions, marked if they hold text of others", async () => {
  await using rig = await createToolRig();
  outcome = { type: "answered", answers: ["Blue", "large"], untrusted: true };
  const result = await rig.call(tool, {
    questions: [{ question: "Which colour?", options: ["Red", "Blue"] }, { question: "Which size?" }],
  });
  expect(textOf(result)).toBe("The user answered:\nWhich colour? Blue\nWhich size? large");
  expect(result.untrusted).toBe(true);
});

test("what is not answered is an error with the answers so far", async () => {
  await using rig = await createToolRig();
  outcome = { type: "unanswered", answers: ["Blue"], untrusted: false, message: "Nobody answered the rest." };
  const result = await rig.call(tool, { questions: [{ question: "Which colour?" }, { question: "Which size?" }] });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toBe("Which colour? Blue\nNobody answered the rest.");
});

test.each([
  [[], "questions"],
  [Array.from({ length: 4 }, () => ({ question: "a?" })), "questions"],
  [[{ question: "a?", options: ["1", "2", "3", "4", "5", "6", "7"] }], "questions[0].options"],
  [[{ question: "a?", options: ["x".repeat(61)] }], "questions[0].options[0]"],
  [[{ question: "" }], "questions[0].question"],
])("questions out of bounds are refused with the field: %#", async (questions, field) => {
  await using rig = await createToolRig();
  const result = await rig.call(tool, { questions });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain(`- ${field}: `);
  expect(asked).toEqual([]);
});

test("options that are the same cannot be told apart", async () => {
  await using rig = await createToolRig();
  const result = await rig.call(tool, { questions: [{ question: "Which?", options: ["Blue", "blue"] }] });
  expect(textOf(result)).toBe('Two options of "Which?" are the same.');
  expect(asked).toEqual([]);
});
