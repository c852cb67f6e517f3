import { loadConfig } from "@factotum/config";
import type { LoadedConfig } from "@factotum/config";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { configOptions } from "./extensions.ts";
import { gatewayToken } from "./gateway-token.ts";

const SHORT = "a".repeat(23);
const LONG = "a".repeat(24);

async function load(cli: CliHome, gateway: object): Promise<LoadedConfig> {
  await mkdir(cli.factotumHome, { recursive: true });
  await writeFile(join(cli.factotumHome, "factotum.json5"), JSON.stringify({ gateway }));
  const loaded = await loadConfig(await configOptions(cli.env));
  if (loaded.type === "refused") throw new Error(JSON.stringify(loaded.problems));
  return loaded;
}

test.each([
  [{}, SHORT, true],
  [{ bind: "127.0.0.1" }, SHORT, true],
  [{ bind: "lan" }, SHORT, false],
  [{ bind: "192.0.2.1" }, SHORT, false],
  [{ publicUrl: "https://assistant.example.com" }, SHORT, false],
  [{ bind: "lan", publicUrl: "https://assistant.example.com" }, LONG, true],
])("with %j the token %s is used: %s", async (gateway, token, isUsed) => {
  await using cli = await CliHome.create();
  for (const written of [token, "${GATEWAY_TOKEN}"]) {
    const env = { ...cli.env, GATEWAY_TOKEN: token };
    const { config, paths } = await load(cli, { ...gateway, auth: { token: written } });
    const found = await gatewayToken(config, { paths, env });
    expect(found.token === token).toBe(isUsed);
    expect(found.notices.map(({ path }) => path)).toEqual(isUsed ? [] : ["gateway.auth.token"]);
    expect(JSON.stringify(found.notices)).not.toContain(token);
  }
});

test("the address since the start counts, not only the one in the file", async () => {
  await using cli = await CliHome.create();
  const { config, paths } = await load(cli, { auth: { token: SHORT } });
  const started = { gateway: { ...config.gateway, bind: "lan" } };
  expect((await gatewayToken(config, { paths, env: cli.env, listensAt: started })).token).not.toBe(SHORT);
});
