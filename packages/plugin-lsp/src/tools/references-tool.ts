import { z } from "zod";
import { defineOperation, READ_TRAITS, TargetShape, type ToolMaker } from "./define-tool.ts";
import { findTarget } from "./find-target.ts";
import { parseLocations, renderLocations } from "./locations.ts";

/** Where a symbol is used. */
export const createReferencesTool: ToolMaker = defineOperation({
  operation: "references",
  summary: (language) => `All uses of a ${language} symbol`,
  description: "Finds every use of a symbol, with its declaration.",
  schema: z.strictObject(TargetShape),
  traits: READ_TRAITS,
  async execute(args, opened) {
    const { server, file, lines, ask } = opened;
    const position = lines.toServer(await findTarget(opened, args), server.encoding);
    const params = { textDocument: { uri: server.uriOf(file.path) }, position, context: { includeDeclaration: true } };
    const found = parseLocations(await ask("textDocument/references", params));
    return found.length === 0 ? { text: "No use was found." } : renderLocations(found, opened);
  },
});
