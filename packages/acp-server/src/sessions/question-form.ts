import type { AgentContext } from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";

/** A question of a run, as the conversation shows it: numbered options, if it has any. */
export interface ShownQuestion {
  readonly id: string;
  readonly text: string;
}

const FIELD = "answer";

/** Longer words are a message of their own. */
const MAX_ANSWER_CHARS = 4_000;

/**
 * Shows a question as a form of the client, and resolves with the command that answers it; `undefined` if the person leaves the form, and for an empty answer.
 * Rejects if the client cannot show it, and when `signal` fires: the question was answered elsewhere, or its run ended.
 */
export async function askInForm(
  { id, text }: ShownQuestion,
  { sessionId, client, signal }: { readonly sessionId: string; readonly client: AgentContext; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const properties = { [FIELD]: { type: "string" as const, title: "Answer", minLength: 1, maxLength: MAX_ANSWER_CHARS } };
  const form = {
    mode: "form" as const,
    sessionId,
    message: text,
    requestedSchema: { type: "object" as const, properties, required: [FIELD] },
  };
  const asked = client.request(methods.client.elicitation.create, form, { cancellationSignal: signal, stopWaitingOnCancel: true });
  const { action, content } = (await asked) as { readonly action: string; readonly content?: Readonly<Record<string, unknown>> | null };
  const answer = action === "accept" ? content?.[FIELD] : undefined;
  const words = typeof answer === "string" ? answer.trim().slice(0, MAX_ANSWER_CHARS) : "";
  return words === "" ? undefined : `/answer ${id} ${words}`;
}
