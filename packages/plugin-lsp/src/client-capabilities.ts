import type { ClientCapabilities } from "vscode-languageserver-protocol";

/** What the client can do. Nothing that it does not do is announced: servers then wait for nothing. */
export const CLIENT_CAPABILITIES: ClientCapabilities = {
  general: { positionEncodings: ["utf-16", "utf-8"] },
  workspace: {
    applyEdit: false,
    workspaceEdit: { documentChanges: true, resourceOperations: [] },
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: { dynamicRegistration: true },
    symbol: {},
    diagnostics: { refreshSupport: true },
  },
  textDocument: {
    synchronization: { didSave: true },
    hover: { contentFormat: ["markdown", "plaintext"] },
    definition: { linkSupport: true },
    references: {},
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    rename: { prepareSupport: false },
    publishDiagnostics: { versionSupport: true },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
  },
  window: { workDoneProgress: true },
};
