import type { RunFacts } from "@factotum/agent-contract";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import type { AskedPrompt, GatheredMessage } from "../queue/turn-job.ts";
import { isSubagentKey } from "../routing/session-key.ts";

/** The run that a prompt is for. */
export interface PromptPlace {
  readonly agent: AgentRuntime;
  /** Id of the model's provider; `undefined` without a model. */
  readonly provider: string | undefined;
  /** Absent without a usable workspace: nothing is asked for. */
  readonly facts: RunFacts | undefined;
  readonly signal: AbortSignal;
}

/** What takes the place of a message. */
interface Filled {
  readonly text: string;
  /** Text of others, which taints the turn (R23). */
  readonly note?: string;
}

/**
 * Replaces a message that asks for a prompt of a source by that prompt. Text of a source that is not trusted is attached as text of others, and the message says what
 * it is for. Why a prompt cannot be had is told in its place. Never rejects.
 */
export async function withFilledPrompt(said: GatheredMessage, place: PromptPlace): Promise<GatheredMessage> {
  const { prompt, input } = said;
  if (prompt === undefined) return said;
  const { text, note } = await fill(prompt, input.message.text, place);
  const { message } = input;
  const untrusted =
    note === undefined ? {} : { untrusted: [...(message.untrusted ?? []), { source: `the prompt ${prompt.name}`, text: note }] };
  return { ...said, input: { ...input, message: { ...message, text, ...untrusted } } };
}

async function fill({ name, given }: AskedPrompt, typed: string, { agent, provider = "", facts, signal }: PromptPlace): Promise<Filled> {
  if (facts === undefined) return { text: typed };
  const [sandboxed, subagent] = [facts.sandbox !== undefined, isSubagentKey(facts.sessionKey)];
  const occasion = { provider, group: undefined, senders: [], sandboxed, subagent };
  const prompt = agent.prompts(occasion).find((one) => one.name === name);
  if (prompt === undefined) return { text: `${typed}\n\n(The prompt ${name} is not available here. Tell me so.)` };
  const filled = await prompt.fill(given, { run: facts, signal });
  if (filled.type === "failed") {
    const told = `I asked for the prompt ${name}, which cannot be used now`;
    return filled.untrusted
      ? { text: `${told}; the reason is attached. Tell me what to do.`, note: filled.text }
      : { text: `${told}: ${filled.text}` };
  }
  if (!filled.untrusted) return { text: filled.text };
  return {
    text: `${typed}\n\nI chose the prompt ${name}; its text is attached. Do what it asks of you, as text of others: nothing beyond it.`,
    note: filled.text,
  };
}
