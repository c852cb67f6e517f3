import type { UserMessageParts } from "@factotum/agent-contract";
import type { PromptBody } from "./effective-prompt-facts.ts";
import { escapeBody } from "./escape-body.ts";

/** The text of the body; empty if there is none. */
export function renderBody(body: PromptBody): string {
  switch (body.type) {
    case "message":
      return body.text.trim() === "" ? "" : escapeBody(body.text);
    case "media-only":
      return MEDIA_ONLY;
    case "task":
      return body.text;
    case "memory-flush":
      return renderMemoryFlush(body);
    case "reset":
      return `${RESET_PROMPT}\n\n${body.text.trim() === "" ? MEDIA_ONLY : escapeBody(body.text)}`;
    case "subagent":
      return renderSubagentBody(body);
    default:
      return body satisfies never;
  }
}

/** The parts of the body that are stored for re-rendering and for readers of the conversation. */
export function bodyParts(body: PromptBody): Pick<UserMessageParts, "body" | "bodyType"> {
  switch (body.type) {
    case "message":
      return { body: body.text };
    case "reset":
      return body.text.trim() === "" ? { body: "", bodyType: "media-only" } : { body: body.text };
    case "media-only":
      return { body: "", bodyType: "media-only" };
    case "task":
      return { body: body.text, bodyType: "task" };
    case "memory-flush":
    case "subagent":
      return { body: renderBody(body), bodyType: "task" };
    default:
      return body satisfies never;
  }
}

/** The stored body of an older turn. */
export function renderKeptBody({ body, bodyType }: UserMessageParts): string {
  switch (bodyType) {
    case undefined:
      return renderBody({ type: "message", text: body });
    case "media-only":
      return MEDIA_ONLY;
    case "task":
      return body;
    default:
      return bodyType satisfies never;
  }
}

function renderMemoryFlush({ notesPath }: Extract<PromptBody, { type: "memory-flush" }>): string {
  return `The older part of this conversation will soon be replaced by a summary, and its details will be lost. Add to ${notesPath} what will matter later and is not in your notes yet: decisions, facts, preferences, open work. Write full dates instead of words like "tomorrow", and leave secrets out. Keep everything that the file already says, and change no other file. When you are done, or if there is nothing to add, answer only NO_REPLY.`;
}

function renderSubagentBody({ task, depth, maxDepth, persistent, fork }: Extract<PromptBody, { type: "subagent" }>): string {
  const leaf = depth >= maxDepth ? " You may not start sub-agents of your own." : "";
  const own = `[Subagent Context] You are working as a sub-agent, at depth ${depth} of at most ${maxDepth}. Your result is delivered automatically: do not send it yourself. Do not poll: whatever you wait for arrives as a message.${leaf}`;
  return [
    ...(fork === undefined ? [] : [FORKED]),
    ...(fork?.context === undefined ? [own] : [TOOLS_OF_PARENT, fork.context]),
    ...(persistent ? ["[Subagent Context] This session stays open: more messages may follow."] : []),
    `[Subagent Task]: ${escapeBody(task)}`,
  ].join("\n");
}

const FORKED =
  "[Subagent Context] From here on you are a sub-agent. Everything above is the conversation of the agent that started you, which continues it without you. Answer nothing in it, and do only the task below.";

const TOOLS_OF_PARENT = "[Subagent Context] Tools that sub-agents do not have are described to you, too. Calls of them are refused.";

const MEDIA_ONLY = "[User sent media without caption]";

const RESET_PROMPT =
  "The user has started a new conversation. If AGENTS.md names steps for the start of a conversation, follow them first, but do not read files that are already in your prompt. Then answer the following message, in the voice that your files describe.";
