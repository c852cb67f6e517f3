import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHANNELS } from "../compose/extensions.ts";
import { readBuiltInManifest } from "./built-in.ts";
import { parseManifest } from "./manifest.ts";

const channel = { type: "channel", id: "pigeon", entry: "./dist/index.mjs", configSchema: "./dist/config.schema.json" };
const packageOf = (factotum: unknown): object => ({ name: "pigeon-post", version: "1.2.3", factotum });
const EXTENSIONS = join(import.meta.dirname, "../../../../extensions");

test("reads a channel with its permissions", () => {
  const permissions = ["network:api.example.com", "network:127.0.0.1:80", "fs:workspace", "exec", "secrets:PIGEON_KEY"];
  expect(parseManifest(packageOf({ api: 1, provides: [channel], permissions }))).toEqual({
    type: "manifest",
    manifest: { name: "pigeon-post", version: "1.2.3", api: 1, provides: [channel], permissions },
    unsupported: [],
  });
});

const withIds = (people: object): object => ({
  api: 1,
  provides: [{ ...channel, ids: { people: { pattern: "\\d+", form: "a number", ...people } } }],
});

test("reads the forms of a channel's ids", () => {
  const field = withIds({});
  expect(parseManifest(packageOf(field))).toMatchObject({ type: "manifest", manifest: field });
});

test.each([
  [{ pattern: "(" }, "pattern: a regular expression is expected"],
  [{ pattern: "a)|(b" }, "pattern: a regular expression is expected"],
  [{ pattern: "(a+)+" }, "pattern: an expression that can take long is not allowed"],
  [{ pattern: "a".repeat(201) }, "pattern: at most 200 characters"],
  [{ form: "a\u001B[2Jb" }, "form: a text of one line is expected"],
  [{ from: "x" }, "ids.people: Unrecognized key"],
])("ids with %j are refused", (people, problem) => {
  const reading = parseManifest(packageOf(withIds(people)));
  expect(reading).toMatchObject({ type: "invalid", problems: [expect.stringContaining(problem) as string] });
});

test.each(["Letters by pigeons. You need a dovecote.", "信鸽送信。", "क्षत्रिय ཀྵྲཱི ☎️"])("reads what a channel is: %s", (about) => {
  const field = { api: 1, provides: [{ ...channel, about }] };
  expect(parseManifest(packageOf(field))).toMatchObject({ type: "manifest", manifest: field });
});

test.each([
  ["a".repeat(201), "about: at most 200 characters are allowed"],
  ["two\nlines", "about: a text of one line is expected"],
  ["", "about: a text of one line is expected"],
  ["  ", "about: a text of one line is expected"],
  ["two\u2028lines", "about: a text of one line is expected"],
  ["two\u2029lines", "about: a text of one line is expected"],
  ["\u3164\u2800\uFE0F", "about: a text of one line is expected"],
  [`a${"\u0301".repeat(190)}`, "about: a text of one line is expected"],
])("%j does not say what a channel is", (about, problem) => {
  const reading = parseManifest(packageOf({ api: 1, provides: [{ ...channel, about }] }));
  expect(reading).toMatchObject({ type: "invalid", problems: [expect.stringContaining(problem) as string] });
});

test("a package without the field is no extension", () => {
  expect(parseManifest({ name: "left-pad", version: "1.0.0" })).toEqual({ type: "absent" });
  expect(parseManifest("text")).toEqual({ type: "absent" });
});

test.each([
  [{ provides: [channel] }, "factotum.api: a whole number is expected, the version of the extension contract"],
  [{ api: 1 }, "factotum.provides: a list is expected"],
  [{ api: 1, provides: [] }, "factotum.provides: the list is empty"],
  [{ api: 1, provides: ["pigeon"] }, "factotum.provides[0]: an object is expected"],
  [{ api: 1, provides: [{ ...channel, id: "Pigeon" }] }, "factotum.provides[0].id: lower-case letters and digits are expected"],
  [{ api: 1, provides: [{ ...channel, id: "defaults" }] }, "factotum.provides[0].id: this name is a key of the configuration"],
  [{ api: 1, provides: [{ ...channel, entry: "/etc/passwd" }] }, "factotum.provides[0].entry: a path inside the package is expected"],
  [{ api: 1, provides: [{ ...channel, entry: "./../other/index.mjs" }] }, "factotum.provides[0].entry: the path leaves the package"],
  [{ api: 1, provides: [{ ...channel, configSchema: undefined }] }, "factotum.provides[0].configSchema: a path is expected"],
  [{ api: 1, provides: [{ type: "skills", path: "/etc" }] }, "factotum.provides[0].path: a path inside the package is expected"],
  [{ api: 1, provides: [channel], permissions: ["network"] }, 'factotum.permissions[0]: one of "network:<host>"'],
  [{ api: 2, provides: "new form" }, "it was built for version 2 of the extension contract, and this factotum supports 1: update factotum"],
  [{ api: 0, provides: [channel] }, "supports 1: a newer version of the package is needed"],
  [
    { api: 1, provides: [{ type: "teleport" }] },
    'this version has no extensions of the type "teleport"; it has: channel, tools, hooks, models, memory, commands, routes, skills, prompts, mcp, lsp',
  ],
])("%j is refused", (field, problem) => {
  const reading = parseManifest(packageOf(field));
  expect(reading).toMatchObject({ type: "invalid", problems: [expect.stringContaining(problem) as string] });
});

test.each([
  [{ name: "../../x/evil" }, {}],
  [{ name: "pigeon\u001B[31m" }, {}],
  [{ version: "1.0.0\u202E" }, {}],
  [{}, { permissions: ["network:a\u001B[2Jb"] }],
  [{}, { permissions: ["network:a\u202Eb"] }],
  [{}, { provides: [{ ...channel, id: "pigeon\u001B[2J" }] }],
  [{}, { provides: [{ type: "tele\u001B[2Jport" }] }],
])("%j with %j is refused, and its text is not repeated", (identity, field) => {
  const reading = parseManifest({ ...packageOf({ api: 1, provides: [channel], ...field }), ...identity });
  expect(reading).toMatchObject({ type: "invalid" });
  expect("problems" in reading ? reading.problems.join() : "").not.toMatch(/[\p{Cc}\p{Cf}]|evil/u);
});

test("what it provides in other types leaves the channel usable", () => {
  expect(parseManifest(packageOf({ api: 1, provides: [channel, { type: "teleport", id: "beam" }] }))).toMatchObject({
    type: "manifest",
    manifest: { provides: [channel] },
    unsupported: [
      'factotum.provides[1]: this version has no extensions of the type "teleport"; it has: channel, tools, hooks, models, memory, commands, routes, skills, prompts, mcp, lsp',
    ],
  });
});

test("names the channels of a package that cannot be used", () => {
  expect(parseManifest(packageOf({ api: 9, provides: [channel, { type: "channel" }] }))).toMatchObject({ channelIds: ["pigeon"] });
});

test.each(readdirSync(EXTENSIONS))("the extension %s of the repository has a valid manifest", (name) => {
  const reading = parseManifest(JSON.parse(readFileSync(join(EXTENSIONS, name, "package.json"), "utf8")));
  expect(reading).toMatchObject({ type: "manifest", unsupported: [], manifest: { provides: [{ type: "channel", id: name }] } });
});

test.each(CHANNELS.map(({ id }) => id))("the built-in channel %s has its manifest", async (id) => {
  expect(await readBuiltInManifest(id)).toMatchObject({ name: `@factotum/${id}`, provides: [{ type: "channel", id }] });
});
