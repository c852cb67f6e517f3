import type { AgentToolResult, ImageContent, JsonObject, JsonValue, TextContent } from "@factotum/agent-contract";
import { isObject } from "./check-schema.ts";

type Part = TextContent | ImageContent;

/** Base64 characters of one image. */
const MAX_IMAGE_CHARS = 7_000_000;
const MAX_PARTS = 100;

/** First bytes of the kinds of images that models take. */
const KINDS: readonly { readonly mimeType: ImageContent["mimeType"]; readonly matches: (bytes: Buffer) => boolean }[] = [
  { mimeType: "image/png", matches: (bytes) => bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47])) },
  { mimeType: "image/jpeg", matches: (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])) },
  { mimeType: "image/gif", matches: (bytes) => bytes.subarray(0, 4).toString("latin1") === "GIF8" },
  {
    mimeType: "image/webp",
    matches: (bytes) => bytes.subarray(0, 4).toString("latin1") === "RIFF" && bytes.subarray(8, 12).toString("latin1") === "WEBP",
  },
];

/** Converts the result of a call: text, images and structured content for the model, a note for what it cannot take. Content that is malformed becomes a note. */
export function renderResult(result: unknown): AgentToolResult {
  if (!isObject(result))
    return { content: [{ type: "text", text: "The server answered with something that is no result." }], isError: true };
  const { content, structuredContent, isError } = result;
  const listed = Array.isArray(content) ? (content as readonly JsonValue[]) : [];
  const parts = listed.slice(0, MAX_PARTS).map(renderPart);
  if (listed.length > MAX_PARTS) parts.push(text(`[${listed.length - MAX_PARTS} further parts were left out]`));
  // The specification asks servers to repeat structured content as text; it is added only for those that do not.
  if (structuredContent !== undefined && !parts.some(({ type }) => type === "text")) parts.push(text(JSON.stringify(structuredContent)));
  const shown =
    parts.length > 0
      ? parts
      : [text(isError === true ? "The tool failed, and the server says no more." : "Done. The server returned nothing.")];
  return {
    content: shown,
    ...(structuredContent === undefined ? {} : { details: { structuredContent } }),
    ...(isError === true ? { isError: true } : {}),
  };
}

/** Converts one part of a server's content. */
export function renderPart(part: JsonValue): Part {
  if (!isObject(part)) return text("[a part that is no content]");
  switch (part["type"]) {
    case "text":
      return text(textOf(part["text"]));
    case "image":
      return renderImage(part);
    case "audio":
      return text(`[audio: ${kindOf(part)}, ${sizeOf(part["data"])}; it cannot be shown]`);
    case "resource_link":
      return text(`[resource ${textOf(part["uri"])}${named(part)}]`);
    case "resource":
      return renderResource(part["resource"]);
    default:
      return text(`[content of the type ${textOf(part["type"]) || "?"}, which cannot be shown]`);
  }
}

function renderImage(part: JsonObject): Part {
  const data = textOf(part["data"]);
  if (data.length > MAX_IMAGE_CHARS) return text(`[image: ${sizeOf(data)}, too large to be shown]`);
  const head = Buffer.from(data.slice(0, 64), "base64");
  const kind = KINDS.find(({ matches }) => matches(head));
  return kind === undefined
    ? text(`[image: ${kindOf(part)}, ${sizeOf(data)}; it cannot be shown]`)
    : { type: "image", data, mimeType: kind.mimeType };
}

function renderResource(resource: JsonValue | undefined): Part {
  if (!isObject(resource)) return text("[a resource without content]");
  const uri = textOf(resource["uri"]);
  if (typeof resource["text"] === "string") return text(`[resource ${uri}]\n${resource["text"]}`);
  const blob = textOf(resource["blob"]);
  const image = renderImage({ data: blob, mimeType: resource["mimeType"] });
  return image.type === "image" ? image : text(`[resource ${uri}: ${kindOf(resource)}, ${sizeOf(blob)}; it cannot be shown]`);
}

function named(part: JsonObject): string {
  const words = [textOf(part["title"]) || textOf(part["name"]), textOf(part["description"])].filter((word) => word !== "");
  return words.length === 0 ? "" : `: ${words.join(". ")}`;
}

function kindOf(part: JsonObject): string {
  return textOf(part["mimeType"]) || "unknown kind";
}

function sizeOf(data: JsonValue | undefined): string {
  return `${Math.floor((textOf(data).length * 3) / 4).toLocaleString("en")} bytes`;
}

function text(value: string): TextContent {
  return { type: "text", text: value };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
