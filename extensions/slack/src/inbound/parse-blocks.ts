import * as z from "zod";
import { emojiOf } from "../emoji.ts";
import { markPerson, withoutMarks } from "./mention-marks.ts";
import { parseMrkdwn } from "./parse-mrkdwn.ts";

const TextSchema = z.looseObject({ type: z.string(), text: z.string().default("") });
const StyleSchema = z.looseObject({
  bold: z.boolean().optional(),
  italic: z.boolean().optional(),
  strike: z.boolean().optional(),
  code: z.boolean().optional(),
});
const InlineSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  url: z.string().optional(),
  user_id: z.string().optional(),
  usergroup_id: z.string().optional(),
  channel_id: z.string().optional(),
  name: z.string().optional(),
  unicode: z.string().optional(),
  range: z.string().optional(),
  fallback: z.string().optional(),
  value: z.string().optional(),
  style: StyleSchema.optional().catch(undefined),
});
type Inline = z.infer<typeof InlineSchema>;

const RichElementSchema = z.looseObject({
  type: z.string(),
  elements: z.array(z.unknown()).default([]),
  style: z.string().optional().catch(undefined),
  indent: z.number().default(0).catch(0),
  offset: z.number().default(0).catch(0),
});
type RichElement = z.infer<typeof RichElementSchema>;

const BlockSchema = z.looseObject({
  type: z.string(),
  elements: z.array(z.unknown()).optional(),
  text: z.unknown().optional(),
  fields: z.array(z.unknown()).optional(),
  alt_text: z.string().optional(),
});

/** The text of a message's blocks as Markdown; `undefined` if they show none. People are marked by `markPerson`. */
export function parseBlocks(blocks: readonly unknown[]): string | undefined {
  const parts = blocks.flatMap((block) => {
    const parsed = BlockSchema.safeParse(block);
    const text = parsed.success ? blockText(parsed.data) : "";
    return text === "" ? [] : [text];
  });
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

/** True if the blocks are what a person typed. */
export function hasRichText(blocks: readonly unknown[]): boolean {
  return blocks.some((block) => typeof block === "object" && block !== null && "type" in block && block.type === "rich_text");
}

function blockText(block: z.infer<typeof BlockSchema>): string {
  switch (block.type) {
    case "rich_text":
      return richText(block.elements ?? []);
    case "section":
      return [block.text, ...(block.fields ?? [])].map(textObject).filter(Boolean).join("\n");
    case "header": {
      const title = textObject(block.text);
      return title === "" ? "" : `**${title}**`;
    }
    case "context":
      return (block.elements ?? []).map(textObject).filter(Boolean).join(" ");
    case "markdown":
      return typeof block.text === "string" ? withoutMarks(block.text) : "";
    case "image":
      return block.alt_text === undefined ? "" : `[image: ${block.alt_text}]`;
    default:
      return "";
  }
}

function textObject(value: unknown): string {
  const parsed = TextSchema.safeParse(value);
  if (!parsed.success) return "";
  return parsed.data.type === "mrkdwn" ? parseMrkdwn(parsed.data.text) : withoutMarks(parsed.data.text);
}

function richText(elements: readonly unknown[]): string {
  let text = "";
  let previous: RichElement | undefined;
  for (const value of elements) {
    const parsed = RichElementSchema.safeParse(value);
    if (!parsed.success) continue;
    const element = parsed.data;
    const part = richElement(element);
    const isSameList = previous?.type === "rich_text_list" && element.type === "rich_text_list";
    const isText = previous?.type === "rich_text_section" && element.type === "rich_text_section";
    const gap = previous === undefined || isText ? "" : isSameList ? "\n" : "\n\n";
    text = gap === "" ? text + part : `${text.replace(/\n+$/, "")}${gap}${part}`;
    previous = element;
  }
  return text.replace(/\n+$/, "");
}

function richElement({ type, elements, style, indent, offset }: RichElement): string {
  switch (type) {
    case "rich_text_list":
      return elements
        .map((item, index) => {
          const parsed = RichElementSchema.safeParse(item);
          const bullet = style === "ordered" ? `${offset + index + 1}.` : "-";
          return `${"  ".repeat(indent)}${bullet} ${parsed.success ? inlines(parsed.data.elements) : ""}`;
        })
        .join("\n");
    case "rich_text_preformatted":
      return `\`\`\`\n${inlines(elements, { isCode: true })}\n\`\`\``;
    case "rich_text_quote":
      return inlines(elements)
        .split("\n")
        .map((line) => `> ${line}`)
        .join("\n");
    default:
      return inlines(elements);
  }
}

function inlines(elements: readonly unknown[], options: { readonly isCode?: boolean } = {}): string {
  return elements
    .map((value) => {
      const parsed = InlineSchema.safeParse(value);
      return parsed.success ? inline(parsed.data, options.isCode === true) : "";
    })
    .join("");
}

function inline(element: Inline, isCode: boolean): string {
  switch (element.type) {
    case "text":
      return isCode ? withoutMarks(element.text ?? "") : styled(withoutMarks(element.text ?? ""), element.style);
    case "link": {
      const url = element.url ?? "";
      const label = withoutMarks(element.text ?? "");
      return isCode || label === "" || label === url ? label || url : styled(`[${label}](${url})`, element.style);
    }
    case "user":
      return markPerson((element.user_id ?? "").replaceAll(/[^A-Z0-9]/g, ""));
    case "usergroup":
      return `@${element.usergroup_id ?? ""}`;
    case "channel":
      return `#${element.channel_id ?? ""}`;
    case "emoji":
      return emojiOf(element.name ?? "", element.unicode);
    case "broadcast":
      return `@${element.range ?? "channel"}`;
    case "date":
      return element.fallback ?? "";
    case "color":
      return element.value ?? "";
    default:
      return withoutMarks(element.text ?? "");
  }
}

/** Markup directly around the visible characters, line by line. */
function styled(text: string, style: Inline["style"]): string {
  if (style === undefined) return text;
  const marks = [
    ...(style.code === true ? ["`"] : []),
    ...(style.strike === true ? ["~~"] : []),
    ...(style.italic === true ? ["_"] : []),
    ...(style.bold === true ? ["**"] : []),
  ];
  return text.replaceAll(/\S(?:[^\n]*\S)?/g, (words) => marks.reduce((inner, mark) => `${mark}${inner}${mark}`, words));
}
