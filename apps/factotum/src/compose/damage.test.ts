import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";

test("a conversation that has lost a part to the disk says so after the next start", async () => {
  await using cli = await CliHome.create();
  const first = cli.spawn("gateway", "run", "--setup", "--port", "0");
  await first.waitFor(/#token=/);
  expect((await cli.run("agent", "-m", "the word is plover")).code).toBe(0);
  expect((await cli.run("gateway", "stop")).code).toBe(0);
  await first.ended;
  const database = new DatabaseSync(join(cli.factotumHome, "state/factotum.sqlite"));
  expect(database.prepare("UPDATE transcript SET payload = replace(payload, 'plover', 'clover')").run().changes).toBeGreaterThan(0);
  database.close();

  const second = cli.spawn("gateway", "run", "--port", "0");
  await second.waitFor(/#token=/);
  expect((await cli.run("agent", "-m", "hello again")).code).toBe(0);
  const rows = { kind: "rows", sessionKey: "agent:main:main" };
  expect(JSON.parse((await cli.run("status", "--json")).stdout)).toMatchObject({ damage: [rows] });
  expect((await cli.run("gateway", "stop")).code).toBe(0);
  await second.ended;
  const folder = join(cli.factotumHome, "agents/main/sessions");
  const copies = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  expect(copies.join("").match(/damaged on the disk/g)).toHaveLength(1);

  // It is listed through stops and starts until it is acknowledged.
  expect((await cli.run("status")).stdout).toContain("damaged on the disk");
  const third = cli.spawn("gateway", "run", "--port", "0");
  await third.waitFor(/#token=/);
  expect((await cli.run("damage", "list")).stdout).toMatch(/^d1 .*damaged on the disk/);
  expect((await cli.run("damage", "acknowledge")).stdout).toBe("1 acknowledged.\n");
  expect(JSON.parse((await cli.run("status", "--json")).stdout)).toMatchObject({ damage: [] });
});

test("a gateway with a damaged database structure rebuilds it, says so, and continues", async () => {
  await using cli = await CliHome.create();
  const first = cli.spawn("gateway", "run", "--setup", "--port", "0");
  await first.waitFor(/#token=/);
  expect((await cli.run("agent", "--message", "hello")).code).toBe(0);
  expect((await cli.run("gateway", "stop")).code).toBe(0);
  await first.ended;
  const file = join(cli.factotumHome, "state/factotum.sqlite");
  const connection = new DatabaseSync(file);
  const page = Number(connection.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'sessions_by_activity'").get()?.["rootpage"]);
  connection.close();
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0x5a, (page - 1) * 4096, page * 4096));

  const second = cli.spawn("gateway", "run", "--port", "0");
  await second.waitFor(/#token=/);
  await cli.run("sessions", "list");
  await second.waitFor(/has rebuilt its database/);
  const listed = await cli.run("sessions", "list", "--json");
  expect(listed).toMatchObject({ code: 0 });
  expect(listed.stdout).toContain("agent:main:main");
  const shown = await cli.run("agent", "--message", "are you there?", "--json");
  expect(shown.code).toBe(0);
  expect((await cli.run("sessions", "export", "agent:main:main")).stdout).toContain("My database was damaged on the disk.");
});

test("a database that cannot be opened and has nothing to be restored from is kept aside, and reported", async () => {
  await using cli = await CliHome.create();
  const first = cli.spawn("gateway", "run", "--setup", "--port", "0");
  await first.waitFor(/#token=/);
  expect((await cli.run("gateway", "stop")).code).toBe(0);
  await first.ended;
  const state = join(cli.factotumHome, "state");
  const bytes = await readFile(join(state, "factotum.sqlite"));
  await writeFile(join(state, "factotum.sqlite"), bytes.fill(0, 16, 18));

  const second = cli.spawn("gateway", "run", "--port", "0");
  await second.waitFor(/#token=/);
  const [aside = "?"] = (await readdir(state)).filter((name) => name.startsWith("damaged-"));
  expect(await readFile(join(state, aside, "factotum.sqlite"))).toEqual(bytes);
  expect((await cli.run("damage", "list")).stdout).toMatch(/^d1 .*I begin empty/);
  expect((await cli.run("status")).stdout).toContain("I begin empty");
});
