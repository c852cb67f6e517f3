import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { runCommand, startProduct } from "@factotum/testing-product";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeExtension } from "../test/extension-package.ts";
import { packPlugin } from "../test/plugin-package.ts";
import { FakeLoft } from "../test/fake-loft.ts";
import { newestResults, order, startObedientModel } from "./obedient-model.ts";
import { startWebScene } from "./web-scene.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);

interface PackedManifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly factotum: { readonly provides: readonly { readonly id: string; readonly entry: string; readonly configSchema: string }[] };
}

let folder: string;
let entry: string;
let extensions: readonly string[];

/** Packs a package as a release does, and resolves with the tarball. The build that a release makes first is there: another one would take its files away from other tests. */
async function pack(source: string): Promise<string> {
  const destination = await mkdtemp(path.join(folder, "packed-"));
  await run("pnpm", ["-C", path.join(ROOT, source), "pack", "--config.ignore-scripts=true", "--pack-destination", destination], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const [file = ""] = await readdir(destination);
  return path.join(destination, file);
}

/** Installs the tarball of an extension without a registry: its files, and the workspace's copy of each dependency that it declares. */
async function unpack(source: string): Promise<string> {
  const staging = await mkdtemp(path.join(folder, "unpacked-"));
  await run("tar", ["xzf", await pack(source), "-C", staging]);
  const { name, dependencies = {} } = await manifestIn(path.join(staging, "package"));
  const target = path.join(folder, "app/node_modules", name);
  await mkdir(path.dirname(target), { recursive: true });
  await run("mv", [path.join(staging, "package"), target]);
  for (const dependency of Object.keys(dependencies)) {
    const link = path.join(target, "node_modules", dependency);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(ROOT, source, "node_modules", dependency), link);
  }
  return name;
}

async function manifestIn(packageFolder: string): Promise<PackedManifest> {
  return JSON.parse(await readFile(path.join(packageFolder, "package.json"), "utf8")) as PackedManifest;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "factotum-packed-"));
  const app = path.join(folder, "app");
  await mkdir(app);
  await writeFile(path.join(app, "package.json"), '{ "private": true }');
  const pigeon = await writeExtension(path.join(folder, "pigeon"));
  await run("npm", ["install", await pack("apps/factotum"), pigeon, "--install-links", "--offline", "--no-audit", "--no-fund"], {
    cwd: app,
  });
  entry = path.join(app, "node_modules/factotum/dist/factotum.mjs");
  extensions = (await readdir(path.join(ROOT, "extensions"))).toSorted();
  const names: string[] = [];
  for (const name of extensions) names.push(await unpack(`extensions/${name}`));
  const project = JSON.parse(await readFile(path.join(app, "package.json"), "utf8")) as object;
  await writeFile(path.join(app, "package.json"), JSON.stringify({ ...project, factotum: { extensions: [...names, "pigeon-post"] } }));
}, 600_000);
afterAll(async () => rm(folder, { recursive: true, force: true }));

test("the packed command answers over its own channel and over that of a packed extension", async () => {
  await using loft = await FakeLoft.start();
  const account = { loft: loft.url, token: loft.token, dmPolicy: "open", allowFrom: ["*"] };
  await using product = await startProduct({ entry, config: { channels: { pigeon: account } } });
  loft.write("carol", "Hello");
  await loft.waitForSent(1);
  const { home } = product;
  expect(await runCommand(["agent", "-m", "Hello"], { home, entry })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\w/) as string,
  });
  expect((await fetch(product.url)).headers.get("content-type")).toContain("text/html");
});

test("the packed command reads a web page, in a thread of its own", async () => {
  await using web = await startWebScene();
  await using model = await startObedientModel();
  const page = web.serve("/", `<title>Packed</title><table><tr><th>a<th>b<tr><td>1<td>2</table>`);
  await using product = await startProduct({
    entry,
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test-0123456789" } } },
      tools: { web: { fetch: { allowPrivate: ["127.0.0.1"] } } },
    },
  });
  const { home } = product;
  await runCommand(["agent", "-m", order({ name: "web_fetch", arguments: { url: page } })], { home, entry });
  expect(newestResults(model)).toEqual(["ok"]);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("| a | b |\\n| --- | --- |\\n| 1 | 2 |");
});

test("the packed command installs a packed plugin, uses, updates and removes it, and nothing of it is left", async () => {
  const home = path.join(folder, "plugins");
  const plugins = async (...args: readonly string[]): ReturnType<typeof runCommand> =>
    runCommand(["plugins", ...args], { home, entry, env: { npm_config_offline: "true" } });
  await using model = await startObedientModel();
  await using product = await startProduct({
    entry,
    home,
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test-0123456789" } } },
    },
  });
  expect(await plugins("add", await packPlugin(folder), "--yes")).toMatchObject({ code: 0 });
  await runCommand(["agent", "-m", order({ name: "counter_count", arguments: { by: 20 } })], { home, entry });
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("total 20");
  const wider = await packPlugin(folder, { version: "1.1.0", permissions: ["network:api.example.com"] });
  expect((await plugins("update", wider)).stderr).toContain("needs more than before: network:api.example.com");
  expect(await plugins("update", wider, "--yes")).toMatchObject({ code: 0, stdout: "counter 1.1.0 is installed.\n" });
  await product.end("SIGTERM");
  expect(await plugins("remove", "counter")).toMatchObject({ code: 0 });
  const left = await readdir(path.join(home, "extensions"), { recursive: true });
  expect(left.filter((name) => name.includes("counter"))).toEqual([]);
  expect(left.filter((name) => /^project-[^/]+$/.test(name))).toHaveLength(1);
}, 120_000);

test("every packed extension is listed, and a built-in one is not replaced", async () => {
  const home = path.join(folder, "home");
  const { stdout } = await runCommand(["plugins", "list", "--json"], { home, entry });
  const { plugins } = JSON.parse(stdout) as { plugins: readonly { name: string; source: string; problems?: readonly string[] }[] };
  for (const id of extensions) {
    const isBuiltIn = plugins.some(({ name, source }) => name === `@factotum/${id}` && source === "built-in");
    const listed = plugins.find(({ name, source }) => name === `@factotum/${id}` && source === "deployment");
    const problem = `its channel "${id}" has the id of the channel of the built-in @factotum/${id}`;
    expect(listed?.problems).toEqual(isBuiltIn ? [expect.stringContaining(problem)] : []);
  }
});

test("every packed extension can be imported with the dependencies that it declares, and has its schema", async () => {
  for (const id of extensions) {
    const installed = path.join(folder, "app/node_modules/@factotum", id);
    const { factotum, dependencies = {} } = await manifestIn(installed);
    expect(Object.keys(dependencies).filter((name) => name.startsWith("@factotum/"))).toEqual([]);
    for (const provided of factotum.provides) {
      const camel = provided.id.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
      expect(await import(pathToFileURL(path.join(installed, provided.entry)).href)).toHaveProperty(`${camel}Extension`);
      const schema: unknown = JSON.parse(await readFile(path.join(installed, provided.configSchema), "utf8"));
      expect(schema).toMatchObject({ type: "object" });
    }
  }
});
