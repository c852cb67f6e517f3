import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type { ImageContent, ToolResultMessage } from "@factotum/agent-contract";
import { cleanName } from "./render-assistant.ts";
import { renderBridge, type RenderContext } from "./render-context.ts";
import { NO_IMAGES_NOTE, renderImage } from "./render-image.ts";

type OutputPart = Extract<LanguageModelV4ToolResultPart["output"], { type: "content" }>["value"][number];

const NO_OUTPUT = "(no output)";
const IMAGE_FOLLOWS = "[the image follows in the next message]";
const IMAGE_OF_ERROR = "[image left out: the tool failed]";

/** The results of one answer's calls: one message with them, and one for images that cannot be in it. */
export function renderToolResults(results: readonly ToolResultMessage[], context: RenderContext): LanguageModelV4Message[] {
  if (!context.hasTools) return [{ role: "user", content: results.flatMap((result) => renderAsText(result, context)) }];
  const messages: LanguageModelV4Message[] = [{ role: "tool", content: results.map((result) => renderResult(result, context)) }];
  const moved = results.flatMap((result) => renderMovedImages(result, context));
  return moved.length === 0 ? messages : [...messages, ...renderBridge(context.rules), { role: "user", content: moved }];
}

function renderResult(result: ToolResultMessage, context: RenderContext): LanguageModelV4ToolResultPart {
  return {
    type: "tool-result",
    toolCallId: context.callId(result.toolCallId),
    toolName: cleanName(result.toolName, context),
    output: renderOutput(result, context),
  };
}

function renderOutput(result: ToolResultMessage, context: RenderContext): LanguageModelV4ToolResultPart["output"] {
  const images = imagesOf(result);
  if (result.isError) {
    const text = textOf(result, images.length > 0 ? IMAGE_OF_ERROR : undefined, context);
    return context.rules.errorResults === "native" ? { type: "error-text", value: text } : { type: "text", value: `Error: ${text}` };
  }
  if (images.length === 0) return { type: "text", value: textOf(result, undefined, context) };
  if (!takesImages(context)) return { type: "text", value: textOf(result, NO_IMAGES_NOTE, context) };
  if (!context.rules.imagesInToolResults) return { type: "text", value: textOf(result, IMAGE_FOLLOWS, context) };
  const value = result.content.flatMap((part): OutputPart[] => {
    if (part.type === "image") return [renderImage(part)];
    return part.text.trim() === "" ? [] : [{ type: "text", text: context.clean(part.text) }];
  });
  return { type: "content", value };
}

function renderMovedImages(result: ToolResultMessage, context: RenderContext): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  const images = imagesOf(result);
  if (result.isError || images.length === 0 || !takesImages(context) || context.rules.imagesInToolResults) return [];
  return [{ type: "text", text: `[image from the tool ${cleanName(result.toolName, context)}]` }, ...images.map(renderImage)];
}

/** A result rendered as text, for a request without tools. */
function renderAsText(result: ToolResultMessage, context: RenderContext): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  const images = takesImages(context) ? imagesOf(result) : [];
  const note = images.length < imagesOf(result).length ? NO_IMAGES_NOTE : undefined;
  const heading = `[${result.isError ? "error" : "result"} of the tool ${cleanName(result.toolName, context)}]`;
  return [{ type: "text", text: `${heading}\n${textOf(result, note, context)}` }, ...images.map(renderImage)];
}

function textOf(result: ToolResultMessage, note: string | undefined, context: RenderContext): string {
  const texts = result.content.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [context.clean(part.text)] : []));
  if (note !== undefined) texts.push(note);
  return texts.length === 0 ? NO_OUTPUT : texts.join("\n");
}

function imagesOf(result: ToolResultMessage): ImageContent[] {
  return result.content.filter((part) => part.type === "image");
}

function takesImages(context: RenderContext): boolean {
  return context.info.input.includes("image");
}
