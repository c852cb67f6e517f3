import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describedKeys, describedSchema, loadChannelSchemas } from "@factotum/config";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { CHANNELS } from "../compose/extensions.ts";

const REFERENCE = "../../../../docs/configuration-reference.md";

test("docs/configuration-reference.md equals the command's output; `pnpm run reference` writes it", async () => {
  await using cli = await CliHome.create();
  await expect((await cli.run("config", "reference")).stdout).toMatchFileSnapshot(REFERENCE);
});

test("every key of every channel of this build has a description", async () => {
  const keys = describedKeys(describedSchema(await loadChannelSchemas(CHANNELS)));
  expect([...keys].filter(([, isDescribed]) => !isDescribed).map(([key]) => key)).toEqual([]);
  expect(keys.size).toBeGreaterThan(500);
});

test("setup refers to the JSON Schema that it writes beside the file, with the reference's texts, and the file is valid", async () => {
  await using cli = await CliHome.create();
  await cli.run("setup");
  expect(await cli.read("factotum.json5")).toContain('$schema: "./factotum.schema.json"');
  expect(await cli.run("config", "validate")).toMatchObject({ code: 0, stdout: expect.stringContaining("is valid") as string });
  const text = await readFile(join(cli.factotumHome, "factotum.schema.json"), "utf8");
  expect(JSON.parse(text)).toEqual(JSON.parse((await cli.run("config", "schema")).stdout));
  const schema = JSON.parse(text) as { $id: string; properties: { gateway: { properties: { port: { description: string } } } } };
  expect(schema.$id).toBe("urn:factotum:configuration");
  const reference = (await cli.run("config", "reference")).stdout;
  expect(reference).toContain(`| ${schema.properties.gateway.properties.port.description} |`);
});
