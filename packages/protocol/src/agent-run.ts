import type { ChatOutcome } from "./chat.ts";
import type { RunUsage } from "./usage.ts";

/** What `agent` answers, and `factotum agent --json` prints. */
export interface AgentRunResult {
  readonly sessionKey: string;
  readonly runId: string;
  readonly outcome: ChatOutcome;
  /** What the assistant said last; empty when it stayed silent. */
  readonly text: string;
  readonly usage: RunUsage;
  /** What the person is told beside the answer, such as that another model gave it (R28); left out when there is nothing. */
  readonly remarks?: readonly string[];
  /** What the conversation is told with the answer: a level that the model does not take, a file that was not sent; left out when there is nothing. */
  readonly notices?: readonly string[];
  /** The model's thoughts, where `/reasoning` shows them. */
  readonly thoughts?: string;
}
