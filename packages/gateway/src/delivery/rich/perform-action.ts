import type { JsonValue, MessageOperation } from "@factotum/agent-contract";
import { ACTIONS, ChannelError } from "@factotum/channel-contract";
import type { ActionName, Channel, Origin } from "@factotum/channel-contract";
import * as z from "zod";

/** Milliseconds after which an action is abandoned. */
const TIMEOUT_MS = 30_000;

/** Performs an action of a channel with checked parameters; the result is text of others. Never rejects for a failure of the platform. */
export async function performAction(
  { name, parameters }: Extract<MessageOperation, { type: "act" }>,
  { target, channel, signal }: { readonly target: Origin; readonly channel: Channel; readonly signal: AbortSignal },
): Promise<{ readonly type: "done"; readonly value: JsonValue } | { readonly type: "refused"; readonly message: string }> {
  const { actions } = channel.capabilities;
  const action = actions.find((one) => one === name);
  if (action === undefined) {
    const known = actions.length === 0 ? "It has no actions." : `It has ${actions.join(", ")}.`;
    return { type: "refused", message: `${target.channel} cannot do ${name}. ${known}` };
  }
  const parsed = ACTIONS[action].parameters.safeParse(parameters);
  if (!parsed.success) return { type: "refused", message: `the parameters of ${name} are not valid: ${z.prettifyError(parsed.error)}` };
  try {
    const result = await channel.act(
      { name: action, target, parameters: parsed.data as Readonly<Record<string, unknown>> },
      { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) },
    );
    return toResult(action, result.value);
  } catch (error) {
    if (ChannelError.isInstance(error)) return { type: "refused", message: `the platform refused ${name}: ${error.message}` };
    throw error;
  }
}

function toResult(name: ActionName, value: unknown): Awaited<ReturnType<typeof performAction>> {
  const parsed = ACTIONS[name].result.safeParse(value);
  if (!parsed.success) return { type: "refused", message: `the channel's result of ${name} is not valid; it may have been done` };
  return { type: "done", value: JSON.parse(JSON.stringify(parsed.data)) as JsonValue };
}
