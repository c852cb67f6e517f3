import type { ChatOutcome } from "./chat.ts";
import type { RunUsage } from "./usage.ts";

/** The result of `agent`, printed by `factotum agent --json`. */
export interface AgentRunResult {
  readonly sessionKey: string;
  readonly runId: string;
  readonly outcome: ChatOutcome;
  /** The assistant's last text; empty if it stayed silent. */
  readonly text: string;
  readonly usage: RunUsage;
  /** Notices to the person in addition to the answer, such as that another model gave it (R28); absent if there are none. */
  readonly remarks?: readonly string[];
  /** Notices to the conversation with the answer: a level that the model does not accept, a file that was not sent; absent if there are none. */
  readonly notices?: readonly string[];
  /** The model's thoughts, if `/reasoning` shows them. */
  readonly thoughts?: string;
}
