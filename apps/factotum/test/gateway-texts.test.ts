import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { accountJsonSchema, describedForms, loadChannelSchemas } from "@factotum/config";
import { expect, test } from "vitest";
import { configOptions } from "../src/compose/extensions.ts";
import { listFiles, readDocument } from "./documents.ts";
import { INSTALLABLE_SCHEMAS } from "./installable-channels.ts";

const FOLDER = "apps/web/src/i18n/gateway-texts";

function catalogue(name: string): Readonly<Record<string, string>> {
  return JSON.parse(readDocument(`${FOLDER}/${name}.zh-CN.json`)) as Readonly<Record<string, string>>;
}

const settings = catalogue("settings");
const things = catalogue("things");

/** Channels that are installed as packages. */
const INSTALLABLE = Object.entries(INSTALLABLE_SCHEMAS).map(([id, schema]) => ({
  id,
  load: () => Promise.resolve(accountJsonSchema(schema)),
}));

/** Keys of a JSON Schema below which there are values, not schemas. */
const VALUES = new Set(["default", "enum", "const", "examples", "required"]);

/** The titles and descriptions of a JSON Schema. `isNamed`: the keys are names of properties. */
function textsOf(schema: unknown, isNamed = false): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap((one) => textsOf(one));
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (isNamed) return textsOf(value);
    if (VALUES.has(key)) return [];
    if (typeof value === "string") return (key === "title" || key === "description") && value !== "" ? [value] : [];
    return textsOf(value, key === "properties");
  });
}

/** The sources of what the gateway says, without tests. */
const sources = listFiles("packages/*/src/*", "apps/factotum/src/*", "extensions/*/src/*")
  .filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !/\/packages\/(?:testing-|channel-conformance|create-)/.test(file),
  )
  .map((file) => ({ file, text: readFileSync(file, "utf8") }));

/** A text of a source as a template: `needs the program ${name}` is `needs the program {0}`. */
function templateOf(literal: string): string {
  let count = 0;
  return literal
    .slice(1, -1)
    .replaceAll("\\n", "\n")
    .replaceAll(/\\(.)/g, "$1")
    .replaceAll(/\$\{(?:[^{}`]|\{[^{}]*\})*\}/g, () => `{${count++}}`);
}

/** The texts that follow `before` in the sources whose path has `place`. */
function literalsAfter(before: string, place: RegExp): readonly string[] {
  const found = new RegExp(String.raw`(?:${before})\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|${"`(?:[^`\\\\]|\\\\.)*`"})`, "gm");
  return sources
    .filter(({ file }) => place.test(file))
    .flatMap(({ text }) => [...text.matchAll(found)].map(([, literal = ""]) => templateOf(literal)));
}

function missingFrom(known: Readonly<Record<string, string>>, wanted: readonly string[]): readonly string[] {
  return [...new Set(wanted)].filter((text) => !Object.hasOwn(known, text));
}

test(`every title and description of a setting is in ${FOLDER}/settings.zh-CN.json, and no other text`, async () => {
  const { channels } = await configOptions({ HOME: "/nonexistent", FACTOTUM_HOME: "/nonexistent" });
  const all = [...channels, ...INSTALLABLE];
  const bundled = listFiles("extensions/*/package.json").map((file) => basename(dirname(file)));
  expect(all.map(({ id }) => id).toSorted()).toEqual(bundled.toSorted());
  const wanted = textsOf(describedForms(await loadChannelSchemas(all)));
  expect(wanted.length).toBeGreaterThan(500);
  expect({ missing: missingFrom(settings, wanted), obsolete: Object.keys(settings).filter((text) => !wanted.includes(text)) }).toEqual({
    missing: [],
    obsolete: [],
  });
});

test("a translated setting has the words of code of its description", () => {
  const codes = (text: string): readonly string[] => [...text.matchAll(/`[^`]+`/g)].map(([code]) => code).toSorted();
  expect(Object.entries(settings).filter(([english, chinese]) => codes(english).join() !== codes(chinese).join())).toEqual([]);
});

const skills = listFiles("packages/skills/bundled/*/SKILL.md").map(
  (file) => /^description: (.+)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? file,
);

/** What manifests of channels say about a part of them. */
const manifestTexts = (key: "about" | "form"): readonly string[] =>
  listFiles("extensions/*/package.json").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(new RegExp(`"${key}": ("(?:[^"\\\\]|\\\\.)*")`, "g"))].map(([, text = '""']) =>
      String(JSON.parse(text)),
    ),
  );

test.each([
  ["descriptions of bundled skills", skills],
  ["forms of ids", manifestTexts("form")],
  ["what a channel is", manifestTexts("about")],
  ["what a skill lacks", literalsAfter(String.raw`unmet\.push\(`, /skills\/src\/eligibility/)],
  ["what the scan of skills finds", literalsAfter('meaning:|unread\\("[a-z-]+",', /skills\/src\/scan/)],
  ["descriptions of commands", literalsAfter("summary:", /gateway\/src\/commands\/(?!prompt-commands)/)],
  [
    "why a tool is not free",
    literalsAfter("reason:|=|return", /sessions\/explain-tools/).filter((text) => / /.test(text) && !text.includes("${")),
  ],
  ["names of rules of tools", literalsAfter("key:", /agents\/policy-layers/).filter((text) => / /.test(text) && !text.includes("??"))],
  // What follows is a sentence of its own.
  [
    "why a call is asked about",
    literalsAfter("return|=", /approvals\/(?:approval-service|command-rule)/).flatMap((text) => /^Rule .*(?<=\.)/.exec(text)?.[0] ?? []),
  ],
  [
    "titles of a prompt's sections",
    literalsAfter("", /agent-core\/src\/prompt\/sections/).flatMap((text) => /^## (.+)$/m.exec(text)?.[1] ?? []),
  ],
  [
    "titles of a request's messages",
    literalsAfter(String.raw`title:|return|\?\?`, /agent-core\/src\/report\/(?:describe-message|split-effective-prompt)\.ts/).filter(
      (text) => /^[A-Z][a-z]+$/.test(text),
    ),
  ],
  ["messages of the log", literalsAfter(String.raw`logger\.(?:info|warn|error)\(`, /./)],
])(`%s are in ${FOLDER}/things.zh-CN.json`, (_what, wanted) => {
  expect(wanted.length).toBeGreaterThan(0);
  expect(missingFrom(things, wanted)).toEqual([]);
});

test("no text of the catalogue is in no source: its words stand there, between its values", () => {
  const all = [
    ...sources.map(({ text }) => text.replaceAll(/\\(["'`])/g, "$1")),
    ...skills,
    ...manifestTexts("form"),
    ...manifestTexts("about"),
  ]
    .join("\n")
    .toLowerCase();
  // A text may be put together, such as "Sender (untrusted)", so its parts are looked for.
  const isSaid = (words: string): boolean => all.includes(words.toLowerCase());
  const partsOf = (text: string): readonly string[] => text.split(/\{\d+\}|[";:,.?()]+ ?| \(/).map((part) => part.trim());
  expect(Object.keys(things).filter((text) => !partsOf(text).every(isSaid))).toEqual([]);
});
