import type { ServerCapabilities } from "vscode-languageserver-protocol";

/** What a server may be able to do. `workspace-symbols` is a part of the tool for symbols. */
export const OPERATIONS = ["hover", "definition", "references", "symbols", "workspace-symbols", "diagnostics", "rename"] as const;

export type Operation = (typeof OPERATIONS)[number];

const PROVIDERS: Readonly<Record<Exclude<Operation, "diagnostics">, { readonly key: keyof ServerCapabilities; readonly method: string }>> =
  {
    hover: { key: "hoverProvider", method: "textDocument/hover" },
    definition: { key: "definitionProvider", method: "textDocument/definition" },
    references: { key: "referencesProvider", method: "textDocument/references" },
    symbols: { key: "documentSymbolProvider", method: "textDocument/documentSymbol" },
    "workspace-symbols": { key: "workspaceSymbolProvider", method: "workspace/symbol" },
    rename: { key: "renameProvider", method: "textDocument/rename" },
  };

/** The operations of a server, in the order of `OPERATIONS`. Any server that takes texts may push diagnostics. */
export function operationsOf(capabilities: ServerCapabilities, registered: ReadonlySet<string>): readonly Operation[] {
  const sync = capabilities.textDocumentSync;
  const takesTexts = (typeof sync === "object" ? sync.openClose : sync) !== undefined && sync !== 0;
  return OPERATIONS.filter((operation) => {
    if (operation === "diagnostics")
      return takesTexts || capabilities.diagnosticProvider !== undefined || registered.has("textDocument/diagnostic");
    const { key, method } = PROVIDERS[operation];
    const value = capabilities[key];
    return (value !== undefined && value !== false && value !== null) || registered.has(method);
  });
}
