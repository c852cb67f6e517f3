import { appendFileSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * A language server for files with lines such as `def name`, `  def method` inside of it, `use name`, and `BAD word`, which is an error. It speaks the protocol by
 * itself. `MODES` says how it behaves, and `CALLS` is the file in which it notes what it was asked.
 */
const modes = new Set((process.env["MODES"] ?? "").split(","));
const calls = process.env["CALLS"] ?? "/dev/null";
const utf8 = modes.has("utf-8");
const documents = new Map<string, { readonly text: string; readonly version: number }>();
const answers = new Map<string, (result: unknown) => void>();
let root = "";
let nextId = 1;

interface Incoming {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, never> & {
    readonly textDocument?: { readonly uri: string; readonly version: number; readonly text: string };
  };
  readonly result?: unknown;
  readonly error?: unknown;
}

function send(message: object): void {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

async function ask(method: string, params?: object): Promise<unknown> {
  const id = `s${nextId}`;
  nextId += 1;
  send({ id, method, params });
  return new Promise((resolve) => void answers.set(id, resolve));
}

const note = (text: string): void => appendFileSync(calls, `${text}\n`);
const textOf = (uri: string): string => documents.get(uri)?.text ?? readFileSync(fileURLToPath(uri), "utf8");
const column = (line: string, index: number): number => (utf8 ? Buffer.byteLength(line.slice(0, index)) : index);

interface Found {
  readonly uri: string;
  readonly range: object;
  readonly line: number;
}

function occurrences(uri: string, word: string): Found[] {
  return textOf(uri)
    .split(/\r\n|\n|\r/)
    .flatMap((text, line) =>
      [...text.matchAll(/[\p{L}\p{N}_]+/gu)]
        .filter(([found]) => found === word)
        .map(({ index }) => ({
          uri,
          line,
          range: { start: { line, character: column(text, index) }, end: { line, character: column(text, index + word.length) } },
        })),
    );
}

function wordAt(uri: string, { line, character }: { readonly line: number; readonly character: number }): string {
  const text = textOf(uri).split(/\r\n|\n|\r/)[line] ?? "";
  return (
    [...text.matchAll(/[\p{L}\p{N}_]+/gu)].find(
      ({ 0: word, index }) => column(text, index) <= character && character <= column(text, index + word.length),
    )?.[0] ?? ""
  );
}

function everywhere(word: string): Found[] {
  const names = readdirSync(root).filter((name) => name.endsWith(".fake"));
  return names.flatMap((name) => occurrences(pathToFileURL(join(root, name)).href, word));
}

function errorsOf(uri: string): object[] {
  return textOf(uri)
    .split(/\r\n|\n|\r/)
    .flatMap((text, line) => {
      const at = text.indexOf("BAD");
      const severity = text.includes("BADLY") ? 2 : 1;
      return at === -1
        ? []
        : [
            {
              severity,
              code: 7,
              message: `bad: ${text.slice(at)}`,
              range: { start: { line, character: column(text, at) }, end: { line, character: column(text, text.length) } },
            },
          ];
    });
}

function symbolsOf(uri: string): object[] {
  const top: { name: string; children: object[] }[] = [];
  for (const [line, text] of textOf(uri)
    .split(/\r\n|\n|\r/)
    .entries()) {
    const [, indent, name] = /^( *)def (\S+)/.exec(text) ?? [];
    if (indent === undefined || name === undefined) continue;
    const at = column(text, text.indexOf(name));
    const range = { start: { line, character: at }, end: { line, character: at + 1 } };
    const symbol = { name, kind: indent === "" ? 5 : 6, range, selectionRange: range, children: [] };
    (indent === "" ? top : (top.at(-1)?.children ?? top)).push(symbol);
  }
  return top;
}

function push(uri: string): void {
  if (modes.has("pull") || modes.has("silent")) return;
  const document = documents.get(uri);
  if (document === undefined) return;
  const { version } = document;
  const items = errorsOf(uri);
  const out = (): void =>
    send({
      method: "textDocument/publishDiagnostics",
      params: { uri, ...(modes.has("unversioned") ? {} : { version }), diagnostics: items },
    });
  if (modes.has("late")) setTimeout(out, 300);
  else out();
}

const REQUESTS: Record<string, (params: never) => unknown> = {
  initialize: (params: { readonly rootUri: string; readonly initializationOptions?: unknown }) => {
    root = fileURLToPath(params.rootUri);
    note(`options ${JSON.stringify(params.initializationOptions ?? null)}`);
    return {
      capabilities: {
        ...(utf8 ? { positionEncoding: "utf-8" } : {}),
        textDocumentSync: { openClose: true, change: 1, save: true },
        definitionProvider: true,
        ...(modes.has("little")
          ? {}
          : {
              hoverProvider: true,
              referencesProvider: {},
              documentSymbolProvider: true,
              workspaceSymbolProvider: true,
              renameProvider: true,
            }),
        ...(modes.has("pull") ? { diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false } } : {}),
      },
    };
  },
  shutdown: () => null,
  "textDocument/hover": ({ textDocument: { uri }, position }: never) => {
    if (modes.has("die-in-call")) process.exit(3);
    return { contents: { kind: "markdown", value: `word ${wordAt(uri, position)}` } };
  },
  "textDocument/definition": ({ textDocument: { uri }, position }: never) => {
    const word = wordAt(uri, position);
    if (modes.has("elsewhere"))
      return ["untitled:\u001B[31mIGNORE", "http://127.0.0.1/x", "no address"].map((place) => ({
        uri: place,
        range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
      }));
    return everywhere(word).filter(
      (found) =>
        textOf(found.uri)
          .split(/\r\n|\n|\r/)
          [found.line]?.includes(`def ${word}`) === true,
    );
  },
  "textDocument/references": ({ textDocument: { uri }, position }: never) => everywhere(wordAt(uri, position)),
  "textDocument/documentSymbol": ({ textDocument: { uri } }: never) => symbolsOf(uri),
  "workspace/symbol": ({ query }: { readonly query: string }) =>
    everywhere(query).map(({ uri, range }) => ({ name: query, kind: 12, location: { uri, range } })),
  "textDocument/diagnostic": ({ textDocument: { uri } }: never) => ({ kind: "full", items: errorsOf(uri) }),
  "textDocument/rename": ({ textDocument: { uri }, position, newName }: never) => {
    const found = everywhere(wordAt(uri, position));
    const changes: Record<string, object[]> = {};
    for (const one of found) (changes[one.uri] ??= []).push({ range: one.range, newText: newName });
    if (modes.has("rename-outside"))
      changes["file:///etc/hostname"] = [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }, newText: "x" }];
    if (modes.has("rename-more"))
      for (const list of Object.values(changes))
        for (const one of list) Object.assign(one, { newText: `${String(newName)}; run("anything else");` });
    if (modes.has("rename-nothing"))
      changes[uri] = [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, newText: "run()\n" }];
    if (modes.has("rename-file")) return { documentChanges: [{ kind: "rename", oldUri: uri, newUri: String(uri) }] };
    if (modes.has("rename-stale"))
      for (const list of Object.values(changes))
        list.push({ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 2 } }, newText: "x" });
    return { changes };
  },
};

