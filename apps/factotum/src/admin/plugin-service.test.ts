import { statePaths, loadConfig, type FactotumConfig } from "@factotum/config";
import type { PluginService } from "@factotum/gateway";
import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { packPlugin } from "../../test/plugin-package.ts";
import { configOptions } from "../compose/extensions.ts";
import { createPluginService } from "./plugin-service.ts";

const signal = new AbortController().signal;

/** A service over a real state directory, and a gateway that reads the configuration after each change. */
async function serviceOver(home: CliHome): Promise<{ readonly service: PluginService; readonly spec: string }> {
  home.env["npm_config_offline"] = "true";
  let config: FactotumConfig;
  const read = async (): Promise<FactotumConfig> => {
    const loaded = await loadConfig(await configOptions(home.env));
    if (loaded.type === "refused") throw new Error("refused");
    return loaded.config;
  };
  config = await read();
  const report = { path: "", runningHash: "", problems: [], needsRestart: [], inactive: [], commandPolicy: [] };
  const service = createPluginService({
    context: {
      env: home.env,
      paths: statePaths(home.env),
      version: "0.0.0-test",
      self: { file: "", args: [] },
      platform: "linux",
      knownExtensions: {},
      print: () => undefined,
      note: () => undefined,
      signal,
    },
    control: {
      report: () => report,
      reload: async () => {
        config = await read();
        return { type: "applied", changed: [], needsRestart: [], problems: [] };
      },
    },
    currentConfig: () => config,
    clock: { now: () => 0 },
  });
  return { service, spec: await packPlugin(home.home, { permissions: ["network:example.com"] }) };
}

test("a package is shown before it is installed, is switched off and on, and is removed", { timeout: 60_000 }, async () => {
  await using home = await CliHome.create();
  const { service, spec } = await serviceOver(home);
  const rows = async () => (await service.list({}, { signal })).packages.filter(({ source }) => source === "installed");
  const shown = await service.install({ spec }, { signal });
  if (shown.type !== "asks") throw new Error("it was not asked about");
  expect(shown).toMatchObject({
    isChanged: false,
    plan: {
      name: "counter",
      reach: "plugin",
      permissions: ["network:example.com"],
      provides: [{ type: "tools", id: "counter", names: ["count"] }],
    },
  });
  expect(await rows()).toEqual([]);
  const { plan } = shown;
  expect(await service.install({ spec, accept: plan.digest.replace(/^./, "x") }, { signal })).toEqual({
    type: "asks",
    plan,
    isChanged: true,
  });
  const both = await Promise.allSettled([
    service.install({ spec, accept: plan.digest }, { signal }),
    service.install({ spec, accept: plan.digest }, { signal }),
  ]);
  expect(both).toMatchObject([
    { status: "fulfilled", value: { type: "installed", name: "counter", version: "1.0.0", channels: [] } },
    { status: "rejected", reason: { code: "conflict" } },
  ]);
  expect(await rows()).toMatchObject([{ name: "counter", canSwitch: true, isEnabled: true }]);
  await service.disable({ name: "counter" }, { signal });
  expect(await rows()).toMatchObject([{ isEnabled: false }]);
  await writeFile(join(home.factotumHome, "factotum.json5"), `{ plugins: { deny: ["counter"], allow: [] } }`);
  await service.enable({ name: "counter" }, { signal });
  expect(await rows()).toMatchObject([{ isEnabled: true }]);
  expect(await home.run("plugins", "disable", "counter")).toMatchObject({ code: 0, stdout: "counter is off.\n" });
  await expect(service.enable({ name: "@factotum/webchat" }, { signal })).rejects.toMatchObject({ code: "invalid-request" });
  await expect(service.install({ spec: "left-pad" }, { signal })).rejects.toMatchObject({ code: "invalid-request" });
  await service.remove({ name: "counter" }, { signal });
  expect(await rows()).toEqual([]);
});

test("what is no source of a package is refused with words of our own", async () => {
  await using home = await CliHome.create();
  const { service } = await serviceOver(home);
  for (const spec of ["../pkg", "@x/../y", "--prefix=/tmp/x", "discord; touch /tmp/x", "name@../x", join(home.home, "nothing.tgz"), "/\0"])
    await expect(service.install({ spec }, { signal })).rejects.toMatchObject({
      name: "RpcError",
      code: "invalid-request",
      message: expect.stringMatching(/is no (?:source of a )?package\. Give/) as string,
    });
});
