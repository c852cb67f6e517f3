import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentTool, AgentToolResult, Messenger, MessengerResult } from "@factotum/agent-contract";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import { toOperation } from "./message-operation.ts";
import { MessageSchema, narrowMessageSchema } from "./message-schema.ts";
import type { MessageArguments } from "./message-schema.ts";

/** Aliases of the file parameter; the listed one is enough for the schema. */
const ALIASES = { path: "media", filePath: "media" };

/** Maximum characters of an action's result. */
const MAX_RESULT_CHARS = 16_000;

const HERE = "Sends a message right away, in addition to your reply, or reacts to one, edits or deletes one that this tool sent.";
const ELSEWHERE = " While someone other than your owner is writing, it works in this conversation only.";

/** Sends messages in addition to the reply, and performs the channel's other operations. */
export function createMessageTool({ messenger }: { readonly messenger: Messenger }): AgentTool {
  return defineTool({
    name: "message",
    summary: "Send a message to this conversation or another",
    description: HERE + ELSEWHERE,
    schema: MessageSchema,
    aliases: ALIASES,
    traits: { effect: "send", idempotent: false, output: "trusted", network: true, parallel: false },
    narrow: (features) => ({
      description: describe(features.actions) + (features.elsewhere ? ELSEWHERE : ""),
      schema: narrowMessageSchema(features),
    }),
    async execute(parsed, { run, signal, callId }) {
      const args = parsed as unknown as MessageArguments;
      const operation = toOperation(args);
      if (operation.type === "invalid") return errorResult(`Nothing was done: ${operation.message}.`);
      const { channel, target, threadId, replyTo, silent, onlyFor } = args;
      const result = await messenger.perform(
        { callId, operation, ...withoutUndefined({ channel, target, threadId, replyTo, silent, onlyFor }) },
        { signal, run },
      );
      return toResult(result, operation.type);
    },
  });
}

function describe(actions: readonly string[]): string {
  const changes = ["edit", "delete"].filter((name) => actions.includes(name));
  return [
    "Sends a message right away, in addition to your reply",
    ...(actions.includes("react") ? [", or reacts to one"] : []),
    ...(changes.length > 0 ? [`, or can ${changes.join(" or ")} one that it sent`] : []),
    ".",
  ].join("");
}

function toResult(result: MessengerResult, operation: string): AgentToolResult {
  switch (result.type) {
    case "refused":
      return errorResult(operation === "send" ? `The message was not sent: ${result.message}` : `Nothing was done: ${result.message}`);
    case "queued": {
      const { channel, target, messageId } = result;
      const named = messageId === undefined ? "" : `, id ${messageId}`;
      return textResult(`Queued for ${target} on ${channel}${named}`, { details: { channel, target } });
    }
    case "done": {
      const json = JSON.stringify(result.value);
      const isCut = json.length > MAX_RESULT_CHARS;
      return textResult(isCut ? `${json.slice(0, MAX_RESULT_CHARS).toWellFormed()}… (cut; ask for fewer)` : json, { untrusted: true });
    }
  }
}
