import type { PreparedReply } from "../server/prepared-reply.ts";
import { type AnthropicReply, textReply } from "./reply.ts";
import { renderEvents, renderMessage } from "./render-message.ts";

/** Renders a reply for {@link AnthropicServer.instantReply}; text is one delta, and a call's id is the same in every answer. */
export function prepareReply(reply: string | Extract<AnthropicReply, { type: "message" }>): PreparedReply {
  const data = typeof reply === "string" ? textReply(reply) : reply;
  if (data.type !== "message") throw new TypeError("Only a message can be prepared.");
  const message = renderMessage(data, "claude-instant-reply");
  return {
    stream: Buffer.from(renderEvents(message, { deltaCharacters: data.deltaCharacters ?? Number.MAX_SAFE_INTEGER }).join("")),
    whole: Buffer.from(JSON.stringify(message)),
  };
}

/** Whether a body requests a stream, without parsing it: JSON escapes a quote inside text, so only the field itself matches. */
export function wantsStream(body: Buffer): boolean {
  return body.includes('"stream":true');
}
