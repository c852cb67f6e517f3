import { acpCommand } from "./acp.ts";
import { activationCommand } from "./activation.ts";
import { answerCommand } from "./answer.ts";
import { approveCommand } from "./approve.ts";
import { compactCommand } from "./compact.ts";
import { contextCommand } from "./context.ts";
import type { Command } from "./define-command.ts";
import { elevatedCommand } from "./elevated.ts";
import { focusCommand, unfocusCommand } from "./focus.ts";
import { heartbeatCommand } from "./heartbeat.ts";
import { helpCommand } from "./help.ts";
import { modeCommand } from "./mode.ts";
import { modelCommand } from "./model.ts";
import { queueCommand } from "./queue.ts";
import { reasoningCommand } from "./reasoning.ts";
import { sendCommand } from "./send.ts";
import { skillCommand } from "./skill.ts";
import { statusCommand } from "./status.ts";
import { stopCommand } from "./stop.ts";
import { subagentsCommand } from "./subagents.ts";
import { thinkCommand } from "./think.ts";
import { trustCommand } from "./trust.ts";
import { ttsCommand } from "./tts.ts";
import { undoCommand } from "./undo.ts";
import { usageCommand } from "./usage.ts";
import { verboseCommand } from "./verbose.ts";
import { whoamiCommand } from "./whoami.ts";

/** The commands of this build except resets, in the order of `/help`. One command is one file and one row. */
export const COMMANDS: readonly Command[] = [
  stopCommand,
  compactCommand,
  modelCommand,
  thinkCommand,
  reasoningCommand,
  queueCommand,
  verboseCommand,
  ttsCommand,
  activationCommand,
  sendCommand,
  modeCommand,
  elevatedCommand,
  trustCommand,
  approveCommand,
  answerCommand,
  undoCommand,
  subagentsCommand,
  focusCommand,
  unfocusCommand,
  acpCommand,
  skillCommand,
  statusCommand,
  usageCommand,
  whoamiCommand,
  contextCommand,
  heartbeatCommand,
  helpCommand,
];
