import type { JsonObject, ToolResultMessage } from "@factotum/agent-contract";

/** Runs a tool of the session, after its policy and the owner have allowed that. Rejects if there is no prompt to run it in, or if that ends. */
export type CallTool = (name: string, args: JsonObject) => Promise<ToolResultMessage>;

/** The text of a result. */
export function textOf({ content }: Pick<ToolResultMessage, "content">): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
