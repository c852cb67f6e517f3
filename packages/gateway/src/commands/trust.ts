import type { SessionTrust } from "@factotum/store";
import { defineCommand, parseWish } from "./define-command.ts";
import type { Command, CommandCall, Wish } from "./define-command.ts";

/** Trusts the text of others in the conversation so far, until its reset, or revokes that. */
export const trustCommand: Command = defineCommand<Wish>({
  name: "/trust",
  summary:
    "after you have checked it: treat what others wrote here so far as yours; /trust session does so until the next reset, /trust off ends that",
  hint: "[session | off]",
  words: ["session", "off"],
  access: "owner",
  parse: parseWish,
  changes: () => true,
  run: ({ wish }, call) => chooseTrust(call, wish),
});

/** The answer of `/trust`, after it has applied the setting: marks of others' text that is in the conversation now no longer count (R23). */
async function chooseTrust({ session, store, clock, logger }: CommandCall, wish: string | undefined): Promise<string> {
  const { sessionKey, input } = session.target;
  const choice = wish?.toLowerCase() ?? "now";
  if (!isChoice(choice)) return `"${wish ?? ""}" is not understood. /trust takes nothing, session or off.`;
  const { sessionId, trust } = await session.ensure();
  if (choice === "now" && trust?.type === "session")
    return "Everything in this conversation is trusted already, until its next reset or /trust off.";
  const newest = (await store.readTranscript(sessionId, { limit: 1 })).items[0];
  const chosen: Record<Choice, SessionTrust | null> = {
    now: { type: "until", entryId: newest?.id ?? "" },
    session: { type: "session" },
    off: null,
  };
  if (choice === "now" && input.message.origin.conversation.kind !== "direct") return IN_GROUP;
  await store.patchSession(sessionKey, { trust: chosen[choice] }, { nowMs: clock.now() });
  logger.info("Trust in a conversation was changed", { sessionKey, trust: choice });
  return ANSWERS[choice];
}

const ANSWERS = {
  now: "From the next message on, what others wrote in this conversation so far is trusted. New text from others is not.",
  session: "From now on everything in this conversation is trusted, new text from others too, until its next reset or /trust off.",
  off: "From now on text from others is not trusted in this conversation, what stands here already included.",
} as const;

/** Trust in what stands here would end with the next message. */
const IN_GROUP = "/trust alone changes nothing in a group: every new message counts as text from others. /trust session trusts those, too.";

type Choice = keyof typeof ANSWERS;

function isChoice(text: string): text is Choice {
  return Object.hasOwn(ANSWERS, text);
}
