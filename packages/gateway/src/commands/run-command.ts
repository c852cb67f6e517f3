import type { InputRecord } from "@factotum/store";
import type { SessionService } from "../sessions/session-service.ts";
import { answerInput } from "../turn/answer-input.ts";
import type { TurnServices } from "../turn/turn-services.ts";
import { COMMANDS } from "./command.ts";
import { contextText } from "./context-text.ts";
import type { Command } from "./command.ts";

/** Runs a command of somebody who may talk here, and answers it. */
export async function runCommand(
  services: TurnServices,
  sessions: SessionService,
  sessionKey: string,
  command: Exclude<Command, { type: "reset" }>,
  input: InputRecord,
): Promise<void> {
  const text = await answerOf(services, sessions, sessionKey, command);
  await answerInput(services, sessionKey, input, { text, level: "info", state: { type: "command" } });
  services.watchers.settled([input.id], text);
}

async function answerOf(
  services: TurnServices,
  sessions: SessionService,
  sessionKey: string,
  command: Exclude<Command, { type: "reset" }>,
): Promise<string> {
  switch (command.type) {
    case "stop": {
      const { aborted, dropped } = await sessions.abort(sessionKey, { queued: true, reason: "you asked me to stop" });
      if (!aborted && dropped === 0) return "There was nothing to stop.";
      return dropped === 0 ? "Stopped." : `Stopped, and dropped ${dropped} waiting ${dropped === 1 ? "message" : "messages"}.`;
    }
    case "compact":
      return compact(sessions, sessionKey, command.instructions);
    case "status":
      return status(services, sessions, sessionKey);
    case "context":
      return contextText(sessionKey, { detail: command.detail }, services);
    case "help":
      return COMMANDS.map(({ name, summary }) => `${name}: ${summary}`).join("\n");
  }
}

async function compact(sessions: SessionService, sessionKey: string, instructions: string | undefined): Promise<string> {
  const outcome = await sessions.compact(sessionKey, {
    signal: new AbortController().signal,
    ...(instructions === undefined ? {} : { instructions }),
  });
  if (outcome.type === "nothing") return "There is nothing to summarise yet.";
  return outcome.how === "summary"
    ? "Older messages are summarised now."
    : "No model could summarise the older messages, so they were cut by rule.";
}

async function status(services: TurnServices, sessions: SessionService, sessionKey: string): Promise<string> {
  const record = await services.store.readSession(sessionKey);
  const agent = services.agents.get(record?.agentId ?? "") ?? services.agents.default;
  const model = await agent.model(record?.overrides.model);
  const lines = [`Agent ${agent.config.id}, model ${model.reference}`];
  if (record !== undefined) {
    const { contextTokens, totalTokens } = sessions.summary(record);
    lines.push(`Context ${contextTokens} of ${model.client.info.contextWindow} tokens; ${totalTokens} tokens used in all`);
  }
  return lines.join("\n");
}
