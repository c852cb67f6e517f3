import type { MessageId } from "@factotum/channel-contract";
import type { AccountConfig } from "@factotum/config";
import type { TurnRecord } from "@factotum/store";
import type { ReplyTarget } from "./reply-parser.ts";

/** One message of a turn's replies. */
export interface ReplyPlace {
  readonly turn: Pick<TurnRecord, "replyTo">;
  /** What the answer itself asks for. */
  readonly asked: ReplyTarget;
  readonly mode: AccountConfig["replyToMode"];
  readonly isFirstOfTurn: boolean;
  readonly isFirstOfAnswer: boolean;
  /** True for ids that the model was given. */
  readonly isGiven: (id: string) => boolean;
}

/** Which message it is shown as an answer to: what the answer asks for, at its beginning; else what the account says, `first` by default. */
export function replyToOf({ turn, asked, mode = "first", isFirstOfTurn, isFirstOfAnswer, isGiven }: ReplyPlace): MessageId | undefined {
  const named = asked.type === "message" && isGiven(asked.id) ? asked.id : asked.type === "current" ? turn.replyTo : undefined;
  if (named !== undefined && (isFirstOfAnswer || mode === "all")) return named;
  return mode === "all" || (mode === "first" && isFirstOfTurn) ? turn.replyTo : undefined;
}
