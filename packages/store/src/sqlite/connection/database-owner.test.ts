import { spawn } from "node:child_process";
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSqliteFixture } from "../../../test/open-test-store.ts";
import type { SqliteFixture } from "../../../test/open-test-store.ts";
import { findDatabaseOwner, openSqliteStore } from "../../index.ts";

let fixture: SqliteFixture;
beforeEach(async () => {
  fixture = await createSqliteFixture();
});
afterEach(() => fixture.remove());

/** A process that keeps the database open until it is killed. */
async function openElsewhere(): Promise<AsyncDisposable & { readonly pid: number }> {
  const program = `
    const database = new (require("node:sqlite").DatabaseSync)(process.argv[1]);
    database.prepare("SELECT epoch FROM ownership").get();
    process.stdout.write("open");
    setInterval(() => database.isOpen, 1000);`;
  const child = spawn(process.execPath, ["-e", program, fixture.file], { stdio: ["ignore", "pipe", "pipe"] });
  await once(child.stdout, "data");
  return {
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await once(child, "close");
    },
  };
}

/** Makes a process the recorded owner. */
async function own(processId: number): Promise<void> {
  const store = await openSqliteStore({ ...fixture.options, processId });
  await store.close();
}

const isRunning = (): boolean => true;

test("is the recorded process while it has the database open", async () => {
  await own(1);
  expect(findDatabaseOwner(fixture.folder, isRunning)).toBeUndefined();
  await using other = await openElsewhere();
  const database = new DatabaseSync(fixture.file);
  database.prepare("UPDATE ownership SET boot_id = ?").run(`${other.pid}/x`);
  database.close();
  expect(findDatabaseOwner(fixture.folder, (pid) => pid === other.pid)).toBe(other.pid);
});

test("is undefined if another program reads the database of a process that has ended, or if the id was reused", async () => {
  await own(7);
  {
    await using _viewer = await openElsewhere();
    expect(findDatabaseOwner(fixture.folder, (pid) => pid !== 7)).toBeUndefined();
  }
  // The viewer was killed, so the log is still there; no process has the database open.
  expect(findDatabaseOwner(fixture.folder, isRunning)).toBeUndefined();
});

test("is not the calling process, nor the one of a database that cannot be read", async () => {
  await own(process.pid);
  await using _viewer = await openElsewhere();
  expect(findDatabaseOwner(fixture.folder, isRunning)).toBeUndefined();
  expect(findDatabaseOwner(`${fixture.folder}-missing`, isRunning)).toBeUndefined();
});
