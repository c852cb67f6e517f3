import { readFile } from "node:fs/promises";
import path from "node:path";
import { productEntry } from "@factotum/testing-product";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listDocuments, parseCode, readDocument, type Fence } from "../test/documents.ts";
import { DocumentScene, hasProgram } from "./document-scene.ts";

const STRANGER = "ou_7d8a6e6df7621556ce0d21922b676706";
/** System programs that pages use and that are not installed here: their pages are skipped. */
const absent = ["curl", "jq"].filter((program) => !hasProgram(program));

const pages = listDocuments("docs/*.md")
  .filter((file) => !/^docs\/(?:decisions|plans)\//.test(file))
  .map((file) => ({ file, fences: parseCode(readDocument(file)).fences }));
const isRunnable = ({ language, marks }: Fence): boolean => ["sh", "js"].includes(language) && !marks.includes("no-test");
const runnable = pages.filter(({ fences }) => fences.some(isRunnable));

/** All models that pages name: the fake providers offer them. */
const models = pages.flatMap(({ fences }) =>
  fences.flatMap(({ text }) => [...text.matchAll(/^factotum models set [\w-]+\/(\S+)$/gm)].map(([, model = ""]) => model)),
);

let scene: DocumentScene;
beforeAll(async () => {
  scene = await DocumentScene.start({ models, stranger: STRANGER });
});
afterAll(async () => scene[Symbol.asyncDispose]());

test("the pages for users have commands, and ship with the product", async () => {
  const files = runnable.map(({ file }) => path.basename(file));
  const folder = path.join(path.dirname(productEntry), "docs");
  for (const name of [
    "access",
    "backup",
    "clients",
    "costs",
    "deploy",
    "feishu",
    "irc",
    "ollama",
    "openrouter",
    "providers",
    "service",
    "slack",
    "troubleshooting",
  ]) {
    expect(files).toContain(`${name}.md`);
    expect(await readFile(path.join(folder, `${name}.md`), "utf8")).toBe(readDocument(`docs/${name}.md`));
  }
});

/** A `text` block after a command shows a part of its output. */
describe.each(runnable)("$file", ({ file, fences }) => {
  // The longest page has thirty commands, each a separate process.
  test("has commands that work", { timeout: 360_000 }, async ({ skip }) => {
    await scene.begin();
    if (file === "docs/feishu.md") await scene.writeAs(STRANGER);
    let shown = "";
    for (const fence of fences) {
      const { language, text, line } = fence;
      if (language === "text") expect(shown, `line ${line}`).toContain(text);
      if (!isRunnable(fence)) continue;
      const missing = absent.filter((program) => text.includes(`${program} `));
      if (missing.length > 0) skip(`${missing.join(", ")} is not installed`);
      const { code, output } = language === "js" ? await scene.runModule(text) : await scene.runShell(text);
      expect(code, `line ${line}:\n${text}\n${output}`).toBe(0);
      shown = output;
    }
  });
});

test("the settings of clients name existing models of the gateway", async () => {
  const { fences } = pages.find(({ file }) => file === "docs/clients.md") ?? { fences: [] };
  const settings = fences.map(({ text }) => text).join("\n");
  const urls = new Set(
    [...settings.matchAll(/(?:baseURL|base_url|apiBase|OPENAI_API_BASE_URL)[:=] ?"?(http[^\s",]+)/g)].map(([, url = ""]) => url),
  );
  const named = new Set([...settings.matchAll(/\bfactotum(?::\w+)?(?=["\]\s,])/gm)].map(([model]) => model));
  expect([...urls]).toEqual(["http://127.0.0.1:18790/v1"]);
  expect([...named].toSorted((one, other) => one.localeCompare(other))).toEqual(["factotum", "factotum:plain"]);
  for (const url of urls) for (const model of named) expect(await scene.askForModel(url, model)).toBe(200);
  expect(await scene.askForModel("http://127.0.0.1:18790/v1", "factotum:none")).toBe(404);
});

describe("the page runner", () => {
  test("detects a failing command and stops there", async () => {
    await scene.begin();
    expect(await scene.runShell("factotum config get gateway.prot\necho reached")).toMatchObject({ code: 2 });
    expect((await scene.runShell("factotum auth set groq < nothing.txt")).code).not.toBe(0);
  });

  test("runs no marked block", () => {
    const [fence] = parseCode("```sh no-test\nfalse\n```").fences;
    expect(fence === undefined || isRunnable(fence)).toBe(false);
  });
});
