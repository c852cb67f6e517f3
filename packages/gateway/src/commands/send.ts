import type { FactotumConfig } from "@factotum/config";
import { sendPolicy } from "../delivery/send-policy.ts";
import type { TargetSession } from "./command-target.ts";
import { defineCommand, hasWish, parseWish } from "./define-command.ts";
import type { Command, Wish } from "./define-command.ts";

/** Shows or sets whether replies are sent here. */
export const sendCommand: Command = defineCommand<Wish>({
  name: "/send",
  summary: "off holds my replies in this conversation back, on sends them, inherit does as configured",
  hint: "[on | off | inherit]",
  words: ["on", "off", "inherit"],
  access: "owner",
  parse: parseWish,
  changes: hasWish,
  run: ({ wish }, { session, running }) => chooseSend(session, wish, running.config),
});

const CHOICES = "on, off or inherit";

/** The answer of `/send`, after it has applied the setting. The answer itself is always sent. */
async function chooseSend(session: TargetSession, wish: string | undefined, config: FactotumConfig): Promise<string> {
  const choice = wish?.toLowerCase();
  if (choice !== undefined && !Object.hasOwn(POLICIES, choice)) return `"${wish ?? ""}" is not understood. /send takes ${CHOICES}.`;
  if (choice !== undefined) await session.choose({ sendPolicy: POLICIES[choice] ?? null });
  const line = await sendLine(session, config);
  return choice === undefined ? `${line} /send takes ${CHOICES}.` : `From the next message on: ${line}`;
}

/** Whether replies here are sent, and why. */
export async function sendLine(session: TargetSession, config: FactotumConfig): Promise<string> {
  const { record } = await session.read();
  const override = record?.overrides.sendPolicy;
  const query = { override, origin: session.target.input.message.origin, sessionKey: session.target.sessionKey };
  const origin = override === undefined ? "as configured" : "as it was chosen for this conversation";
  return sendPolicy(config.session.sendPolicy, query) === "deny"
    ? `replies are held back here, ${origin}.`
    : `replies are sent here, ${origin}.`;
}

const POLICIES: Readonly<Record<string, "allow" | "deny" | null>> = { on: "allow", off: "deny", inherit: null };
