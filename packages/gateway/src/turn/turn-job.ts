import type { InputRecord, TurnRecord } from "@factotum/store";
import type { MsgContext } from "@factotum/channel-contract";
import type { InlineDirectives } from "../commands/inline-directives.ts";

/** What a lane works on. */
export type TurnJob =
  /** A new input, routed to an agent; `overheard` is what was said in the group since. */
  | {
      readonly type: "input";
      readonly input: InputRecord;
      readonly agentId: string;
      readonly overheard: readonly MsgContext[];
      readonly isReset?: boolean;
      /** What the message asked for beside its text, for its own turn alone. A turn that goes on after a restart has the session's settings. */
      readonly directives?: Omit<InlineDirectives, "text">;
    }
  /** A turn that the last process did not end. */
  | { readonly type: "resume"; readonly turn: TurnRecord }
  /** Something that must not overlap with a turn of the session: a reset, a removal. Must not reject. */
  | { readonly type: "task"; readonly run: () => Promise<void> };
