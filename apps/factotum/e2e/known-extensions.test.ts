import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { FakeRegistry, runCommand } from "@factotum/testing-product";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { CliContext } from "../src/runtime/cli-context.ts";
import { CliHome, type CliResult } from "../test/cli.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);
const TOKEN = ["110201543", "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1"].join(":");

const PACKED = ["extensions/telegram", "plugins/embeddings-local"];

let folder: string;
/** The list that a release would contain. */
let known: CliContext["knownExtensions"];
let packed: CliContext["knownExtensions"][string] & { readonly tarball: string };
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "factotum-known-"));
  const list = path.join(folder, "list.json");
  const { stdout } = await run(process.execPath, [path.join(ROOT, "scripts/known-extensions.ts"), "--list", list, folder, ...PACKED]);
  known = JSON.parse(await readFile(list, "utf8")) as typeof known;
  const { telegram } = known;
  if (telegram === undefined) throw new Error("nothing was packed");
  packed = { ...telegram, tarball: stdout.split("\n")[0] ?? "" };
}, 300_000);
afterAll(async () => rm(folder, { recursive: true, force: true }));

let home: CliHome;
let registry: FakeRegistry;
beforeEach(async () => {
  home = await CliHome.create();
  registry = await FakeRegistry.start();
  home.env["npm_config_registry"] = registry.url;
  await registry.publishDependencies(path.join(ROOT, "extensions/telegram"));
});
afterEach(async () => {
  await registry[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

const add = (knownExtensions = known): Promise<CliResult> =>
  home.runWith({ knownExtensions }, "channels", "add", "telegram", "--yes", "--set", `token=${TOKEN}`);

/** What is in the state directory, without what locks the extensions. */
const written = async (): Promise<readonly string[]> => {
  const names: readonly string[] = await readdir(home.factotumHome, { recursive: true }).catch(() => []);
  return names.filter((name) => !/^(?:extensions|state|state\/extensions\..*)$/.test(name));
};

/** The packed extension with one more file. */
async function changed(): Promise<string> {
  const staging = await mkdtemp(path.join(folder, "changed-"));
  await run("tar", ["-xzf", packed.tarball, "-C", staging]);
  await writeFile(path.join(staging, "package/dist/more.mjs"), "export {};\n");
  const tarball = path.join(staging, "changed.tgz");
  await run("tar", ["-czf", tarball, "-C", staging, "package"]);
  return tarball;
}

test("a channel of the list says what it is before it is installed", async () => {
  const listed = await home.runWith({ knownExtensions: known }, "channels", "list", "--json");
  const { channels } = JSON.parse(listed.stdout) as { channels: readonly { id: string; about?: string }[] };
  expect(channels.find(({ id }) => id === "telegram")?.about).toContain("@BotFather");
});

test("a channel of the list is installed from exactly the packed tarball, and set up", async () => {
  await registry.publish(packed.tarball);
  expect(await add()).toMatchObject({ code: 0, stdout: expect.stringContaining("telegram/default is set up in") as string });
  const current = (await home.read("extensions/current")).trim();
  const lock = JSON.parse(await home.read(`extensions/${current}/package-lock.json`)) as { packages: Record<string, object> };
  const { package: name, version, integrity } = packed;
  expect(lock.packages[`node_modules/${name}`]).toMatchObject({ version, integrity });
  const listed = await runCommand(["channels", "list"], { home: home.factotumHome });
  expect(listed.stdout).toMatch(/^telegram +@factotum\/telegram +default$/m);
});

test.each([
  [
    "states its own integrity",
    {},
    "The package @factotum/telegram is not the one that this release was tested with: its integrity differs.",
  ],
  ["is stated to be the listed one", { isClaimed: true }, "npm install failed: "],
])("another tarball that %s is refused, and nothing is written", async (_, { isClaimed = false }: { isClaimed?: boolean }, reason) => {
  await registry.publish(await changed(), isClaimed ? { claims: packed.integrity } : {});
  const refused = await add();
  expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(reason) as string });
  expect(await written()).toEqual([]);
});

test("without an entry in the list nothing is asked of the registry", async () => {
  await registry.publish(packed.tarball);
  expect(await add({})).toMatchObject({ code: 2, stderr: expect.stringContaining('The channel "telegram" is not installed') as string });
  expect(registry.requests).toEqual([]);
});

test("a plugin of the list is known by its name, and is no channel", async () => {
  const name = "@factotum/embeddings-local";
  expect(Object.keys(known)).toEqual(["telegram", name]);
  expect((await home.runWith({ knownExtensions: known }, "plugins", "add", name, "--yes")).code).toBe(1);
  expect(registry.requests).toContain(name);
  const asked = registry.requests.length;
  const refused = await home.runWith({ knownExtensions: known }, "channels", "add", name, "--yes");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`There is no channel "${name}".`) as string });
  expect(registry.requests).toHaveLength(asked);
});

test("the repository lists none", async () => {
  expect(JSON.parse(await readFile(path.join(ROOT, "apps/factotum/src/extensions/known-extensions.json"), "utf8"))).toEqual({});
});
