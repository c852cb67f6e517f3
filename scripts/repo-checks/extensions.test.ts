import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readModules } from "../source/module-graph.ts";
import { parseModule } from "../source/parse-module.ts";
import { trackedFiles } from "../source/tracked-files.ts";
import { ROOT, workspaceFolders } from "../workspace.ts";

const extensions = workspaceFolders().filter((folder) => folder.startsWith("extensions/"));
const modules = readModules("extensions");

/** Files of every extension, regardless of its platform. */
const SKELETON = [
  "package.json",
  "README.md",
  "AGENTS.md",
  "tsconfig.json",
  "tsconfig.test.json",
  "tsdown.config.ts",
  ...["index", "extension", "channel", "config", "errors", "capabilities", "conformance.test"].map((name) => `src/${name}.ts`),
];

test("there is at least one extension", () => {
  expect(extensions).toEqual(expect.arrayContaining(["extensions/feishu", "extensions/slack", "extensions/webchat"]));
});

describe.each(extensions)("%s", (folder) => {
  const platform = folder.slice("extensions/".length);
  const pascal = platform.replace(/(^|-)(.)/g, (match, dash, letter: string) => letter.toUpperCase());
  const camel = pascal.charAt(0).toLowerCase() + pascal.slice(1);
  const files = trackedFiles(folder).map((file) => file.slice(folder.length + 1));

  test("has the files that every extension has", () => {
    expect(files).toEqual(expect.arrayContaining(SKELETON));
    expect(
      files.some((file) => /^src\/inbound\/(parse|accept)-[\w-]+\.ts$/.test(file)),
      "src/inbound/parse-*.ts",
    ).toBe(true);
    expect(
      files.some((file) => /^src\/outbound\/render-[\w-]+\.ts$/.test(file)),
      "src/outbound/render-*.ts",
    ).toBe(true);
    expect(
      files.some((file) => file.startsWith("test/")),
      "test/: the fake platform",
    ).toBe(true);
  });

  test("has a manifest that names the files of its build", () => {
    const { factotum } = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as { factotum: object };
    const channel = { type: "channel", id: platform, entry: "./dist/index.mjs", configSchema: "./dist/config.schema.json" };
    expect(factotum).toMatchObject({ api: 1, provides: [channel] });
    expect(readFileSync(join(ROOT, folder, "tsdown.config.ts"), "utf8")).toContain("defineExtension()");
  });

  test("exports its channel, its schema and its extension, and no default", () => {
    const names = modules.find(({ file }) => file === `${folder}/src/index.ts`)?.exports.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([`create${pascal}Channel`, `${pascal}ConfigSchema`, `${pascal}Config`, `${camel}Extension`]),
    );
  });

  test("runs the conformance suite, and skips nothing", () => {
    const file = join(ROOT, folder, "src/conformance.test.ts");
    expect(existsSync(file), file).toBe(true);
    const { imports, identifiers } = parseModule(file, readFileSync(file, "utf8"));
    expect(imports).toContain("@factotum/channel-conformance");
    const names = identifiers.map(({ text }) => text);
    expect(names.filter((name) => name === "channelConformance").length).toBeGreaterThanOrEqual(2);
    expect(names).not.toEqual(expect.arrayContaining(["skip"]));
    expect(names).not.toEqual(expect.arrayContaining(["only"]));
  });

  test("wires in channel.ts and decides elsewhere", () => {
    const source = readFileSync(join(ROOT, folder, "src/channel.ts"), "utf8");
    const code = source.split("\n").filter((line) => !/^\s*(\/\/|\/?\*|$)/.test(line));
    expect(code.length).toBeLessThanOrEqual(200);
  });
});
