import type { SessionService } from "../sessions/session-service.ts";
import type { TurnServices } from "../services/turn-services.ts";
import { COMMANDS } from "./command-table.ts";
import type { CommandTarget } from "./command-target.ts";
import type { ParsedCommand } from "./define-command.ts";

/** Runs a command of somebody who may talk here, and answers it. */
export async function runCommand(
  services: TurnServices,
  sessions: SessionService,
  target: CommandTarget,
  command: ParsedCommand,
): Promise<void> {
  const { sessionKey, input } = target;
  const text = await command.run({ target, sessions, services, commands: COMMANDS });
  await services.notices.answerCommand(sessionKey, input, text);
}
