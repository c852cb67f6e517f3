import { execFileSync } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";

const PAGE_BYTES = 4096;

/** Overwrites the root page of a table or index, like a failing disk. */
async function wreck(file: string, name: string): Promise<void> {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const page = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name)?.["rootpage"]);
  database.close();
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0x5a, (page - 1) * PAGE_BYTES, page * PAGE_BYTES));
}

// Waiting inputs are read before the gateway is ready, and counters while it reports that.
test.each(["inbox_by_state", "totals"])("a start with damage of %s rebuilds the database and continues", async (name) => {
  await using cli = await CliHome.create();
  const first = cli.spawn("gateway", "run", "--setup", "--port", "0");
  await first.waitFor(/#token=/);
  expect((await cli.run("agent", "-m", "hello")).code).toBe(0);
  first.child.kill("SIGKILL");
  await first.ended;
  await wreck(join(cli.factotumHome, "state", "factotum.sqlite"), name);

  const next = cli.spawn("gateway", "run", "--port", "0");
  await next.waitFor(/#token=/);
  expect(await cli.read("logs/gateway.log")).toContain("The database was rebuilt");
  expect((await cli.run("agent", "-m", "hello again")).code).toBe(0);
  expect((await cli.run("sessions", "list")).stdout).toContain("hello");
  next.child.kill("SIGTERM");
  expect((await next.ended).code).toBe(0);
});

test("a gateway whose database was deleted accepts nothing until its content is saved, and then continues", async () => {
  await using cli = await CliHome.create();
  const running = cli.spawn("gateway", "run", "--setup", "--port", "0");
  await running.waitFor(/#token=/);
  expect((await cli.run("agent", "-m", "hello")).code).toBe(0);
  const state = join(cli.factotumHome, "state");
  // No snapshot can be taken: the content of the database cannot be saved for now.
  await rm(join(state, "snapshots"), { recursive: true, force: true });
  await writeFile(join(state, "snapshots"), "");
  for (const end of ["", "-wal", "-shm"]) await rm(join(state, `factotum.sqlite${end}`), { force: true });

  await expect.poll(async () => cli.read("logs/gateway.log"), { timeout: 30_000 }).toContain("nothing new is taken");
  const refused = await cli.run("agent", "-m", "into nothing");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("My database was deleted or replaced while I was using it.");
  await rm(join(state, "snapshots"));
  await running.waitFor(/has rebuilt its database/);
  expect((await cli.run("agent", "-m", "hello again")).code).toBe(0);
  running.child.kill("SIGTERM");
  expect((await running.ended).code).toBe(0);
});

test("a database of another program is refused with the command after which the next start restores everything", async () => {
  await using cli = await CliHome.create();
  const first = cli.spawn("gateway", "run", "--setup", "--port", "0");
  await first.waitFor(/#token=/);
  expect((await cli.run("agent", "-m", "hello")).code).toBe(0);
  first.child.kill("SIGTERM");
  await first.ended;
  const file = join(cli.factotumHome, "state", "factotum.sqlite");
  for (const end of ["", "-wal", "-shm"]) await rm(`${file}${end}`, { force: true });
  const other = new DatabaseSync(file);
  other.exec("CREATE TABLE theirs (a)");
  other.close();

  const move = `mv '${file}' '${join(cli.factotumHome, "state", "other-program.sqlite")}'`;
  const { code, stdout } = await cli.run("doctor");
  expect(code).toBe(1);
  expect(stdout).toContain(`${file} is not a database of Factotum`);
  expect(stdout).toContain(move);
  expect(stdout).not.toContain("the database is sound");
  const refused = await cli.run("gateway", "run", "--port", "0");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(move);
  expect(refused.stderr).toContain("restores everything from");

  execFileSync("/bin/sh", ["-c", move], { stdio: "pipe" });
  const next = cli.spawn("gateway", "run", "--port", "0");
  await next.waitFor(/#token=/);
  expect((await cli.run("sessions", "list")).stdout).toContain("hello");
  next.child.kill("SIGTERM");
  expect((await next.ended).code).toBe(0);
});
