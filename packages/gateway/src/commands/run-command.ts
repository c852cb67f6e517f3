import { LaneAbort } from "../kernel/lane-abort.ts";
import type { SessionService } from "../sessions/session-service.ts";
import { answerInput } from "../turn/answer-input.ts";
import { leftOutRemark } from "../turn/compaction-outcome.ts";
import type { CompactionOutcome } from "../turn/compaction-outcome.ts";
import type { TurnServices } from "../turn/turn-services.ts";
import { activationCommand } from "./choose-activation.ts";
import { endedText } from "./ended-text.ts";
import { modelCommand } from "./choose-model.ts";
import { queueCommand } from "./choose-queue.ts";
import { sendCommand } from "./choose-send.ts";
import { reasoningCommand, thinkCommand } from "./choose-thinking.ts";
import { trustCommand } from "./choose-trust.ts";
import { COMMANDS } from "./command.ts";
import type { Command } from "./command.ts";
import type { CommandTarget } from "./command-target.ts";
import { contextText } from "./context-text.ts";
import { verboseCommand } from "./choose-verbose.ts";
import { statusText } from "./status-text.ts";
import { usageText } from "./usage-text.ts";
import { whoamiText } from "./whoami-text.ts";

/** Runs a command of somebody who may talk here, and answers it. */
export async function runCommand(
  services: TurnServices,
  sessions: SessionService,
  target: CommandTarget,
  command: Exclude<Command, { type: "reset" }>,
): Promise<void> {
  const { sessionKey, input } = target;
  const text = await answerOf(services, sessions, target, command);
  await answerInput(services, sessionKey, input, { text, level: "info", state: { type: "command" } });
  services.watchers.settled([input.id], text);
}

async function answerOf(
  services: TurnServices,
  sessions: SessionService,
  target: CommandTarget,
  command: Exclude<Command, { type: "reset" }>,
): Promise<string> {
  const { sessionKey } = target;
  switch (command.type) {
    case "stop": {
      const by = target.input.message;
      return (
        endedText(await sessions.abort(sessionKey, { queued: true, reason: "you asked me to stop", by })) ?? "There was nothing to stop."
      );
    }
    case "compact":
      return compact(sessions, sessionKey, command.instructions);
    case "status":
      return statusText(target, sessions, services);
    case "model":
      return modelCommand(target, command.wish, services);
    case "think":
      return thinkCommand(target, command.wish, services);
    case "reasoning":
      return reasoningCommand(target, command.wish, services);
    case "queue":
      return queueCommand(target, command.words, services);
    case "verbose":
      return verboseCommand(target, command.wish, services);
    case "context":
      return contextText(sessionKey, { detail: command.detail }, services);
    case "send":
      return sendCommand(target, command.wish, services);
    case "activation":
      return activationCommand(target, command.wish, services);
    case "trust":
      return trustCommand(target, command.wish, services);
    case "skill":
      return "/skill takes the name of a skill, and words that say what to do with it.";
    case "usage":
      return usageText(target, services);
    case "whoami":
      return whoamiText(target, services);
    case "help":
      return COMMANDS.filter(({ ownerOnly }) => ownerOnly !== true || target.input.admission.owner)
        .map(({ name, summary }) => `${name}: ${summary}`)
        .join("\n");
  }
}

async function compact(sessions: SessionService, sessionKey: string, instructions: string | undefined): Promise<string> {
  let outcome: CompactionOutcome;
  try {
    outcome = await sessions.compact(sessionKey, instructions === undefined ? {} : { instructions });
  } catch (error) {
    if (error instanceof LaneAbort) return "Stopped before anything was summarised.";
    throw error;
  }
  if (outcome.type === "nothing") return "There is nothing to summarise yet.";
  const remark = leftOutRemark(outcome);
  if (remark !== undefined) return remark;
  return outcome.how === "summary"
    ? "Older messages are summarised now."
    : "No model could summarise the older messages, so they were cut by rule.";
}
