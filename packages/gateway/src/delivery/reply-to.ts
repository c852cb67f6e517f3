import type { MessageId } from "@factotum/channel-contract";
import type { AccountConfig } from "@factotum/config";
import type { TurnRecord } from "@factotum/store";
import type { ReplyTarget } from "./reply-parser.ts";

/** One message among a turn's replies. */
export interface ReplyPlace {
  readonly turn: Pick<TurnRecord, "replyTo">;
  /** The target that the answer itself requests. */
  readonly asked: ReplyTarget;
  readonly mode: AccountConfig["replyToMode"];
  readonly isFirstOfTurn: boolean;
  readonly isFirstOfAnswer: boolean;
  /** True for ids in the model's context. */
  readonly isGiven: (id: string) => boolean;
}

/**
 * The message that a part is shown as a reply to: at the start of an answer the target that it requests; otherwise by the account's mode, `first` by default.
 */
export function replyToOf({ turn, asked, mode = "first", isFirstOfTurn, isFirstOfAnswer, isGiven }: ReplyPlace): MessageId | undefined {
  const named = asked.type === "message" && isGiven(asked.id) ? asked.id : asked.type === "current" ? turn.replyTo : undefined;
  if (named !== undefined && (isFirstOfAnswer || mode === "all")) return named;
  return mode === "all" || (mode === "first" && isFirstOfTurn) ? turn.replyTo : undefined;
}
