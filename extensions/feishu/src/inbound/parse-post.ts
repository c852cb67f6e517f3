import * as z from "zod";

/** An element of a rich message. Unknown ones are skipped. */
const ElementSchema = z.looseObject({
  tag: z.string(),
  text: z.string().optional(),
  href: z.string().optional(),
  user_id: z.string().optional(),
  image_key: z.string().optional(),
  file_key: z.string().optional(),
  language: z.string().optional(),
  emoji_type: z.string().optional(),
  style: z.array(z.string()).optional(),
});
type Element = z.infer<typeof ElementSchema>;

const PostSchema = z.looseObject({ title: z.string().optional(), content: z.array(z.array(ElementSchema)) });

/** A rich message as Markdown, and the keys of its embedded files, in order. */
export interface ParsedPost {
  readonly text: string;
  readonly media: readonly { readonly kind: "image" | "video"; readonly key: string }[];
}

/** Parses the content of a `post`, with or without a locale around it. `undefined` for other content. */
export function parsePost(content: unknown): ParsedPost | undefined {
  const post = [content, ...Object.values(isRecord(content) ? content : {})]
    .map((value) => PostSchema.safeParse(value))
    .find(({ success }) => success)?.data;
  if (post === undefined) return undefined;
  const paragraphs = post.content.map((elements) => elements.map(renderElement).join(""));
  const title = post.title === undefined || post.title === "" ? [] : [`**${post.title}**`];
  const media = post.content.flat().flatMap((element): ParsedPost["media"] => {
    if (element.tag === "img" && element.image_key !== undefined) return [{ kind: "image", key: element.image_key }];
    return element.tag === "media" && element.file_key !== undefined ? [{ kind: "video", key: element.file_key }] : [];
  });
  return { text: [...title, ...paragraphs].join("\n").trim(), media };
}

function renderElement(element: Element): string {
  const { text = "", style = [] } = element;
  switch (element.tag) {
    case "text":
    case "md":
      return styled(text, style);
    case "a":
      return element.href === undefined || element.href === text ? text : `[${text}](${element.href})`;
    case "at":
      // The key of a mention (`@_user_1`) is replaced later. An id is not readable, and a name without a key identifies no one.
      return element.user_id?.startsWith("@_") === true ? element.user_id : "@someone";
    case "code_block":
      return `\n\`\`\`${element.language?.toLowerCase() ?? ""}\n${text.replace(/\n$/, "")}\n\`\`\`\n`;
    case "emotion":
      return element.emoji_type === undefined ? "" : `:${element.emoji_type}:`;
    case "hr":
      return "\n---\n";
    default:
      return "";
  }
}

/** Puts marks next to the text: Markdown emphasis cannot start with a space. */
function styled(text: string, style: readonly string[]): string {
  const words = text.trim();
  if (words === "") return text;
  const marks = [style.includes("bold") ? "**" : "", style.includes("italic") ? "*" : "", style.includes("lineThrough") ? "~~" : ""].join(
    "",
  );
  return text.replace(
    words,
    () =>
      `${marks}${words}${[...marks.matchAll(/\*\*|~~|\*/g)]
        .map(([mark]) => mark)
        .toReversed()
        .join("")}`,
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
