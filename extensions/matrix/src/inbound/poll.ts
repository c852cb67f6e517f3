import * as z from "zod";
import { POLL_RESPONSE, POLL_START, textIn } from "./event-schema.ts";

/** A poll as its event has it. */
export interface ReceivedPoll {
  readonly question: string;
  readonly answers: readonly { readonly id: string; readonly text: string }[];
}

const TEXTS = ["org.matrix.msc1767.text", "m.text", "body"];
const MAX_ANSWERS = 100;

/** A text of the extensible form: plain, or a list of representations. */
const TextSchema = z.record(z.string(), z.unknown()).transform((value) => {
  for (const key of TEXTS) {
    const found = value[key];
    if (typeof found === "string") return found;
    const [first] = Array.isArray(found) ? (found as readonly unknown[]) : [];
    if (typeof first === "object" && first !== null && "body" in first && typeof first.body === "string") return first.body;
  }
  return "";
});
const StartSchema = z.looseObject({
  question: TextSchema,
  answers: z
    .array(z.intersection(z.looseObject({ id: z.string().optional(), "m.id": z.string().optional() }), z.unknown()))
    .max(MAX_ANSWERS),
});

/** The poll of a content; `undefined` if it has none. */
export function pollOf(content: Readonly<Record<string, unknown>>): ReceivedPoll | undefined {
  const parsed = POLL_START.map((key) => StartSchema.safeParse(content[key]).data).find((one) => one !== undefined);
  if (parsed === undefined) return undefined;
  const answers = parsed.answers.flatMap((answer) => {
    const id = answer.id ?? answer["m.id"];
    return id === undefined ? [] : [{ id, text: TextSchema.safeParse(answer).data ?? "" }];
  });
  return { question: parsed.question, answers };
}

const ResponseSchema = z.looseObject({ answers: z.array(z.string()).max(MAX_ANSWERS).catch([]) });

/** The ids of the chosen answers. */
export function answersOf(content: Readonly<Record<string, unknown>>): readonly string[] {
  const own = POLL_RESPONSE.map((key) => ResponseSchema.safeParse(content[key]).data).find((one) => one !== undefined);
  const { "m.selections": selections } = content;
  return own?.answers ?? z.array(z.string()).max(MAX_ANSWERS).safeParse(selections).data ?? [];
}

/** A poll as text. */
export function pollText(content: Readonly<Record<string, unknown>>): string {
  const poll = pollOf(content);
  if (poll === undefined) return textIn(content, "org.matrix.msc1767.text");
  return [`Poll: ${poll.question}`, ...poll.answers.map(({ text }) => `- ${text}`)].join("\n");
}
