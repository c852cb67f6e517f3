import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { writeExtension, writeInstalled } from "../../test/extension-package.ts";

let home: CliHome;
let out: string;
beforeEach(async () => {
  home = await CliHome.create();
  home.env["npm_config_offline"] = "true";
  out = join(home.home, "out");
});
afterEach(async () => home[Symbol.asyncDispose]());

test.each([
  ["feishu,telgram", 'There is no channel "telgram". Did you mean "telegram"?'],
  ["smoke", 'There is no channel "smoke".'],
])("%s is refused with the known names", async (channels, message) => {
  await writeInstalled(home.factotumHome, [{}]);
  const { code, stderr } = await home.run("build", "--channels", channels, "--out", out);
  expect(code).toBe(2);
  expect(stderr).toContain(`${message}\nKnown are: `);
  expect(stderr).toMatch(/ discord, .*feishu, irc, .*pigeon, slack, telegram, webchat, webhook\. For another/);
  expect(await readdir(home.home)).not.toContain("out");
});

test("a list without a name is refused", async () => {
  expect(await home.run("build", "--channels", " , ", "--out", out)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("No channel is named.\nThe page alone is: factotum build --channels webchat") as string,
  });
});

test("an installed package that cannot be used is refused with the reason", async () => {
  await writeInstalled(home.factotumHome, [{ manifest: { api: 2 } }]);
  expect(await home.run("build", "--channels", "pigeon", "--out", out)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("it was built for version 2 of the extension contract") as string,
  });
});

test.each([
  [{ schema: null }, "its schema ./dist/config.schema.json is missing"],
  [
    { manifest: { provides: [{ type: "channel", id: "feishu", entry: "./dist/index.mjs", configSchema: "./dist/config.schema.json" }] } },
    "Both factotum and pigeon-post",
  ],
  [
    { manifest: { provides: [{ type: "channel", id: "pigeon", entry: "./src/index.mjs", configSchema: "./dist/config.schema.json" }] } },
    "is not built",
  ],
])("a given package with a fault is refused: %j", { timeout: 60_000 }, async (options, message) => {
  const folder = await writeExtension(join(home.home, "pigeon"), options);
  const { code, stderr } = await home.run("build", "--channels", `feishu,${folder}`, "--out", out);
  expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining(message)]);
  expect(code).not.toBe(0);
  expect(await readdir(home.home)).not.toContain("out");
});

test("a folder that is in use is refused", async () => {
  await mkdir(out);
  await writeFile(join(out, "notes.txt"), "mine");
  expect(await home.run("build", "--channels", "webchat", "--out", out)).toMatchObject({ code: 2 });
  expect(await readdir(out)).toEqual(["notes.txt"]);
});
