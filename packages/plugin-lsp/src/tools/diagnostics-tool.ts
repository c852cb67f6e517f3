import { z } from "zod";
import { renderDiagnostics } from "../render-diagnostics.ts";
import { defineOperation, READ_TRAITS, type ToolMaker } from "./define-tool.ts";

const WAIT_MS = 15_000;
const MAX_SHOWN = 50;
const ERROR = 1;
const WARNING = 2;

/** The errors and warnings of a file. */
export const createDiagnosticsTool: ToolMaker = defineOperation({
  operation: "diagnostics",
  summary: (language) => `Errors and warnings of a ${language} file`,
  description: "Lists the errors and warnings of a file as it is now.",
  schema: z.strictObject({ path: z.string() }),
  traits: READ_TRAITS,
  async execute(_args, { server, file, lines }, { signal }) {
    const items = await server.diagnose(file.path, { timeoutMs: WAIT_MS, signal });
    if (items === undefined)
      return { text: `The language server did not say within ${WAIT_MS / 1_000} s what it finds in ${file.shown}.`, isError: true };
    const grave = items.filter(({ severity = ERROR }) => severity <= WARNING);
    if (grave.length === 0) return { text: `${file.shown} has no errors or warnings.` };
    const sorted = grave.toSorted((one, other) => (one.severity ?? ERROR) - (other.severity ?? ERROR));
    return { text: renderDiagnostics(sorted, { lines, encoding: server.encoding, max: MAX_SHOWN }), untrusted: file.untrusted };
  },
});
