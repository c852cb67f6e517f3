import { patternCost } from "@factotum/config";
import * as z from "zod";
import { lineOf } from "./line-of.ts";

/** Bounds of a manifest's texts and of the ids that are matched, in UTF-16 code units. */
const MAX_LENGTH = 200;

/** The form of a platform's ids. */
interface IdForm {
  /** A regular expression (flag `u`) that the whole id matches. */
  readonly pattern: string;
  /** What to write, for a person: `a number such as 123456789`. */
  readonly form: string;
}

/** The forms of the ids that lists of the configuration contain. Absent: any text. */
export interface IdForms {
  readonly people?: IdForm | undefined;
  /** Senders in a group, where others than people can be: those who write in the name of a conversation. Absent: as people. */
  readonly members?: IdForm | undefined;
  readonly conversations?: IdForm | undefined;
}

/** Why an id matches no one, and what to do. */
export interface IdProblem {
  readonly message: string;
  readonly fix: string;
}

const IdFormSchema = z.strictObject({
  pattern: z
    .string("a text is expected")
    .min(1, "the text is empty")
    .max(MAX_LENGTH, `at most ${MAX_LENGTH} characters are allowed`)
    .refine((source) => compile(source) !== undefined, { error: "a regular expression is expected", abort: true })
    .refine((source) => patternCost(source) === "low", "an expression that can take long is not allowed: repeat at most one part"),
  form: lineOf(MAX_LENGTH),
});

/** Parses `ids` of a manifest. */
export const IdFormsSchema: z.ZodType<IdForms> = z.strictObject({
  people: IdFormSchema.optional(),
  members: IdFormSchema.optional(),
  conversations: IdFormSchema.optional(),
});

/** Checks an id by its form; `undefined` for one that fits and for `*`. */
export function idCheck({ pattern, form }: IdForm, kind: keyof IdForms): (id: string) => IdProblem | undefined {
  const expression = compile(pattern);
  return (id) => {
    if (id === "*" || expression === undefined || (id.length <= MAX_LENGTH && expression.test(id))) return undefined;
    const message =
      kind === "conversations"
        ? `"${id}" has not the form of the id of a conversation there and matches no conversation.`
        : `"${id}" has not the form of the id of a person there and matches nobody.`;
    return { message, fix: `Write it like this: ${form}.` };
  };
}

function compile(source: string): RegExp | undefined {
  try {
    // On its own first: together with the group, unbalanced brackets could be valid.
    return new RegExp(`^(?:${new RegExp(source, "u").source})$`, "u");
  } catch {
    return undefined;
  }
}
