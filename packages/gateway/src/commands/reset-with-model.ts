import { ModelError } from "@factotum/agent-contract";
import type { SessionService } from "../sessions/session-service.ts";
import type { TurnServices } from "../services/turn-services.ts";
import { findModel } from "./model.ts";
import { tellEnded } from "./ended-text.ts";
import { changeOverrides } from "./command-target.ts";
import type { CommandTarget } from "./command-target.ts";

/**
 * `/new MODEL`: begins the conversation anew with that model, and then `greet`s. A model that cannot be had is named, and nothing changes. What is said
 * behind the command belongs to the new conversation, however long the model is looked for.
 */
export async function resetWithModel(
  target: CommandTarget,
  wish: string,
  { services, sessions, greet }: { readonly services: TurnServices; readonly sessions: SessionService; readonly greet: () => void },
): Promise<void> {
  const { sessionKey, input } = target;
  const isDefault = wish.toLowerCase() === "default";
  const found = isDefault ? Promise.resolve(undefined) : findModel(wish, services);
  await sessions.resetOnce(sessionKey, {
    reason: "you asked for a new conversation",
    by: input.message,
    decided: found.then((model) => !ModelError.isInstance(model)),
    onReset: async (ended) => {
      await tellEnded(target, ended, services);
      const model = await found;
      await changeOverrides(target, { model: model === undefined || ModelError.isInstance(model) ? null : model.reference }, services);
      greet();
    },
  });
  const model = await found;
  if (!ModelError.isInstance(model)) return;
  const text = `${model.message} Nothing has changed: this is still the same conversation. /model list names the models that are configured, and /new alone keeps the model.`;
  await services.notices.answerCommand(sessionKey, input, text);
}
