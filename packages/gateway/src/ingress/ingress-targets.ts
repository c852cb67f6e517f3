import type { MsgContext } from "@factotum/channel-contract";
import type { InputRecord, SessionRecord } from "@factotum/store";
import type { TakenAnswer } from "../approvals/questions.ts";
import type { TypedCommand } from "../commands/parse-command.ts";
import type { Route } from "../routing/route.ts";

/** Handlers of inputs that get no turn, and observers of those that do. */
export interface IngressTargets {
  readonly command: (route: Route, command: TypedCommand, input: InputRecord) => void;
  /** Answers a message of an unknown sender with a pairing code. */
  readonly pair: (sessionKey: string, input: InputRecord) => void;
  /** Called with a message that answers a question of a run. */
  readonly answered: (taken: TakenAnswer) => void;
  /** Dead-letters a message from an admitted sender that its platform delivered too late. */
  readonly tooOld: (sessionKey: string, input: InputRecord) => void;
  /** Tells the sender of a message that the sub-agent which it was for has ended. */
  readonly ended: (sessionKey: string, input: InputRecord) => void;
  /** Called when a message from an admitted sender was refused because the disk is full. */
  readonly refused: (sessionKey: string, message: MsgContext) => void;
  /** Called before a message enters a session, with the session's current record. */
  readonly messageReceived: (route: Route, input: InputRecord, record: SessionRecord | undefined) => void;
}
