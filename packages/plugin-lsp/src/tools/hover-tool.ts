import { z } from "zod";
import { isObject } from "../is-object.ts";
import { defineOperation, READ_TRAITS, TargetShape, type ToolMaker } from "./define-tool.ts";
import { findTarget } from "./find-target.ts";
import { parseLocations, renderLocations } from "./locations.ts";

/** The type and the documentation of a symbol. */
export const createHoverTool: ToolMaker = defineOperation({
  operation: "hover",
  summary: (language) => `Type and documentation of a ${language} symbol`,
  description: "Shows the type and the documentation of a symbol.",
  schema: z.strictObject(TargetShape),
  traits: READ_TRAITS,
  async execute(args, opened) {
    const { server, file, lines, ask } = opened;
    const position = lines.toServer(await findTarget(opened, args), server.encoding);
    const params = { textDocument: { uri: server.uriOf(file.path) }, position };
    const text = contentsOf(await ask("textDocument/hover", params));
    if (text === "") return { text: "The language server has nothing to say here." };
    if (!server.operations.includes("definition")) return { text, untrusted: file.untrusted };
    // The words are those of the file that defines the symbol.
    const { untrusted = false } = await renderLocations(parseLocations(await ask("textDocument/definition", params)), opened);
    return { text, untrusted };
  },
});

function contentsOf(hover: unknown): string {
  const contents = isObject(hover) ? hover["contents"] : undefined;
  const parts: readonly unknown[] = Array.isArray(contents) ? (contents as readonly unknown[]) : [contents];
  return parts
    .map((part) => (typeof part === "string" ? part : isObject(part) && typeof part["value"] === "string" ? part["value"] : ""))
    .filter((part) => part !== "")
    .join("\n\n")
    .trim();
}
