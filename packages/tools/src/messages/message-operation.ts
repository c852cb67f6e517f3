import { withoutUndefined } from "@factotum/agent-contract";
import type { JsonObject, MessageOperation } from "@factotum/agent-contract";
import { OPERATIONS } from "./message-schema.ts";
import type { MessageArguments } from "./message-schema.ts";

/** Parameters that belong to the address of every call. */
const ADDRESS = new Set(["action", "target", "channel"]);

/** The operation of a call, or the reason why there is none. */
export function toOperation(args: MessageArguments): MessageOperation | { readonly type: "invalid"; readonly message: string } {
  const { required, optional } = OPERATIONS[args.action];
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  const taken = new Set<string>([...required, ...optional, ...ADDRESS]);
  const foreign = given.filter(([name]) => !taken.has(name)).map(([name]) => name);
  if (foreign.length > 0) return invalid(`${args.action} has no ${foreign.join(", ")}`);
  const missing = required.filter((name) => args[name] === undefined);
  if (missing.length > 0) return invalid(`${args.action} needs ${missing.join(" and ")}`);
  const { message = "", messageId = "", media = "", card } = args;
  switch (args.action) {
    case "send": {
      const hasFile = media.trim() !== "";
      if (message.trim() === "" && !hasFile) return invalid("it has neither text nor a file");
      return { type: "send", text: message, ...(hasFile ? { media } : {}), ...withoutUndefined({ mentions: args.mentions }) };
    }
    case "card":
      return card === undefined ? invalid("card needs card") : { type: "card", card };
    case "poll": {
      const { options = [], multiple = false, durationSeconds } = args;
      const durationMs = durationSeconds === undefined ? undefined : durationSeconds * 1000;
      return { type: "poll", question: message, options, multiple, ...withoutUndefined({ durationMs }) };
    }
    case "react":
      return { type: "react", messageId, emoji: args.emoji ?? "", removed: args.remove ?? false };
    case "edit":
      if ((message.trim() === "") === (card === undefined)) return invalid("edit needs either message or card");
      return { type: "edit", messageId, text: message, ...withoutUndefined({ card }) };
    case "delete":
      return { type: "delete", messageId };
    default:
      return { type: "act", name: args.action, parameters: parametersOf(args) };
  }
}

function invalid(message: string): { readonly type: "invalid"; readonly message: string } {
  return { type: "invalid", message };
}

function parametersOf(args: MessageArguments): JsonObject {
  const { messageId, query, limit, before, name, userId } = args;
  return { ...withoutUndefined({ messageId, query, limit, before, name, userId }) };
}
