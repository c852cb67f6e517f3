import type { MessageId } from "@factotum/channel-contract";
import type { AccountConfig } from "@factotum/config";
import type { TurnRecord } from "@factotum/store";
import type { ReplyTarget } from "./reply-parser.ts";

/** One message among a turn's replies. */
export interface ReplyPlace {
  readonly turn: Pick<TurnRecord, "replyTo">;
  /** The target that the answer itself requests, checked with `knownTarget`. */
  readonly asked: ReplyTarget;
  readonly mode: AccountConfig["replyToMode"];
  readonly isFirstOfTurn: boolean;
  readonly isFirstOfAnswer: boolean;
}

/** True for the id of a message that the model was given and that is of the conversation of the turn. */
export type IsKnownMessage = (id: string) => Promise<boolean>;

/** The requested target; none if the model was not given the message, or if it is of another conversation of the session. */
export async function knownTarget(asked: ReplyTarget, isKnown: IsKnownMessage): Promise<ReplyTarget> {
  return asked.type !== "message" || (await isKnown(asked.id)) ? asked : { type: "none" };
}

/**
 * The message that a part is shown as a reply to: at the start of an answer the target that it requests; otherwise by the account's mode, `first` by default.
 */
export function replyToOf({ turn, asked, mode = "first", isFirstOfTurn, isFirstOfAnswer }: ReplyPlace): MessageId | undefined {
  const named = asked.type === "message" ? asked.id : asked.type === "current" ? turn.replyTo : undefined;
  if (named !== undefined && (isFirstOfAnswer || mode === "all")) return named;
  return mode === "all" || (mode === "first" && isFirstOfTurn) ? turn.replyTo : undefined;
}
