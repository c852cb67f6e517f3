import type { ModelRequest, UserMessage } from "@factotum/agent-contract";

/** The last message of the user, and the tool results since. */
export interface DemoTurn {
  /** The person's text, without the blocks that the gateway prepends. */
  readonly text: string;
  /** Index of the user's message in the request. */
  readonly index: number;
}

/** Finds the person's last message. The text is empty if there is no user message. */
export function readUserTurn(request: ModelRequest): DemoTurn {
  const index = request.messages.findLastIndex((message) => message.role === "user");
  const message = request.messages[index];
  return { text: message?.role === "user" ? readBody(message) : "", index };
}

function readBody(message: UserMessage): string {
  if (message.parts !== undefined && message.parts.body.trim() !== "") return message.parts.body.trim();
  const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return skipInboundBlocks(text).trim();
}

/** Removes the trusted block, the delimited blocks that it announces, and the single lines that the gateway adds. */
function skipInboundBlocks(text: string): string {
  const delimiter = /^Inbound context \(trusted\):\r?\n.*?"delimiter":"([0-9a-f]{12})"/.exec(text)?.[1];
  if (delimiter === undefined) return text;
  const kept: string[] = [];
  let insideBlock = false;
  for (const line of text.split("\n").slice(2)) {
    if (line.startsWith(`[/${delimiter}`)) insideBlock = false;
    else if (line.startsWith(`[${delimiter}`)) insideBlock = true;
    else if (!insideBlock && !/^(?:System: \[|\[media attached|\[Subagent Context\])/.test(line)) kept.push(line);
  }
  return kept.join("\n");
}