async function askEverything(): Promise<void> {
  const refreshes = ["semanticTokens", "codeLens", "inlayHint", "diagnostic"].map((what) => `workspace/${what}/refresh`);
  const requests: [string, object?][] = [
    ...refreshes.map((method): [string] => [method]),
    ["workspace/configuration", { items: [{ section: "fake.deep" }, { section: "other" }, {}] }],
    ["workspace/configuration", { items: Array.from({ length: 10_000 }, () => ({ section: "other" })) }],
    ["client/registerCapability", { registrations: [{ id: "w", method: "workspace/didChangeWatchedFiles" }] }],
    ["client/unregisterCapability", { unregisterations: [{ id: "w", method: "workspace/didChangeWatchedFiles" }] }],
    ["workspace/workspaceFolders"],
    ["window/workDoneProgress/create", { token: 1 }],
    ["window/showMessageRequest", { type: 1, message: "what?", actions: [] }],
    ["window/showDocument", { uri: "https://example.com" }],
    ["workspace/applyEdit", { edit: { changes: {} } }],
    ["fake/unknown", {}],
  ];
  for (const [method, params] of requests) note(`answer ${method} ${JSON.stringify(await ask(method, params))}`);
  note("asked everything");
}

function change(message: Incoming): void {
  const { method, params } = message;
  const uri = params?.textDocument?.uri ?? "";
  switch (method ?? "") {
    case "initialized":
      if (modes.has("asks")) void askEverything();
      if (modes.has("grows")) void ask("client/registerCapability", { registrations: [{ id: "h", method: "textDocument/hover" }] });
      return;
    case "textDocument/didOpen":
    case "textDocument/didChange": {
      const [first] = (params?.["contentChanges"] ?? []) as readonly { readonly text: string }[];
      documents.set(uri, { text: first?.text ?? params?.textDocument?.text ?? "", version: params?.textDocument?.version ?? 0 });
      push(uri);
      return;
    }
    case "textDocument/didClose":
      documents.delete(uri);
      return;
    case "exit":
      if (!modes.has("stays")) process.exit(0);
  }
}

function handle(message: Incoming): void {
  const { id, method, params } = message;
  if (method === undefined) {
    answers.get(String(id))?.(message.error ?? message.result);
    return;
  }
  note(method);
  if (id === undefined) return change(message);
  if (modes.has("die-at-start")) {
    process.stderr.write("there is no license\n");
    process.exit(1);
  }
  if (modes.has("hang") && method !== "initialize") return;
  if (modes.has("hang-at-start")) return;
  if (modes.has("garbage")) process.stdout.write("x".repeat(10_000_000));
  if (modes.has("flood") && method !== "initialize" && method !== "shutdown") {
    const text = "x".repeat(1_000_000);
    for (let index = 0; index < 20; index += 1) {
      send({ method: "window/logMessage", params: { type: 4, message: text } });
      if (modes.has("answers")) send({ id: 987_654 + index, result: null });
    }
  }
  if (modes.has("large")) send({ method: "window/logMessage", params: { type: 4, message: "x".repeat(10_000_000) } });
  if (modes.has("wrong-ids")) {
    send({ id: 987_654, result: null });
    send({ id: "nothing", error: { code: 1, message: "no" } });
    send({ id: null, result: {} });
  }
  const answer = REQUESTS[method];
  if (answer === undefined) send({ id, error: { code: -32601, message: "unknown" } });
  else send({ id, result: answer((params ?? {}) as never) });
}

// Names the process for tests that look for it.
if (existsSync(`${calls}.pids`) || calls !== "/dev/null") appendFileSync(`${calls}.pids`, `${process.pid}\n`);
let held = Buffer.alloc(0);
process.stdin.on("data", (chunk: Buffer) => {
  held = Buffer.concat([held, chunk]);
  for (;;) {
    const end = held.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(held.subarray(0, Math.max(end, 0)).toString())?.[1] ?? Number.NaN);
    if (end === -1 || held.length < end + 4 + length) return;
    const text = held.subarray(end + 4, end + 4 + length).toString();
    held = held.subarray(end + 4 + length);
    handle(JSON.parse(text) as Incoming);
  }
});
process.stdin.on("end", () => {
  if (!modes.has("stays")) process.exit(0);
});
