import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { FAULTY_ENTRIES, writeExtension, writeInstalled } from "../../test/extension-package.ts";
import { deploymentOf } from "./project-folders.ts";
import { findExtensions } from "./find-extensions.ts";
import type { InstalledChannel } from "./found-extensions.ts";
import { exportName, loadChannelExtension, readChannelSchema } from "./load-channel.ts";

const builtIn = new Map([["webchat", "@factotum/webchat"]]);

let home: CliHome;
let paths: { readonly home: string };
beforeEach(async () => {
  home = await CliHome.create();
  paths = { home: home.factotumHome };
});
afterEach(async () => home[Symbol.asyncDispose]());

/** The problems that name a package. */
async function problems(): Promise<readonly string[]> {
  return (await findExtensions(paths, { builtIn })).problems.map(({ message }) => message);
}

async function onlyChannel(): Promise<InstalledChannel> {
  const { channels } = await findExtensions(paths, { builtIn });
  expect(channels).toHaveLength(1);
  return channels[0] as InstalledChannel;
}

test("without lists there are none", async () => {
  expect(await findExtensions(paths, { builtIn })).toEqual({
    channels: [],
    plugins: [],
    commandFolders: [],
    servers: { mcp: [], lsp: [] },
    skills: [],
    problems: [],
    packages: [],
  });
});

test("finds the listed packages alone, in the state directory and then in the deployment", async () => {
  const project = await writeInstalled(paths.home, [{}]);
  await writeExtension(join(project, "node_modules", "stray"), { name: "stray", id: "stray" });
  const deployment = join(home.home, "deployment");
  await writeExtension(join(deployment, "node_modules", "@birds/raven"), { name: "@birds/raven", id: "raven" });
  await writeExtension(join(deployment, "node_modules", "other-pigeon"), { name: "other-pigeon", version: "2.0.0" });
  await writeFile(join(deployment, "package.json"), JSON.stringify({ factotum: { extensions: ["@birds/raven", "other-pigeon"] } }));
  const found = await findExtensions(paths, { builtIn, deployment });
  expect(found.channels.map(({ id, packageName, version }) => ({ id, packageName, version }))).toEqual([
    { id: "pigeon", packageName: "pigeon-post", version: "1.0.0" },
    { id: "raven", packageName: "@birds/raven", version: "1.0.0" },
  ]);
  expect(found.problems).toMatchObject([
    { packageName: "other-pigeon", message: expect.stringContaining("channel of pigeon-post, which is used") as string },
  ]);
  expect(found.packages.map(({ source }) => source)).toEqual(["installed", "deployment", "deployment"]);
});

test("a built-in channel keeps its id, and the problem names both packages", async () => {
  await writeInstalled(paths.home, [{ id: "webchat" }]);
  expect(await findExtensions(paths, { builtIn })).toMatchObject({ channels: [] });
  expect(await problems()).toEqual([
    'the extension pigeon-post is not used: its channel "webchat" has the id of the channel of the built-in @factotum/webchat, which is used; remove one of them',
  ]);
});

test("every package that cannot be used is reported, and the others are", async () => {
  const project = await writeInstalled(paths.home, [
    {},
    { name: "newer", id: "newer", manifest: { api: 2 } },
    { name: "left-pad", manifest: { provides: undefined } },
    { name: "gone", id: "gone" },
    { name: "../outside", id: "outside" },
  ]);
  await rm(join(project, "node_modules/gone"), { recursive: true });
  await writeFile(join(project, "node_modules/left-pad/package.json"), "{ not json");
  const found = await findExtensions(paths, { builtIn });
  expect(found.channels.map(({ id }) => id)).toEqual(["pigeon"]);
  expect(found.problems.map(({ packageName, channelIds }) => [packageName, channelIds])).toEqual([
    ["newer", ["newer"]],
    ["left-pad", []],
    ["gone", []],
    ["../outside", []],
  ]);
  expect(found.problems[0]?.message).toContain("this factotum supports 1: update factotum");
});

test("a list that cannot be read is a problem of its own", async () => {
  const project = await writeInstalled(paths.home, [{}]);
  await writeFile(join(project, "package.json"), '{ "factotum": { "extensions": "pigeon-post" } }');
  expect(await problems()).toEqual([expect.stringContaining("factotum.extensions is a list of package names")]);
});

test("the pointer to the installed project cannot leave its folder", async () => {
  await mkdir(join(paths.home, "extensions"), { recursive: true });
  await writeFile(join(paths.home, "extensions/current"), "../elsewhere");
  expect(await findExtensions(paths, { builtIn })).toEqual({
    channels: [],
    plugins: [],
    commandFolders: [],
    servers: { mcp: [], lsp: [] },
    skills: [],
    problems: [],
    packages: [],
  });
});

test.each([
  ["/srv/bot/node_modules/factotum", "/srv/bot"],
  ["/srv/bot/node_modules/.pnpm/factotum@0.1.0/node_modules/factotum", "/srv/bot"],
  ["/work/clone/apps/factotum", undefined],
])("%s is installed in %s", (folder, deployment) => {
  expect(deploymentOf(folder)).toBe(deployment);
});

