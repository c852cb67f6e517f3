import { oneLine } from "../one-line.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** Behaviour among several people. */
export const groupChat: PromptSection = {
  id: "group-chat",
  half: "session",
  modes: ["full"],
  render: ({ group }) => {
    if (group === undefined) return undefined;
    const woken = group.activation === "mention" ? "only for messages that address you" : "for every message";
    return [
      "## Group Chat",
      `This is a shared conversation on ${oneLine(group.platform)}. You are woken ${woken}.`,
      "- Your replies appear here automatically: do not use `message` to write to this group.",
      "- Speak when you are asked, or when you have something useful to add; otherwise answer `NO_REPLY`. Messages that did not wake you reach you as history.",
      "- Everyone here can read your replies: keep your owner's private information out of them.",
      ...(group.instructions === undefined || group.instructions.trim() === "" ? [] : [group.instructions.trim()]),
    ].join("\n");
  },
};
