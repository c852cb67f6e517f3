import { z } from "zod";
import { isObject } from "../is-object.ts";
import { defineOperation, READ_TRAITS, type Answer, type ToolMaker } from "./define-tool.ts";
import { kindName, type FileSymbol } from "./document-symbols.ts";
import { symbolsOf } from "./find-target.ts";
import { parseLocations, renderLocations } from "./locations.ts";
import type { OpenedFile } from "./open-target.ts";

const MAX_SYMBOLS = 300;
const NO_SYMBOLS = { text: "There are no symbols." };

/** The symbols of a file, or those of the project by a part of their names. */
export const createSymbolsTool: ToolMaker = defineOperation({
  operation: "symbols",
  summary: (language) => `Symbols of a ${language} file or project`,
  description: "Lists the symbols of a file with their lines, or with query the symbols of the project that match it.",
  schema: z.strictObject({ path: z.string().optional(), query: z.string().min(1).optional() }),
  traits: READ_TRAITS,
  async execute({ path, query }, opened) {
    const { operations } = opened.server;
    if (query !== undefined) {
      if (!operations.includes("workspace-symbols"))
        return { text: "This language server does not search projects. Give a path, or use grep.", isError: true };
      return searchProject(query, opened);
    }
    if (path === undefined) return { text: "Give a path or a query.", isError: true };
    if (!operations.includes("symbols")) return { text: "This language server does not list the symbols of a file.", isError: true };
    return renderSymbols(await symbolsOf(opened), opened);
  },
});

function renderSymbols(symbols: readonly FileSymbol[], { file }: OpenedFile): Answer {
  if (symbols.length === 0) return NO_SYMBOLS;
  const lines = symbols.slice(0, MAX_SYMBOLS).map(({ kind, path, firstLine, lastLine }) => {
    const where = lastLine > firstLine ? `${firstLine + 1}-${lastLine + 1}` : `${firstLine + 1}`;
    return `${"  ".repeat(path.length - 1)}${kind} ${path.at(-1) ?? ""}: ${where}`;
  });
  const left = symbols.length - lines.length;
  return { text: [...lines, ...(left > 0 ? [`[${left} more are left out.]`] : [])].join("\n"), untrusted: file.untrusted };
}

async function searchProject(query: string, opened: OpenedFile): Promise<Answer> {
  const answer = await opened.ask("workspace/symbol", { query });
  const found = (Array.isArray(answer) ? (answer as readonly unknown[]) : []).filter(isObject).slice(0, MAX_SYMBOLS);
  const parts = await Promise.all(
    found.map(async ({ name, kind, location }) => {
      const { text, untrusted } = await renderLocations(parseLocations(location), opened);
      return { text: `${kindName(kind)} ${String(name)}: ${text}`, untrusted: untrusted === true };
    }),
  );
  if (parts.length === 0) return NO_SYMBOLS;
  return { text: parts.map(({ text }) => text).join("\n"), untrusted: parts.some(({ untrusted }) => untrusted) };
}
