import type { FactotumConfig } from "@factotum/config";
import { isSandboxed, sandboxReason } from "../agents/run-place.ts";
import { isElevationChosen, mayElevate } from "../conversation/elevation.ts";
import { sessionKind } from "../routing/session-key.ts";
import type { CommandSession, TargetSession } from "./command-target.ts";
import { defineCommand, hasWish, parseWish } from "./define-command.ts";
import type { Command, Wish } from "./define-command.ts";

/** Shows or sets whether the owner's commands leave the sandbox. */
export const elevatedCommand: Command = defineCommand<Wish>({
  name: "/elevated",
  summary: "on runs your commands on the host instead of in the sandbox, where they ask as commands on the host do; off ends that",
  hint: "[on | off]",
  words: ["on", "off"],
  access: "owner",
  parse: parseWish,
  changes: hasWish,
  run: ({ wish }, { session, running }) => chooseElevated(session, wish, running.config),
});

/** The answer of `/elevated`, after it has applied the setting. */
async function chooseElevated(session: TargetSession, wish: string | undefined, config: FactotumConfig): Promise<string> {
  const choice = wish?.toLowerCase();
  if (choice !== undefined && choice !== "on" && choice !== "off") return `"${wish ?? ""}" is not understood. /elevated takes on or off.`;
  if (choice === "on") {
    if (!config.tools.elevated.enabled)
      return "Commands on the host are not enabled for sandboxed conversations: tools.elevated.enabled is false.";
    if (!mayElevate([session.target.input], config)) return "You may not do that from here: tools.elevated.allowFrom does not name you.";
  }
  if (choice !== undefined) await session.choose({ elevated: choice === "on" ? "on" : null });
  const line = elevatedLine(await session.read(), session.target.sessionKey, config);
  if (line === ON_HOST) return `${line} /elevated changes nothing here.`;
  return choice === undefined ? `${line} /elevated takes on or off.` : `From the next message on: ${line}`;
}

const ON_HOST = "your commands run on the host here anyway.";

/** Where the owner's commands of a conversation run. */
export function elevatedLine({ record, agent }: CommandSession, sessionKey: string, { tools, session }: FactotumConfig): string {
  if (!isOwnerSandboxed(agent, sessionKey, session)) return ON_HOST;
  if (!tools.elevated.enabled || !isElevationChosen(record)) return "elevated off, commands run in the sandbox.";
  const asks = tools.exec.mode === "full" ? "those after text of others ask" : "they ask as on the host";
  return `elevated on, your commands run on the host instead of in the sandbox; ${asks}.`;
}

/** True where the owner's commands run in the sandbox, unless the conversation is elevated. */
export function isOwnerSandboxed(agent: CommandSession["agent"], sessionKey: string, { mainKey }: FactotumConfig["session"]): boolean {
  const group = sessionKind(sessionKey, mainKey) === "group";
  return isSandboxed(sandboxReason(agent.config.sandbox.mode, { owner: true, group }));
}
