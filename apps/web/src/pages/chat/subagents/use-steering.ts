import type { ChatSubagent } from "@factotum/protocol";
import { useRef, useState } from "react";
import { randomId } from "../../../app/random-id.ts";
import { useController } from "../../../app/app-context.ts";
import { t } from "../../../i18n/t.ts";

/** Sending a sub-agent messages: one at a time, each once. */
export interface Steering {
  readonly isSending: boolean;
  /** What became of the newest message, for the person. */
  readonly outcome: { readonly type: "sent" | "failed"; readonly text: string } | undefined;
  /** Resolves with true once the gateway has stored the message. */
  readonly send: (text: string) => Promise<boolean>;
}

/** Steers a sub-agent. */
export function useSteering({ sessionKey, state }: Pick<ChatSubagent, "sessionKey" | "state">): Steering {
  const { subagents } = useController();
  const [isSending, setSending] = useState(false);
  const [outcome, setOutcome] = useState<Steering["outcome"]>();
  // The same text again after a failure is the same message: the gateway may have it already.
  const attempt = useRef<{ readonly text: string; readonly key: string }>(undefined);
  const send = async (text: string): Promise<boolean> => {
    if (attempt.current?.text !== text) attempt.current = { text, key: randomId() };
    setSending(true);
    const problem = await subagents.steer({ sessionKey, text, idempotencyKey: attempt.current.key });
    setSending(false);
    const sent = state === "idle" ? t("Sent. Its answer comes as a result.") : t("Sent. It reads this after its current step.");
    setOutcome(problem === undefined ? { type: "sent", text: sent } : { type: "failed", text: problem });
    if (problem === undefined) attempt.current = undefined;
    return problem === undefined;
  };
  return { isSending, outcome, send };
}
