import * as z from "zod";
import { parserOf } from "./parser-of.ts";

/** A terminal failure: a message that was never answered, or a part of one that did not reach its platform. */
export interface DeadLetter {
  readonly id: string;
  readonly type: "input" | "outbound";
  /** `ambiguous`: it may have been shown; nobody knows. */
  readonly state: "dead" | "ambiguous";
  readonly reason: string;
  readonly failedAtMs: number;
  /** Which session it belongs to, where that is known. */
  readonly sessionKey?: string;
  /** Where it came from, or should have gone; absent when what was stored is damaged. */
  readonly channel?: string;
  readonly accountId?: string;
  /** The platform's id of the conversation. */
  readonly conversation?: string;
  /** Its beginning; in `deadletters.show` the payload has all of it. */
  readonly text?: string;
  /** Whether it can be tried again: `risky` may show it twice, `impossible` is one of which nothing is left that could be sent. */
  readonly replay: "safe" | "risky" | "impossible";
}

/** Parses a dead letter. */
export const DeadLetterSchema: z.ZodType<DeadLetter> = parserOf<DeadLetter>()(
  z.strictObject({
    id: z.string(),
    type: z.enum(["input", "outbound"]),
    state: z.enum(["dead", "ambiguous"]),
    reason: z.string(),
    failedAtMs: z.number(),
    sessionKey: z.string().optional(),
    channel: z.string().optional(),
    accountId: z.string().optional(),
    conversation: z.string().optional(),
    text: z.string().optional(),
    replay: z.enum(["safe", "risky", "impossible"]),
  }),
);
