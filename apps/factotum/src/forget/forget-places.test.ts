import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { neighbouringHomes } from "./forget-places.ts";

test("folders next to the state directory whose names begin with its own are named, and files are not", async () => {
  const folder = await mkdtemp(join(tmpdir(), "forget-places-"));
  const home = join(folder, "home");
  for (const name of ["home", "home.before", "home.restoring-1", "other"]) await mkdir(join(folder, name));
  await writeFile(join(folder, "home.log"), "");
  expect(await neighbouringHomes(home)).toEqual([`${home}.before`]);
  await rm(folder, { recursive: true });
});
