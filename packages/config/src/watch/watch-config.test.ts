import { rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryHome, type TemporaryHome } from "../../test/sample.ts";
import { watchConfig } from "./watch-config.ts";

/** A watched state directory with file events and time controlled by the test. */
async function watched(home: TemporaryHome, env: Readonly<Record<string, string>> = {}) {
  const timers = new Map<() => void, number>();
  const watches: { readonly folder: string; readonly tell: (name: string | undefined) => void }[] = [];
  let changes = 0;
  const watch = watchConfig({
    env: { ...home.env, ...env },
    clock: {
      schedule: (delayMs, callback) => {
        timers.set(callback, delayMs);
        return { [Symbol.dispose]: () => void timers.delete(callback) };
      },
    },
    onChange: () => (changes += 1),
    watchFolder: (folder, tell) => {
      const one = { folder, tell };
      watches.push(one);
      return { [Symbol.dispose]: () => void watches.splice(watches.indexOf(one), 1) };
    },
  });
  const pass = (delayMs: number): void => {
    for (const [callback, delay] of timers) if (delay === delayMs && timers.delete(callback)) callback();
  };
  const waits = (delayMs: number): boolean => [...timers.values()].includes(delayMs);
  await expect.poll(() => waits(5000)).toBe(true);
  pass(300);
  changes = 0;
  return {
    watch,
    tell: (name: string | undefined) => watches[0]?.tell(name),
    folder: () => watches[0]?.folder,
    settle: () => pass(300),
    poll: async () => {
      pass(5000);
      await expect.poll(() => waits(5000)).toBe(true);
    },
    waiting: () => timers.size,
    changes: () => changes,
  };
}

describe("the configuration file", () => {
  test("is reported once if it is written in several steps or replaced; other files are ignored", async () => {
    await using home = await temporaryHome();
    await home.write("factotum.json5", "{}");
    const scene = await watched(home);
    expect(scene.folder()).toBe(home.home);
    for (const name of ["factotum.json5", ".factotum.json5.swp", "factotum.json5", undefined, "factotum.json5"]) scene.tell(name);
    expect(scene.changes()).toBe(0);
    scene.settle();
    expect(scene.changes()).toBe(1);
    scene.tell("state");
    scene.tell(".factotum.json5.swp");
    scene.settle();
    expect(scene.changes()).toBe(1);
    // Another name that would be read instead.
    scene.tell("factotum.yaml");
    scene.settle();
    expect(scene.changes()).toBe(2);
    scene.watch[Symbol.dispose]();
    expect(scene.waiting()).toBe(0);
    expect(scene.folder()).toBeUndefined();
  });

  test("is polled for rewrite, replace, delete and re-create when file events are missed", async () => {
    await using home = await temporaryHome();
    const path = await home.write("factotum.json5", "{}");
    const scene = await watched(home);
    const expectChange = async (isOne: boolean): Promise<void> => {
      const before = scene.changes();
      await scene.poll();
      scene.settle();
      expect(scene.changes() - before).toBe(isOne ? 1 : 0);
    };
    await expectChange(false);
    await writeFile(path, "{ gateway: {} }");
    await expectChange(true);
    await expectChange(false);
    await writeFile(`${path}.new`, "{ gateway: { port: 1 } }");
    await rename(`${path}.new`, path);
    await expectChange(true);
    await rm(path);
    await expectChange(true);
    await writeFile(path, "{}");
    await expectChange(true);
    scene.watch[Symbol.dispose]();
  });

  test("is watched through a symbolic link", async () => {
    await using home = await temporaryHome();
    const target = await home.write("elsewhere.json5", "{}");
    const link = join(home.home, "linked.json5");
    await symlink(target, link);
    const scene = await watched(home, { FACTOTUM_CONFIG: link });
    await writeFile(target, "{ gateway: {} }");
    await scene.poll();
    scene.settle();
    expect(scene.changes()).toBe(1);
    scene.watch[Symbol.dispose]();
  });

  test("is reported by file events without polling", async () => {
    await using home = await temporaryHome();
    const path = await home.write("factotum.json5", "{}");
    let polls = 0;
    const changed = Promise.withResolvers<void>();
    using _watch = watchConfig({
      env: home.env,
      clock: {
        schedule: (delayMs, callback) => {
          if (delayMs === 5000) polls += 1;
          else callback();
          return { [Symbol.dispose]: () => undefined };
        },
      },
      onChange: () => {
        if (polls > 0) changed.resolve();
      },
    });
    await expect.poll(() => polls).toBe(1);
    await writeFile(path, "{ gateway: {} }");
    await changed.promise;
    expect(polls).toBe(1);
  });
});
