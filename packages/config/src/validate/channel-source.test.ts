import { expect, test } from "vitest";
import * as z from "zod";
import { sampleChannels, temporaryHome } from "../../test/sample.ts";
import { loadConfig } from "../load-config.ts";
import { setConfigValue } from "../write/set-config-value.ts";
import { accountJsonSchema, loadChannelSchemas, type ChannelSource } from "./channel-source.ts";

const sources = (...more: readonly ChannelSource[]): readonly ChannelSource[] => [...sampleChannels().channels, ...more];

test("a configured channel without a package is reported with the line of its source, and the rest is used", async () => {
  await using home = await temporaryHome();
  await home.write("factotum.json5", "{ channels: { pigeon: { loft: 1 } }, gateway: { port: 4711 } }");
  const channels = sources({ id: "pigeon", unavailable: "install it" }, { id: "raven", unavailable: "install that" });
  const loaded = await loadConfig({ env: home.env, channels });
  expect(loaded).toMatchObject({
    type: "loaded",
    config: { gateway: { port: 4711 } },
    problems: [{ type: "unknown-channel", path: "channels.pigeon", message: "install it" }],
  });
  expect(loaded.type === "loaded" && Object.keys(loaded.config.channels)).toEqual(["webchat"]);
});

test("a channel whose schema cannot be used leaves its account configured and the rest checked", async () => {
  await using home = await temporaryHome();
  await home.write("factotum.json5", "{ channels: { broken: { loft: 1 }, odd: { a: 1 } }, gateway: { prot: 4711 } }");
  const channels = sources(
    { id: "broken", load: () => Promise.reject(new Error("no schema")) },
    { id: "odd", load: () => Promise.resolve({ not: { type: "string" } }) },
  );
  const loaded = await loadConfig({ env: home.env, channels });
  expect(loaded.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    expect.stringContaining("gateway.prot: there is no such key") as string,
    "channels.broken: its settings cannot be checked: no schema",
    expect.stringContaining("channels.odd: its settings cannot be checked: not is not supported") as string,
  ]);
  expect(loaded).toMatchObject({ config: { channels: { broken: { accounts: { default: { settings: { loft: 1 } } } } } } });
});

test("a misspelt channel is compared with those that are not installed, too", async () => {
  await using home = await temporaryHome();
  const options = { env: home.env, channels: sources({ id: "pigeon", unavailable: "install it" }) };
  const result = await setConfigValue("channels.pigoen", { loft: 1 }, options);
  expect(result).toMatchObject({ type: "refused", problems: [{ message: expect.stringContaining('did you mean "pigeon"?') as string }] });
});

test("the schema of the file has the available channels; one without a readable schema accepts every key", async () => {
  const schemas = await loadChannelSchemas(
    sources({ id: "pigeon", unavailable: "install it" }, { id: "broken", load: () => Promise.reject(new Error("no schema")) }),
  );
  expect(schemas.map(({ id }) => id)).toEqual(["chatter", "webchat", "broken"]);
  expect(schemas[2]?.schema).toEqual({ type: "object" });
});

test("a pattern that a JSON Schema cannot state is refused when the schema is written", () => {
  expect(() => accountJsonSchema(z.strictObject({ name: z.string().regex(/^[^\p{Cc}]+$/u) }))).toThrow(/needs the flag u/);
  expect(() => accountJsonSchema(z.strictObject({ name: z.string().regex(/^[^\0]+$/) }))).not.toThrow();
});
