import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { runCommand } from "@factotum/testing-product";
import { afterEach, beforeEach, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const KITS = ["channel-contract", "channel-kit", "channel-conformance"];
const run = promisify(execFile);

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[] }[];
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "factotum-outside-"));
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

const manifestIn = async (at: string): Promise<Manifest> => JSON.parse(await readFile(path.join(at, "package.json"), "utf8")) as Manifest;

/** Links what a package declares to the workspace's copies, in place of a registry. */
async function link(target: string, names: readonly string[], sources: readonly string[]): Promise<void> {
  for (const name of names) {
    const place = path.join(target, "node_modules", name);
    if (existsSync(place)) continue;
    const source = sources.map((from) => path.join(ROOT, from, "node_modules", name)).find((found) => existsSync(found));
    if (source === undefined) throw new Error(`${name} is in no package of the workspace`);
    await mkdir(path.dirname(place), { recursive: true });
    await symlink(source, place);
  }
}

/** Packs the published packages that a channel needs, and resolves with the folder of the tarballs. */
async function packKits(): Promise<string> {
  const packed = path.join(folder, "packed");
  for (const name of KITS) await run("pnpm", ["-C", path.join(ROOT, "packages", name), "pack", "--pack-destination", packed]);
  return packed;
}

/** Installs the packed packages and links everything else. */
async function install(channel: string, packed: string): Promise<void> {
  for (const name of KITS) {
    const tarball = (await readdir(packed)).find((file) => new RegExp(`^factotum-${name}-\\d`).test(file)) ?? "";
    const staging = await mkdtemp(path.join(folder, "unpacked-"));
    await run("tar", ["xzf", path.join(packed, tarball), "-C", staging]);
    const target = path.join(channel, "node_modules/@factotum", name);
    await mkdir(path.dirname(target), { recursive: true });
    await rename(path.join(staging, "package"), target);
    const outside = Object.keys((await manifestIn(target)).dependencies ?? {}).filter((one) => !one.startsWith("@factotum/"));
    await link(target, outside, [`packages/${name}`]);
  }
  const { dependencies = {}, devDependencies } = await manifestIn(channel);
  const outside = Object.keys({ ...dependencies, ...devDependencies }).filter((one) => !one.startsWith("@factotum/"));
  await link(channel, outside, ["", "extensions/webchat", "packages/channel-conformance", "packages/channel-kit"]);
}

const tool = async (channel: string, name: string, ...args: readonly string[]): Promise<{ readonly stdout: string }> =>
  run(process.execPath, [await binOf(name), ...args], { cwd: channel });

/** The script of a development tool. */
async function binOf(name: string): Promise<string> {
  const packages: Readonly<Record<string, string>> = { tsc: "typescript" };
  const at = path.join(ROOT, "node_modules", packages[name] ?? name);
  const { bin } = JSON.parse(await readFile(path.join(at, "package.json"), "utf8")) as { bin: string | Readonly<Record<string, string>> };
  return path.join(at, typeof bin === "string" ? bin : (bin[name] ?? ""));
}

const CREATE = path.join(ROOT, "packages/create-factotum-channel/dist/main.mjs");

test("the command explains itself, and refuses what it does not know", async () => {
  expect((await run(process.execPath, [CREATE, "--help"])).stdout).toMatch(/^Usage: npm create factotum-channel/);
  await expect(run(process.execPath, [CREATE, "--packges"])).rejects.toMatchObject({
    stderr: expect.stringMatching(/Unknown option[^]*\nUsage: /) as string,
  });
  await expect(run(process.execPath, [CREATE, "carrier-pigeon", "--transport", "smoke"], { cwd: folder })).rejects.toMatchObject({
    stderr: 'There is no transport "smoke". There are webhook, polling, connection.\n',
  });
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ["webhook", ["token=t", "signingSecret=s"]],
  ["polling", ["token=t"]],
  ["connection", ["token=t"]],
] as const)(
  "a channel by %s passes its tests outside the repository, is built, and is installed",
  { timeout: 300_000 },
  async (transport, given) => {
    const packed = await packKits();
    // Without a terminal and without a choice it is a webhook.
    const choice = transport === "webhook" ? [] : ["--transport", transport];
    await run(process.execPath, [CREATE, "carrier-pigeon", ...choice, "--packages", packed], { cwd: folder });
    const channel = path.join(folder, "carrier-pigeon");
    expect((await manifestIn(channel)).devDependencies["@factotum/channel-kit"]).toMatch(/^file:.*\/factotum-channel-kit-\d/);
    await install(channel, packed);

    const report = path.join(folder, "report.json");
    const tested = await tool(channel, "vitest", "run", "--reporter=json", `--outputFile=${report}`).then(
      () => 0,
      () => 1,
    );
    const { testResults, numPassedTests } = JSON.parse(await readFile(report, "utf8")) as Report;
    const failed = testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === "failed");
    const listed = /^Cases of the conformance suite that it fails: (.+?)\./m.exec(
      await readFile(path.join(channel, "README.md"), "utf8"),
    )?.[1];
    expect(failed.map(({ fullName }) => fullName)).toEqual(listed === "none" ? [] : listed?.split(", "));
    expect({ tested, hasCases: numPassedTests > 40 }).toEqual({ tested: 0, hasCases: true });

    await tool(channel, "tsc");
    await tool(channel, "tsdown");
    // Installed without a registry, which its one dependency would need.
    const home = path.join(folder, "home");
    const project = path.join(home, "extensions/project-1");
    await mkdir(path.join(project, "node_modules"), { recursive: true });
    await symlink(channel, path.join(project, "node_modules/factotum-channel-carrier-pigeon"));
    await writeFile(path.join(project, "package.json"), '{ "factotum": { "extensions": ["factotum-channel-carrier-pigeon"] } }');
    await writeFile(path.join(home, "extensions/current"), "project-1");
    const settings = given.flatMap((pair) => ["--set", pair]);
    expect(await runCommand(["channels", "add", "carrier-pigeon", ...settings], { home })).toMatchObject({ code: 0 });
    expect(await runCommand(["plugins", "doctor"], { home })).toMatchObject({
      code: 0,
      stdout: "ok  factotum-channel-carrier-pigeon 0.1.0 provides carrier-pigeon\n",
    });
  },
);
