import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@factotum/agent-contract";
import { hashOf, loadConfig, rememberConfig, statePaths, type ConfigProblem, type LoadedConfig } from "@factotum/config";
import { describe, expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { ConfigReloader } from "./config-reloader.ts";
import { configOptions } from "./extensions.ts";

/** A reloader over a real file, with a gateway that only records its configurations. */
async function reloaderOver(cli: CliHome, text: string | undefined) {
  await mkdir(cli.factotumHome, { recursive: true });
  const file = join(cli.factotumHome, "factotum.json5");
  const write = async (content: string): Promise<void> => writeFile(file, content);
  if (text !== undefined) await write(text);
  const lines: { readonly level: string; readonly message: string }[] = [];
  const note = (level: string) => (message: string) => void lines.push({ level, message });
  const logger: Logger = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error"), child: () => logger };
  const load = async () => loadConfig(await configOptions(cli.env));
  const started = await load();
  if (started.type !== "loaded") throw new Error("the start was refused");
  await rememberConfig(started);
  const applied: LoadedConfig[] = [];
  const scene: { fails: boolean; found: readonly ConfigProblem[] } = { fails: false, found: [] };
  const reloader = new ConfigReloader({
    context: { env: cli.env, paths: statePaths(cli.env) },
    started,
    load,
    apply: async (loaded) => {
      if (scene.fails) throw new Error("an extension is broken");
      applied.push(loaded);
      return scene.found;
    },
    remember: rememberConfig,
    limitsKeptBy: "measuring",
    logger,
  });
  return { reloader, write, file, applied, lines, scene };
}

const THREE = `{ agents: { defaults: { model: "a/three" } } }`;

describe("a changed configuration file", () => {
  test("is applied if it is good, stored as the last good copy, and only then", async () => {
    await using cli = await CliHome.create();
    const { reloader, write, applied } = await reloaderOver(cli, `{ agents: { defaults: { model: "a/one" } } }`);
    expect(await reloader.reload()).toEqual({ type: "unchanged", changed: [], needsRestart: [], problems: [] });
    await write(THREE);
    expect(await reloader.reload()).toEqual({ type: "applied", changed: ["agents.defaults.model"], needsRestart: [], problems: [] });
    expect(applied.map(({ config }) => config.agents[0]?.model?.primary)).toEqual(["a/three"]);
    expect(reloader.report()).toMatchObject({ fileHash: hashOf(THREE), runningHash: hashOf(THREE), problems: [] });
    expect(await cli.read("state/config.last-good.json5")).toBe(THREE);
    expect((await reloader.reload()).type).toBe("unchanged");
    expect(applied).toHaveLength(1);
  });

  test("keeps findings of its application with its problems, until the next one", async () => {
    await using cli = await CliHome.create();
    const { reloader, write, scene } = await reloaderOver(cli, undefined);
    scene.found = [{ type: "notice", path: "gateway.auth.token", message: "it is too short" }];
    await write(THREE);
    expect(await reloader.reload()).toMatchObject({ type: "applied", problems: ["gateway.auth.token: it is too short"] });
    expect((await reloader.reload()).problems).toEqual(["gateway.auth.token: it is too short"]);
    scene.found = [];
    await write(`{ agents: { defaults: { model: "a/four" } } }`);
    expect((await reloader.reload()).problems).toEqual([]);
    expect(reloader.report().problems).toEqual([]);
  });

  test.each([
    ["half written", "{ agents: { defau", /factotum\.json5: /],
    ["wrong in a value", `{ gateway: { port: "x" } }`, /gateway\.port/],
    ["empty, as an editor leaves it for a moment", "", /factotum\.json5: /],
  ])("is not used if it is %s: the previous one stays, and that is reported once", async (_name, text, why) => {
    await using cli = await CliHome.create();
    const { reloader, write, applied, lines } = await reloaderOver(cli, THREE);
    await write(text);
    // A bad file for an hour: the log says so once.
    for (let times = 0; times < 720; times += 1) expect((await reloader.reload()).type).toBe("kept");
    expect(lines.filter(({ level }) => level === "error")).toHaveLength(1);
    expect(lines).toHaveLength(1);
    expect(reloader.report()).toMatchObject({ fileHash: hashOf(text), runningHash: hashOf(THREE), problems: [expect.stringMatching(why)] });
    await write(THREE);
    expect(await reloader.reload()).toMatchObject({ type: "unchanged", problems: [] });
    expect(reloader.report()).toMatchObject({ fileHash: hashOf(THREE), problems: [] });
    expect(applied).toEqual([]);
    expect(lines.at(-1)).toEqual({ level: "info", message: "The configuration file is again what runs" });
  });

  test("keeps the previous configuration when the file is deleted, never defaults", async () => {
    await using cli = await CliHome.create();
    const { reloader, write, file, applied } = await reloaderOver(cli, THREE);
    await rm(file);
    expect(await reloader.reload()).toMatchObject({ type: "kept", problems: [expect.stringContaining("is not there any more")] });
    expect(applied).toEqual([]);
    await write(`{ agents: { defaults: { model: "a/four" } } }`);
    expect((await reloader.reload()).type).toBe("applied");
  });

  test("named by FACTOTUM_CONFIG that never existed is reported as such: nothing ran before", async () => {
    await using cli = await CliHome.create();
    cli.env["FACTOTUM_CONFIG"] = join(cli.factotumHome, "typo.json5");
    const { reloader, lines } = await reloaderOver(cli, undefined);
    const problems = [expect.stringMatching(/^FACTOTUM_CONFIG names .*typo\.json5, which does not exist; the defaults hold$/)];
    expect(await reloader.reload()).toMatchObject({ type: "unchanged", problems });
    expect(reloader.report().problems).toEqual(problems);
    expect(lines).toEqual([]);
  });

  test("keeps the previous configuration when its copy is deleted, too", async () => {
    await using cli = await CliHome.create();
    cli.env["FACTOTUM_CONFIG"] = join(cli.factotumHome, "factotum.json5");
    const { reloader, file } = await reloaderOver(cli, THREE);
    await rm(file);
    await rm(join(cli.factotumHome, "state/config.last-good.json5"));
    expect((await reloader.reload()).problems).toEqual([`${file} is not there any more`]);
  });

  test("is used if it appears where there was none", async () => {
    await using cli = await CliHome.create();
    const { reloader, write, applied } = await reloaderOver(cli, undefined);
    expect((await reloader.reload()).type).toBe("unchanged");
    await write(THREE);
    expect((await reloader.reload()).type).toBe("applied");
    expect(applied).toHaveLength(1);
  });

  test("is used after a repair if it was bad at the start", async () => {
    await using cli = await CliHome.create();
    await reloaderOver(cli, THREE);
    const { reloader, write, applied } = await reloaderOver(cli, "{ broken");
    expect(reloader.report()).toMatchObject({ fileHash: hashOf("{ broken"), runningHash: hashOf(THREE) });
    expect((await reloader.reload()).type).toBe("kept");
    await write(THREE);
    expect((await reloader.reload()).type).toBe("applied");
    expect(applied).toHaveLength(1);
    expect(reloader.report()).toMatchObject({ fileHash: hashOf(THREE), problems: [] });
  });

  test("leaves the previous one if the gateway cannot apply it, and is tried again when it changes", async () => {
    await using cli = await CliHome.create();
    const { reloader, write, applied, scene } = await reloaderOver(cli, "{}");
    scene.fails = true;
    await write(THREE);
    expect(await reloader.reload()).toMatchObject({ type: "kept", problems: [expect.stringContaining("an extension is broken")] });
    expect(reloader.report()).toMatchObject({ fileHash: hashOf(THREE), runningHash: hashOf("{}") });
    scene.fails = false;
    expect((await reloader.reload()).type).toBe("applied");
    expect(applied).toHaveLength(1);
  });

  test("lists keys that need a restart, as long as they differ from those of the start", async () => {
    await using cli = await CliHome.create();
    const { reloader, write, lines } = await reloaderOver(cli, "{}");
    await write(`{ gateway: { port: 4711 } }`);
    expect(await reloader.reload()).toMatchObject({ type: "applied", needsRestart: ["gateway.port"] });
    expect(lines.map(({ message }) => message)).toContain("Restart the gateway for these keys: factotum gateway restart");
    await write(`{ gateway: { port: 4711 }, agents: { defaults: { model: "a/five" } } }`);
    expect((await reloader.reload()).needsRestart).toEqual(["gateway.port"]);
    await write(`{ gateway: { port: 4711, auth: { token: "another" } } }`);
    expect(await reloader.reload()).toMatchObject({ changed: ["gateway.auth", "agents"], needsRestart: ["gateway.port"] });
    await write(THREE);
    expect((await reloader.reload()).needsRestart).toEqual([]);
  });
});
