import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentTool, Messenger } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";

const MessageSchema = z.strictObject({
  action: z.enum(["send"]),
  message: z.string().max(100_000).optional().describe("Text in Markdown; required unless media is given"),
  media: z.string().optional().describe("One file to attach: a path in the workspace or an http(s) URL"),
  target: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Where to send: a conversation id (chat_id in Conversation info), user:<id> for a person, or channel:<id> for a group room. Use ids, not display names. Default: this conversation",
    ),
  channel: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Messaging service to send through, by its id (`channel` in the trusted JSON). Default: this conversation's service. If you name another one, also give a target",
    ),
});

/** Aliases of the file parameter; the listed one is enough for the schema. */
const ALIASES = { path: "media", filePath: "media" };

/** Sends a message in addition to the reply. */
export function createMessageTool({ messenger }: { readonly messenger: Messenger }): AgentTool {
  return defineTool({
    name: "message",
    summary: "Send a message to this conversation or another",
    description:
      "Sends a message right away, in addition to your reply. While someone other than your owner is writing, it sends to this conversation only.",
    schema: MessageSchema,
    aliases: ALIASES,
    traits: { effect: "send", idempotent: false, output: "trusted", network: true, parallel: false },
    async execute({ message = "", media = "", channel, target }, { run, signal, callId }) {
      const hasFile = media.trim() !== "";
      if (message.trim() === "" && !hasFile) return errorResult("The message was not sent: it has neither text nor a file.");
      const address = { ...withoutUndefined({ channel, target }) };
      const result = await messenger.send({ callId, text: message, ...address, ...(hasFile ? { media } : {}) }, { signal, run });
      if (result.type === "refused") return errorResult(`The message was not sent: ${result.message}`);
      return textResult(`Queued for ${result.target} on ${result.channel}`, {
        details: { channel: result.channel, target: result.target },
      });
    },
  });
}
