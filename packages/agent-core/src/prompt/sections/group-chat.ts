import { oneLine } from "../one-line.ts";
import type { PromptSection } from "../prompt-facts.ts";

/** How to behave among several people. */
export const groupChat: PromptSection = {
  id: "group-chat",
  half: "session",
  modes: ["full"],
  render: ({ group }) => {
    if (group === undefined) return undefined;
    const woken = group.activation === "mention" ? "only when somebody addresses you" : "by every message";
    return [
      "## Group Chat",
      `This is a shared conversation on ${oneLine(group.platform)}. You are woken ${woken}.`,
      "Replies appear here by themselves: send nothing to this group with `message`.",
      "Mostly listen. Speak when you are asked, or when you have something of real use to add.",
      ...(group.instructions === undefined || group.instructions.trim() === "" ? [] : [group.instructions.trim()]),
    ].join("\n");
  },
};
