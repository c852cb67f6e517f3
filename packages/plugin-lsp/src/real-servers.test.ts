import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { callTool, LIMITS, openScene, textOf } from "../test/scene.ts";
import { withKnownDefaults } from "./known-servers.ts";
import type { ServerSettings } from "./server-settings.ts";

/** A program of an installed package, started by this Node. */
function program(manifest: string, file: string, ...args: readonly string[]): ServerSettings["programs"] {
  return [{ command: process.execPath, args: [fileURLToPath(new URL(file, manifest)), ...args] }];
}

const STDIO = "--stdio";
const NATIVE = program(import.meta.resolve("typescript/package.json"), "bin/tsc", "--lsp", STDIO);

/** Each with a file that is right, the same with an error, and what the error says. The emoji and CRLF stand before what is asked for. */
const SERVERS: readonly {
  readonly name: string;
  readonly programs: ServerSettings["programs"];
  readonly languages: readonly string[];
  readonly file: string;
  readonly right: string;
  /** Absent if the server finds no errors by itself. */
  readonly wrong?: { readonly text: string; readonly told: RegExp };
  /** A symbol with where it is defined; absent if the server has no definitions. */
  readonly symbol?: readonly [string, string];
  readonly settings?: ServerSettings["settings"];
}[] = [
  {
    name: "tsc --lsp",
    programs: NATIVE,
    languages: ["typescript"],
    file: "a.ts",
    right: '/* 😀 */ export class Shape {\r\n  area(): number {\r\n    return 1;\r\n  }\r\n}\r\nconst s = "😀"; new Shape().area();\r\n',
    wrong: {
      text: '/* 😀 */ export class Shape {\r\n  area(): number {\r\n    return 1;\r\n  }\r\n}\r\nconst s: number = "😀"; new Shape().area();\r\n',
      told: /6:7 error: Type 'string' is not assignable to type 'number'. \[2322\]/,
    },
    symbol: ["Shape/area", "a.ts:2:3: area(): number {"],
  },
  {
    name: "pyright",
    programs: program(import.meta.resolve("pyright/package.json"), "langserver.index.js", STDIO),
    languages: ["python"],
    file: "a.py",
    right: 'class Shape:\r\n    def area(self) -> int:\r\n        return 1\r\n\r\ns = "😀"; Shape().area()\r\n',
    wrong: {
      text: 'class Shape:\r\n    def area(self) -> int:\r\n        return 1\r\n\r\ns: int = "😀"; Shape().area()\r\n',
      told: /5:10 error: .* is not assignable to declared type "int"/,
    },
    symbol: ["Shape/area", "a.py:2:9: def area(self) -> int:"],
  },
  {
    name: "bash",
    programs: program(import.meta.resolve("bash-language-server/package.json"), "out/cli.js", "start"),
    languages: ["shellscript"],
    file: "a.sh",
    right: "echo 😀\ngreet() {\n  echo hello\n}\ngreet\n",
    symbol: ["greet", "a.sh:2:1: greet() {"],
    settings: { bashIde: { shellcheckPath: "" } },
  },
  {
    name: "yaml",
    programs: program(import.meta.resolve("yaml-language-server/package.json"), "bin/yaml-language-server", STDIO),
    languages: ["yaml"],
    file: "a.yaml",
    right: "text: 😀\r\nother: 1\r\n",
    wrong: { text: "text: 😀\r\nother: [1\r\n", told: /3:1 error: |2:\d+ error: / },
    settings: { yaml: { validate: true, schemaStore: { enable: false } } },
  },
  {
    name: "json",
    programs: program(import.meta.resolve("vscode-langservers-extracted/package.json"), "bin/vscode-json-language-server", STDIO),
    languages: ["json"],
    file: "a.json",
    right: '{\r\n  "text": "😀",\r\n  "other": 1\r\n}\r\n',
    wrong: { text: '{\r\n  "text": "😀"\r\n  "other": 1\r\n}\r\n', told: /3:3 error: Expected comma/ },
  },
];

describe.each(SERVERS)("$name", { timeout: 60_000 }, ({ programs, languages, file, right, wrong, symbol, settings = {} }) => {
  test("finds symbols, and the errors that a change introduces", async () => {
    await using scene = await openScene();
    await scene.write(file, right);
    const one: ServerSettings = { ...scene.fake(), programs, env: {}, languages, extensions: {}, rootMarkers: [], settings };
    const source = await scene.source(one, LIMITS);
    expect([source.problem, source.tools.length > 0]).toEqual([undefined, true]);
    const call = async (operation: string, given: object): Promise<string> =>
      textOf(await callTool(source, `lsp_${operation}_${languages[0] ?? ""}`, { path: file, ...given }, scene));
    expect(await call("diagnostics", {})).toBe(`${file} has no errors or warnings.`);
    if (symbol !== undefined) expect(await call("definition", { symbol: symbol[0] })).toBe(symbol[1]);
    expect(await call("symbols", {})).toMatch(/Shape|greet|other/);
    expect(await call("hover", { line: 2, column: 5 })).not.toContain("did not answer");
    if (wrong !== undefined) {
      expect(await scene.change(file, wrong.text)).toMatch(wrong.told);
      expect(await scene.change(file, right)).toBeUndefined();
    }
    await scene.servers.close();
    expect(scene.runner.groups.size).toBe(0);
  });
});

test("tsc --lsp renames what is imported, not only the name of the import", { timeout: 60_000 }, async () => {
  await using scene = await openScene();
  await scene.write("tsconfig.json", "{}");
  await scene.write("shape.ts", "export class Shape {}\r\n");
  await scene.write("use.ts", 'import { Shape } from "./shape";\nexport const all = ["😀", new Shape()];\n');
  const settings = withKnownDefaults({ ...scene.fake(), programs: NATIVE, env: {}, languages: ["typescript"], extensions: {} });
  const source = await scene.source(settings);
  const given = { path: "use.ts", symbol: "Shape", newName: "Form" };
  expect(textOf(await callTool(source, "lsp_rename_typescript", given, scene))).toBe("Renamed Shape to Form in shape.ts, use.ts");
  expect(await scene.read("shape.ts")).toBe("export class Form {}\r\n");
  expect(await scene.read("use.ts")).toBe('import { Form } from "./shape";\nexport const all = ["😀", new Form()];\n');
});

test("tsc --lsp has npm fetch no types, also with settings of the owner's", { timeout: 60_000 }, async () => {
  await using scene = await openScene();
  const [bin, asked] = [join(scene.folder, "bin"), join(scene.folder, "asked")];
  await mkdir(bin);
  await writeFile(join(bin, "npm"), `#!/bin/sh\necho "$@" >>'${asked}'\n`, { mode: 0o755 });
  await scene.write("package.json", '{ "dependencies": { "lodash": "*" } }');
  await scene.write("a.js", 'require("lodash");\n');
  const source = await scene.source(
    withKnownDefaults({
      ...scene.fake(),
      programs: NATIVE,
      env: { PATH: `${bin}:${process.env["PATH"] ?? ""}` },
      languages: ["typescript"],
      extensions: { ".js": "javascript" },
      settings: { typescript: { preferences: {} }, "js/ts": { tsserver: {} } },
    }),
  );
  for (let round = 0; round < 3; round += 1) await callTool(source, "lsp_hover_typescript", { path: "a.js", line: 1, column: 2 }, scene);
  await scene.servers.close();
  expect(existsSync(asked)).toBe(false);
});
