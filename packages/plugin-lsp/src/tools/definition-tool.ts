import { z } from "zod";
import { defineOperation, READ_TRAITS, TargetShape, type ToolMaker } from "./define-tool.ts";
import { findTarget } from "./find-target.ts";
import { parseLocations, renderLocations } from "./locations.ts";

/** Where a symbol is defined. */
export const createDefinitionTool: ToolMaker = defineOperation({
  operation: "definition",
  summary: (language) => `Where a ${language} symbol is defined`,
  description: "Finds where a symbol is defined.",
  schema: z.strictObject(TargetShape),
  traits: READ_TRAITS,
  async execute(args, opened) {
    const { server, file, lines, ask } = opened;
    const position = lines.toServer(await findTarget(opened, args), server.encoding);
    const found = parseLocations(await ask("textDocument/definition", { textDocument: { uri: server.uriOf(file.path) }, position }));
    return found.length === 0 ? { text: "No definition was found." } : renderLocations(found, opened);
  },
});
