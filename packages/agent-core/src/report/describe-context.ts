import type { AgentMessage, ToolSchema } from "@factotum/agent-contract";
import { estimateTokens, IMAGE_TOKENS } from "../tokens/estimate-tokens.ts";
import type {
  ContextDescription,
  ContextPartType,
  ContextRequestFacts,
  ContextSize,
  DescribedPart,
  DescribedSection,
} from "./context-description.ts";
import { sizeOf, sumSizes } from "./context-size.ts";
import { describeMessage, imageFacts, imagesOf, ofOthers } from "./describe-message.ts";
import { splitEffectivePrompt } from "./split-effective-prompt.ts";

/** The separator between the sections of a half. */
const SEPARATOR = "\n\n";

/**
 * Splits a request into its five parts and their sections, with the size of each. The turn's own message is part 3, its images part 4; later messages of the
 * turn are in part 2. Pure.
 */
export function describeContext(facts: ContextRequestFacts): ContextDescription {
  const messages = uniqueIds(facts.messages.map(describeMessage));
  const prompt = facts.messages[facts.promptIndex];
  const parts: readonly DescribedPart[] = [
    part("system", systemSections(facts)),
    part(
      "messages",
      messages.filter((_, index) => index !== facts.promptIndex),
    ),
    part("prompt", prompt === undefined ? [] : promptSections(prompt)),
    part("images", prompt === undefined ? [] : imageSections(prompt)),
    part("tools", facts.tools.map(toolSection)),
  ];
  return {
    parts,
    total: sumSizes(parts),
    sentMessages: messages.map(({ id, sent }, index) => ({
      part: index === facts.promptIndex ? "prompt" : "messages",
      section: id,
      sent,
    })),
  };
}

function part(type: ContextPartType, sections: readonly DescribedSection[]): DescribedPart {
  return { type, ...sumSizes(sections), sections };
}

/** Splits the halves by the outline; a half that does not match it is one section. */
function systemSections({ system, outline = [] }: ContextRequestFacts): readonly DescribedSection[] {
  return (["stable", "session"] as const).flatMap((half) => {
    const text = system[half];
    const lengths = outline.filter((section) => section.half === half);
    const expected = lengths.reduce((sum, { chars }) => sum + chars, 0) + SEPARATOR.length * Math.max(0, lengths.length - 1);
    if (text === "") return [];
    if (expected !== text.length) return [{ half, ...section(half, `The ${half} half`, text) }];
    let from = 0;
    return lengths.map(({ id, chars }) => {
      const piece = text.slice(from, from + chars);
      from += chars + SEPARATOR.length;
      return { half, ...section(id, sectionTitle(id, piece), piece) };
    });
  });
}

/** The section's own heading, otherwise its id as words. */
function sectionTitle(id: string, text: string): string {
  const heading = /^#+ +(.+)$/m.exec(text.slice(0, 200));
  if (heading?.index === 0 && heading[1] !== undefined) return heading[1];
  return id.charAt(0).toUpperCase() + id.slice(1).replaceAll("-", " ");
}

function section(id: string, title: string, text: string): DescribedSection {
  return { id, title, ...sizeOf(text), text, sent: text };
}

function promptSections(message: AgentMessage): readonly DescribedSection[] {
  const texts = message.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return uniqueIds(
    texts.flatMap(splitEffectivePrompt).map(({ id, title, text }) => ({ ...section(id, title, text), ...ofOthers(message) })),
  );
}

function imageSections(message: AgentMessage): readonly DescribedSection[] {
  return imagesOf(message).map((image, index) => {
    const facts = imageFacts(image);
    const size: ContextSize = { chars: 0, bytes: facts.bytes, tokens: IMAGE_TOKENS };
    const text = `[${facts.mimeType}, ${facts.bytes} bytes]`;
    return {
      id: `image-${index + 1}`,
      title: `Image ${index + 1}`,
      ...size,
      images: [facts],
      ...ofOthers(message),
      text,
      sent: image.data,
    };
  });
}

function toolSection(tool: ToolSchema): DescribedSection {
  const { name, description, parameters } = tool;
  const sent = JSON.stringify({ name, description, parameters });
  return {
    id: name,
    title: name,
    ...sizeOf(sent),
    tokens: estimateTokens(sent),
    text: `${description}\n\n${JSON.stringify(parameters, null, 2)}`,
    sent,
  };
}

function uniqueIds(sections: readonly DescribedSection[]): readonly DescribedSection[] {
  const used = new Map<string, number>();
  return sections.map((one) => {
    const count = (used.get(one.id) ?? 0) + 1;
    used.set(one.id, count);
    return count === 1 ? one : { ...one, id: `${one.id}-${count}` };
  });
}
