import type { AgentMessage } from "@factotum/agent-contract";

/** Checks these messages against the rules of a request, without using the implementation. */
export function sendableFaults(messages: readonly AgentMessage[]): readonly string[] {
  const faults: string[] = [];
  const check = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault);
  };
  check(messages.length === 0 || messages[0]?.role === "user", "the first message is not the user's");
  const seen = new Set<string>();
  let owed: { readonly id: string; readonly name: string }[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "toolResult") {
      const call = owed.shift();
      check(call?.id === message.toolCallId && call.name === message.toolName, `${index}: a result without its call before it`);
    } else {
      check(owed.length === 0, `${index}: a call without its result`);
    }
    check(message.content.length > 0, `${index}: empty`);
    for (const part of message.content) check(part.type !== "text" || part.text.trim() !== "", `${index}: blank text`);
    if (message.role !== "assistant") continue;
    check(
      message.content.some(({ type }) => type !== "thinking"),
      `${index}: thoughts alone`,
    );
    owed = message.content.flatMap((block) => (block.type === "toolCall" ? [{ id: block.id, name: block.name }] : []));
    check(owed.length === 0 || (message.stopReason !== "error" && message.stopReason !== "aborted"), `${index}: calls of a broken answer`);
    for (const { id } of owed) {
      check(!seen.has(id), `${index}: the id ${id} again`);
      seen.add(id);
    }
  }
  check(owed.length === 0, "a call without its result at the end");
  return faults;
}