test("loads the extension and the schema of a channel", async () => {
  await writeInstalled(paths.home, [{}]);
  const channel = await onlyChannel();
  expect(await loadChannelExtension(channel)).toMatchObject({ id: "pigeon", api: 1 });
  expect(await readChannelSchema(channel)).toMatchObject({ type: "object", required: ["loft", "token"] });
  expect(exportName("carrier-pigeon-2")).toBe("carrierPigeon2Extension");
});

test.each([
  ["missing export", "its entry does not export pigeonExtension"],
  ["throws", "its import failed (no wings)"],
  ["hangs", "its import did not end within 0.05 seconds"],
  ["is no extension", "pigeonExtension is no channel extension: id, api, configSchema and create are needed"],
  ["has another id", 'pigeonExtension has the id "raven", and its manifest "pigeon"'],
] as const)("an entry that %s is refused with the package's name", async (fault, reason) => {
  await writeInstalled(paths.home, [{ entry: FAULTY_ENTRIES[fault] }]);
  // A busy machine takes long to import the others, too.
  const loading = loadChannelExtension(await onlyChannel(), fault === "hangs" ? { timeoutMs: 50 } : {});
  await expect(loading).rejects.toThrow(`the extension pigeon-post 1.0.0 cannot be loaded: ${reason}`);
});

test("a missing entry and an unreadable schema are refused with the package's name", async () => {
  const project = await writeInstalled(paths.home, [{}]);
  const channel = await onlyChannel();
  await rm(join(project, "node_modules/pigeon-post/dist/index.mjs"));
  await writeFile(channel.configSchema, "[]");
  await expect(loadChannelExtension(channel)).rejects.toThrow(
    "the extension pigeon-post 1.0.0 cannot be loaded: its import failed (ENOENT",
  );
  await expect(readChannelSchema(channel)).rejects.toThrow("the extension pigeon-post 1.0.0 cannot be loaded: its schema");
});

test.each([
  ["missing", undefined, "is missing"],
  ["too large", `{"type":"object","description":"${"x".repeat(32_768)}"}`, "bytes, and at most 32768 are allowed"],
  ["referring to a file", '{"$ref":"../../package.json"}', 'refers to "../../package.json"'],
])("a configured package whose schema became %s is one clear line, and the rest is used", async (_name, schema, reason) => {
  await writeInstalled(paths.home, [{}]);
  const { configSchema } = await onlyChannel();
  await (schema === undefined ? rm(configSchema) : writeFile(configSchema, schema));
  await writeFile(join(paths.home, "factotum.json5"), JSON.stringify({ channels: { pigeon: { loft: "http://127.0.0.1:9", token: "t" } } }));
  const { stdout } = await home.run("config", "validate");
  const lines = stdout.split("\n").filter((line) => line.includes("pigeon-post"));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(
    "channels.pigeon: its settings cannot be checked: the extension pigeon-post 1.0.0 cannot be loaded: its schema",
  );
  expect(lines[0]).toContain(reason);
  expect(await home.run("config", "get", "gateway.port")).toMatchObject({ code: 0 });
});

test("a configuration is checked by the schema of the package, and no code of it runs", async () => {
  await writeInstalled(paths.home, [{ entry: FAULTY_ENTRIES.throws }]);
  const account = (more: object): string => JSON.stringify({ channels: { pigeon: { loft: "http://127.0.0.1:9", token: "t", ...more } } });
  await writeFile(join(paths.home, "factotum.json5"), account({ flock: "gray" }));
  const refused = await home.run("config", "validate");
  expect(refused).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('channels.pigeon.flock: one of "grey", "white" is expected; did you mean "grey"?') as string,
  });
  await writeFile(join(paths.home, "factotum.json5"), account({}));
  expect(await home.run("config", "validate")).toMatchObject({ code: 0 });
  expect((await home.run("config", "schema")).stdout).toContain("Address of the loft.");
});

test("a configured channel without a package is one line with the command that installs it", async () => {
  await mkdir(paths.home, { recursive: true });
  await writeFile(join(paths.home, "factotum.json5"), "{ channels: { pigeon: {} } }");
  const { stdout } = await home.run("config", "validate");
  expect(stdout).toContain('channels.pigeon: this build has no channel "pigeon".');
  expect(stdout).toContain("is installed with: factotum plugins add <folder, tarball or package>");
});

test("doctor and status name the package that cannot be used, and why", async () => {
  home.env["FACTOTUM_PORT"] = "0";
  await home.run("setup");
  await writeInstalled(paths.home, [{ entry: FAULTY_ENTRIES["missing export"] }, { name: "newer", id: "newer", manifest: { api: 2 } }]);
  await home.run("config", "set", "channels", '{ pigeon: { loft: "http://127.0.0.1:9", token: "t" } }');
  const doctor = await home.run("doctor");
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain(
    "ERROR    extension          The extension pigeon-post 1.0.0 cannot be loaded: its entry does not export pigeonExtension.",
  );
  expect(doctor.stdout).toContain("warning  extension          The extension newer is not used: it was built for version 2");
  expect((await home.run("status")).stdout).toContain("! the extension newer is not used: it was built for version 2");
});
