import * as z from "zod";

/** What breaks a line, turns its direction or is no character. */
const BREAKING = /[\p{C}\p{Zl}\p{Zp}]/u;
/** A character that is seen. */
const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;
/** More marks on one character than a language writes: they would cover the lines above and below. */
const PILE = /\p{M}{9}/u;

/** A text of one line that a person can read, of at most `maxChars` UTF-16 code units. */
export function lineOf(maxChars: number): z.ZodString {
  return z
    .string("a text is expected")
    .max(maxChars, `at most ${maxChars} characters are allowed`)
    .refine((text) => !BREAKING.test(text) && VISIBLE.test(text) && !PILE.test(text), "a text of one line is expected");
}
