import type { Origin, Poll } from "@factotum/channel-contract";
import type { Content } from "./message-content.ts";
import { relationTo } from "./message-content.ts";

/** The type of a poll's event that clients know. */
export const POLL_TYPE = "org.matrix.msc3381.poll.start";
const TEXT = "org.matrix.msc1767.text";

/** The content of a poll. It has no end of its own. */
export function pollContent({ question, options, multiple }: Poll, target: Origin): Content {
  const lines = [question, ...options.map((option, index) => `${index + 1}. ${option}`)];
  return {
    [POLL_TYPE]: {
      question: { [TEXT]: question, body: question, msgtype: "m.text" },
      kind: "org.matrix.msc3381.poll.disclosed",
      max_selections: multiple ? options.length : 1,
      answers: options.map((option, index) => ({ id: `answer-${index + 1}`, [TEXT]: option })),
    },
    [TEXT]: lines.join("\n"),
    "m.mentions": {},
    ...relationTo(target),
  };
}
