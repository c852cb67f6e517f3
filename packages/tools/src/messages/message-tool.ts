import type { AgentTool, Messenger } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";

const MessageSchema = z.strictObject({
  action: z.enum(["send"]),
  message: z.string().max(100_000).optional().describe("Markdown"),
  media: z.string().optional().describe("File to attach: workspace path or http(s) address"),
  path: z.string().optional().describe("Same as media"),
  filePath: z.string().optional().describe("Same as media"),
  channel: z.string().min(1).optional().describe("Only for another channel than this one"),
  target: z.string().min(1).optional().describe("Whom to send to; default: this conversation"),
});

/** Sends a message besides the reply. */
export function createMessageTool({ messenger }: { readonly messenger: Messenger }): AgentTool {
  return defineTool({
    name: "message",
    summary: "Send a message to this conversation or another",
    description: "Sends a message now, besides your reply.",
    schema: MessageSchema,
    traits: { effect: "send", idempotent: false, output: "trusted", network: true, parallel: false },
    async execute({ message = "", media, path, filePath, channel, target }, { run, signal, callId }) {
      const named = [...new Set([media, path, filePath].flatMap((one) => (one === undefined || one.trim() === "" ? [] : [one])))];
      if (named.length > 1) return errorResult("The message was not sent: name one file, as `media`.");
      if (message.trim() === "" && named.length === 0) return errorResult("The message was not sent: it has neither words nor a file.");
      const [file] = named;
      const address = { ...(channel === undefined ? {} : { channel }), ...(target === undefined ? {} : { target }) };
      const result = await messenger.send(
        { callId, text: message, ...address, ...(file === undefined ? {} : { media: file }) },
        { signal, run },
      );
      if (result.type === "refused") return errorResult(`The message was not sent: ${result.message}`);
      return textResult(`Queued for ${result.target} on ${result.channel}`, {
        details: { channel: result.channel, target: result.target },
      });
    },
  });
}
