import { EXTERNAL_CALL } from "@factotum/agent-contract";
import type { ToolCallContent } from "@factotum/agent-contract";

/** A call in a few words, in one line: its tool, or what an external agent says about a call of its own. */
export function callWords({ name, external, arguments: { title } }: Pick<ToolCallContent, "name" | "external" | "arguments">): string {
  const words = external === true && name === EXTERNAL_CALL && typeof title === "string" ? title : name;
  return words.replaceAll(/\s+/g, " ").trim();
}
