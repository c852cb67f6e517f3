import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ROOT } from "../workspace.ts";
import { isScaffoldKind, scaffold, ScaffoldError } from "./scaffold.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "factotum-new-"));
  for (const path of ["templates", "tsconfig.json", "scripts/layers.ts"]) cpSync(join(ROOT, path), join(root, path), { recursive: true });
  mkdirSync(join(root, "packages/store"), { recursive: true });
});

afterEach(() => rmSync(root, { recursive: true }));

const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

test("a channel bears its name in every spelling, in files and in paths", () => {
  const { folder, files } = scaffold("channel", "my-chat2", { root });
  expect(folder).toBe("extensions/my-chat2");
  expect(files).toEqual(expect.arrayContaining([`${folder}/test/fake-my-chat2.ts`, `${folder}/src/conformance.test.ts`, "tsconfig.json"]));
  expect(textOf(`${folder}/src/index.ts`)).toContain("export { createMyChat2Channel }");
  expect(textOf(`${folder}/src/extension.ts`)).toContain('myChat2Extension: ChannelExtension<MyChat2Config> = {\n  id: "my-chat2"');
  expect(textOf(`${folder}/src/capabilities.ts`)).toContain("MY_CHAT2_CAPABILITIES");
  expect(textOf(`${folder}/README.md`)).toContain("The My Chat2 channel");
  const all = files.map((file) => textOf(file)).join("\n");
  expect(all).not.toMatch(/sample.?chat/i);
});

test.each(["webhook", "polling", "connection"] as const)("a channel by %s has the files of its transport", (transport) => {
  const { folder, files } = scaffold("channel", "my-chat2", { root, transport });
  expect(textOf(`${folder}/src/transport/inbound.ts`)).toContain(`transport: "${transport}"`);
  expect(files.includes(`${folder}/src/transport/verify-webhook.ts`)).toBe(transport === "webhook");
  expect(textOf(`${folder}/package.json`).includes('"ws"')).toBe(transport === "connection");
  expect(textOf(`${folder}/package.json`)).toContain('"@factotum/channel-kit": "workspace:*"');
});

test.each(["sample-chat", "sample-chat-pro", "pro-sample-chat", "sample", "chat", "channel", "test", "a-1"])(
  "the name %s is written once",
  (name) => {
    const { folder } = scaffold("channel", name, { root });
    const capital = name.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
    expect(textOf(`${folder}/src/index.ts`)).toContain(`export { create${capital}Channel } from "./channel.ts";`);
    expect(textOf(`${folder}/package.json`)).toContain(`"name": "@factotum/${name}",`);
    expect(textOf(`${folder}/src/extension.ts`)).toContain(`  id: "${name}",`);
    expect(existsSync(join(root, `${folder}/test/fake-${name}.ts`))).toBe(true);
  },
);

test("a package has its place in the project graph and in the layers", () => {
  const { folder } = scaffold("package", "clocks", { root });
  const { references } = JSON.parse(textOf("tsconfig.json")) as { references: { path: string }[] };
  const paths = references.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining([`./${folder}`, `./${folder}/tsconfig.test.json`]));
  expect(paths.length).toBe(new Set(paths).size);
  expect(textOf("scripts/layers.ts")).toMatch(/\/\/ L2[^\n]*\n {2}\{\n {4}clocks: \["agent-contract"\],\n/);
});

test.each([
  "",
  "My-Chat",
  "my_chat",
  "-chat",
  "chat-",
  "my--chat",
  "../chat",
  "2chat",
  "a".repeat(41),
  "testing-chat",
  "defaults",
  "message",
])("%j is refused, and nothing is written", (name) => {
  expect(() => scaffold("channel", name, { root })).toThrow(ScaffoldError);
  expect(existsSync(join(root, "extensions"))).toBe(false);
});

test("nothing is overwritten, in any group", () => {
  const before = textOf("tsconfig.json");
  expect(() => scaffold("package", "store", { root })).toThrow("packages/store exists already");
  expect(() => scaffold("channel", "store", { root })).toThrow("packages/store exists already");
  expect(readdirSync(join(root, "packages/store"))).toEqual([]);
  expect(textOf("tsconfig.json")).toBe(before);
});

test("every kind has a template, and every template is a kind", () => {
  expect(["channel", "package", "toString", undefined].filter(isScaffoldKind)).toEqual(["channel", "package"]);
});
