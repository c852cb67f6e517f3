import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4TextPart } from "@ai-sdk/provider";
import type { ModelInfo, ModelRequest, SystemPrompt, ToolResultMessage, UserMessage } from "@factotum/agent-contract";
import { createTextCleaner } from "./clean-text.ts";
import { renderAssistant } from "./render-assistant.ts";
import { renderBridge, type RenderContext, type RenderRules } from "./render-context.ts";
import { NO_IMAGES_NOTE, renderImage } from "./render-image.ts";
import { renderToolResults } from "./render-tool-results.ts";
import { createToolCallIdMap } from "./tool-call-ids.ts";

/** Replaces a message that has nothing left to send; providers refuse empty ones. */
const EMPTY_MESSAGE = "(empty message)";

/**
 * Neutral messages as the SDK's prompt. Pure and total.
 *
 * The rendering of a message depends on itself and on earlier messages, never on later ones: so a request that appends messages begins with the bytes of the
 * shorter one. (Where adjacent messages merge, this holds part by part.)
 */
export function renderPrompt(request: ModelRequest, info: ModelInfo, rules: RenderRules): LanguageModelV4Prompt {
  const context: RenderContext = {
    info,
    rules,
    hasTools: request.tools.length > 0 && info.tools === "native",
    clean: createTextCleaner(rules.triggers),
    callId: createToolCallIdMap(rules.toolCallIds),
  };
  const messages: LanguageModelV4Prompt = [...renderSystem(request.system, context), ...renderMessages(request, context)];
  const limited = rules.maxImages === undefined ? messages : limitImages(messages, rules.maxImages);
  return rules.mergesNeighbours ? mergeNeighbours(limited) : limited;
}

/** Images over the vendor's limit become a note. The first ones stay: so a longer request still begins with the bytes of the shorter one. */
function limitImages(messages: LanguageModelV4Prompt, maxImages: number): LanguageModelV4Prompt {
  let images = 0;
  return messages.map((message) => {
    if (message.role !== "user") return message;
    const content = message.content.map((part) => {
      if (part.type === "file") images += 1;
      return part.type === "file" && images > maxImages
        ? ({ type: "text", text: `[image left out: a request to this model takes ${maxImages}]` } as const)
        : part;
    });
    return { ...message, content };
  });
}

function renderSystem(system: SystemPrompt, context: RenderContext): LanguageModelV4Message[] {
  const halves = [system.stable, system.session].filter((half) => half.trim() !== "").map(context.clean);
  const texts = context.rules.systemMessages === "two" || halves.length === 0 ? halves : [halves.join("\n\n")];
  return texts.map((content) => ({ role: "system", content }));
}

function renderMessages(request: ModelRequest, context: RenderContext): LanguageModelV4Message[] {
  const rendered: LanguageModelV4Message[] = [];
  let results: ToolResultMessage[] = [];
  const flushResults = (): void => {
    if (results.length > 0) rendered.push(...renderToolResults(results, context));
    results = [];
  };
  for (const message of request.messages) {
    if (message.role === "toolResult") {
      results.push(message);
      continue;
    }
    flushResults();
    if (message.role === "user") {
      rendered.push(...renderUser(message, rendered.at(-1), context));
      continue;
    }
    const assistant = renderAssistant(message, context);
    if (assistant !== undefined) rendered.push(assistant);
  }
  flushResults();
  return rendered;
}

function renderUser(message: UserMessage, previous: LanguageModelV4Message | undefined, context: RenderContext): LanguageModelV4Message[] {
  const user: LanguageModelV4Message = { role: "user", content: renderUserParts(message.content, context) };
  return previous?.role === "tool" ? [...renderBridge(context.rules), user] : [user];
}

/** The parts of a user message: text unchanged, blank text dropped, images if the model accepts them. Never empty. */
function renderUserParts(content: UserMessage["content"], context: RenderContext): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  const parts = content.flatMap((part): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: context.clean(part.text) }];
    return [context.info.input.includes("image") ? renderImage(part) : { type: "text", text: NO_IMAGES_NOTE }];
  });
  return parts.length === 0 ? [{ type: "text", text: EMPTY_MESSAGE }] : parts;
}

function mergeNeighbours(messages: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const merged: LanguageModelV4Prompt = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === "user" && message.role === "user") {
      merged[merged.length - 1] = { ...last, content: [...last.content, ...message.content] };
    } else if (last?.role === "assistant" && message.role === "assistant") {
      merged[merged.length - 1] = { ...last, content: [...last.content, ...message.content] };
    } else {
      merged.push(message);
    }
  }
  return merged;
}
