import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import type * as Fs from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createToolRig, type ToolRig } from "../../test/tool-rig.ts";

/** Stands in for `link`: what happens between the last check of a new file and its publication. */
const race = vi.hoisted(() => ({ strike: undefined as (() => Promise<void>) | undefined }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof Fs>();
  return {
    ...real,
    async link(...args: Parameters<typeof real.link>) {
      await race.strike?.();
      return real.link(...args);
    },
  };
});

let rig: ToolRig;
beforeEach(async () => {
  rig = await createToolRig();
});
afterEach(async () => {
  race.strike = undefined;
  await rig[Symbol.asyncDispose]();
});

const noLinks = Object.assign(new Error("no links here"), { code: "EPERM" });

async function add(data: string): Promise<void> {
  const files = await rig.files.forRun(rig.run);
  await files.change([{ type: "write", path: "new.md", data, unchangedSince: "absent" }], { tainted: false });
}

test.each(["with", "without"])("a new file replaces none that another process made at the last moment, %s hard links", async (links) => {
  const path = join(rig.workspace, "new.md");
  race.strike = async () => {
    await writeFile(`${path}.other`, "theirs");
    await rename(`${path}.other`, path);
    if (links === "without") throw noLinks;
  };
  await expect(add("mine")).rejects.toMatchObject({ code: "changed", message: "new.md exists already." });
  expect(await readdir(rig.workspace)).toEqual(["new.md"]);
  expect(await readFile(path, "utf8")).toBe("theirs");
});

test("a new file is made where there are no hard links", async () => {
  race.strike = async () => {
    throw noLinks;
  };
  await add("mine");
  expect(await readdir(rig.workspace)).toEqual(["new.md"]);
  expect(await readFile(join(rig.workspace, "new.md"), "utf8")).toBe("mine");
});
