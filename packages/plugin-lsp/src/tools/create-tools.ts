import type { AgentTool } from "@factotum/agent-contract";
import type { Operation } from "../operations.ts";
import { createDefinitionTool } from "./definition-tool.ts";
import type { ToolMaker } from "./define-tool.ts";
import { createDiagnosticsTool } from "./diagnostics-tool.ts";
import { createHoverTool } from "./hover-tool.ts";
import { createReferencesTool } from "./references-tool.ts";
import { createRenameTool } from "./rename-tool.ts";
import { createSymbolsTool } from "./symbols-tool.ts";
import type { ToolParts } from "./tool-parts.ts";

/** The tools, a row each, with the operations of a server that each needs one of. */
const TOOLS: readonly { readonly create: ToolMaker; readonly needs: readonly Operation[] }[] = [
  { create: createDefinitionTool, needs: ["definition"] },
  { create: createDiagnosticsTool, needs: ["diagnostics"] },
  { create: createHoverTool, needs: ["hover"] },
  { create: createReferencesTool, needs: ["references"] },
  { create: createRenameTool, needs: ["rename"] },
  { create: createSymbolsTool, needs: ["symbols", "workspace-symbols"] },
];

/** The tools of a server that can do this. */
export function createTools(operations: readonly Operation[], parts: ToolParts): readonly AgentTool[] {
  return TOOLS.filter(({ needs }) => needs.some((one) => operations.includes(one))).map(({ create }) => create(parts));
}
