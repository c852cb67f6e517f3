import { EXTERNAL_PROVIDER, ModelError } from "@factotum/agent-contract";
import { isElevationChosen } from "../conversation/elevation.ts";
import { preferCredential } from "../requests/session-credential.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import { restingModels } from "../agents/resting-models.ts";
import { modelLine } from "./model.ts";
import { elevatedLine } from "./elevated.ts";
import { modeLine } from "./mode.ts";
import { focusLine } from "./focus-line.ts";
import { sendLine } from "./send.ts";
import { thinkingLine } from "./think.ts";
import type { CommandSession } from "./command-target.ts";
import { changesNothing, defineCommand, parseNothing } from "./define-command.ts";
import type { Command, CommandCall } from "./define-command.ts";

/** Shows model, credential, thinking and context, and suppressed replies. */
export const statusCommand: Command = defineCommand({
  name: "/status",
  summary: "show model, credential, thinking and context, and what is held back",
  access: "anyone",
  parse: parseNothing,
  changes: changesNothing,
  run: (_, call) => statusText(call),
});

/** The answer of `/status`: the conversation's model, its credential by name where the owner alone reads it, context, and active cooldowns. */
async function statusText({ session, sessions, running, cooldowns, focus, clock }: CommandCall): Promise<string> {
  const found = await session.read();
  const { record, agent } = found;
  const { admission, message } = session.target.input;
  const isOwner = admission.owner;
  const isPrivate = isOwner && message.origin.conversation.kind === "direct";
  const model = await usableModel(found);
  const lines = [`Agent ${agent.config.id}, ${await modelLine(found, running.models)}`];
  if (model !== undefined) {
    const { candidates, credential } = preferCredential(model, record?.overrides.authProfile);
    if (isPrivate && credential !== undefined)
      lines.push(`Credential ${credential}${candidates.length > 1 ? `, one of ${candidates.length}` : ""}`);
    lines.push(capitalised(thinkingLine(found, model.client.info)));
  }
  if (record !== undefined) {
    const { contextTokens, totalTokens } = sessions.summary(record);
    // An external agent keeps its context itself.
    const info = model?.client.info;
    const window = info === undefined || info.provider === EXTERNAL_PROVIDER ? "" : ` of ${info.contextWindow}`;
    lines.push(`Context ${contextTokens}${window} tokens; ${totalTokens} tokens used in all`);
  }
  const focused = focusLine({ session, focus });
  if (focused !== undefined) lines.push(focused);
  lines.push(capitalised(modeLine(found)));
  if (isOwner && isElevationChosen(record)) lines.push(capitalised(elevatedLine(found, session.target.sessionKey, running.config)));
  const send = await sendLine(session, running.config);
  if (send.startsWith("replies are held back")) lines.push(capitalised(send));
  const resting = restingModels({ cooldowns, clock }).filter(
    ({ provider }) => model === undefined || provider === model.client.info.provider,
  );
  for (const { provider, model: name = "*", credential, reason, untilMs } of resting) {
    const minutes = Math.max(1, Math.ceil((untilMs - clock.now()) / 60_000));
    lines.push(`${provider}/${name}${isPrivate ? ` (${credential})` : ""} is not asked for ${minutes} min: ${reason}`);
  }
  return lines.join("\n");
}

/** An unusable model is reported in its line. */
async function usableModel({ record, agent, bound }: CommandSession): Promise<ResolvedModel | undefined> {
  try {
    return await agent.model(record?.overrides.model ?? bound);
  } catch (error) {
    if (ModelError.isInstance(error)) return undefined;
    throw error;
  }
}

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
