import type { InputRecord, TurnRecord } from "@factotum/store";
import type { MsgContext } from "@factotum/channel-contract";

/** What a lane works on. */
export type TurnJob =
  /** A new input, routed to an agent; `overheard` is what was said in the group since. */
  | {
      readonly type: "input";
      readonly input: InputRecord;
      readonly agentId: string;
      readonly overheard: readonly MsgContext[];
      readonly isReset?: boolean;
    }
  /** A turn that the last process did not end. */
  | { readonly type: "resume"; readonly turn: TurnRecord }
  /** Something that must not overlap with a turn of the session: a reset, a removal. Must not reject. */
  | { readonly type: "task"; readonly run: () => Promise<void> };
