import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** A terminal failure: a message that was never answered, or a part of one that did not reach its platform. */
export interface DeadLetter {
  readonly id: string;
  readonly type: "input" | "outbound";
  /** `ambiguous`: it is unknown whether it was shown. */
  readonly state: "dead" | "ambiguous";
  readonly reason: string;
  readonly failedAtMs: number;
  /** The session that it belongs to, if known. */
  readonly sessionKey?: string;
  /** The turn that it belongs to, whose trace says what happened; absent if no turn began. */
  readonly turnId?: string;
  /** Its source, or its target; absent if the stored row is damaged. */
  readonly channel?: string;
  readonly accountId?: string;
  /** The platform's id of the conversation. */
  readonly conversation?: string;
  /** The beginning of the text; `deadletters.show` has all of it in the payload. */
  readonly text?: string;
  /** Whether it can be retried: `risky` may show it twice, `impossible` means that nothing is left to send. */
  readonly replay: "safe" | "risky" | "impossible";
}

/** Parses a dead letter. */
export const DeadLetterSchema: z.ZodType<DeadLetter> = parserOf<DeadLetter>()(() =>
  z.strictObject({
    id: z.string(),
    type: z.enum(["input", "outbound"]),
    state: z.enum(["dead", "ambiguous"]),
    reason: z.string(),
    failedAtMs: z.number(),
    sessionKey: z.string().optional(),
    turnId: z.string().optional(),
    channel: z.string().optional(),
    accountId: z.string().optional(),
    conversation: z.string().optional(),
    text: z.string().optional(),
    replay: z.enum(["safe", "risky", "impossible"]),
  }),
);
