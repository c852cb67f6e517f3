import { afterAll, beforeAll, expect, test } from "vitest";
import { startHost, textOf, type TestHost } from "../test/host.ts";
import { PluginFolders, toolCode } from "../test/plugins.ts";
import type { InstalledPlugin } from "./index.ts";

let folders: PluginFolders;
beforeAll(async () => {
  folders = await PluginFolders.create();
});
afterAll(async () => folders[Symbol.asyncDispose]());

const slow = { timeout: 60_000 };

/** A tool that waits with `{ wait: name }` until it is called with `{ release: name }`. */
const WAITS = toolCode(
  `if (args.wait === undefined) { waiting.get(args.release)?.(); return "other"; }
   const released = new Promise((go) => waiting.set(args.wait, go));
   console.log("waits: " + api.id + " " + args.wait);
   await released;
   return "done";`,
  "const waiting = new Map();",
);

async function untilItWaits(running: TestHost, id: string, name: string): Promise<void> {
  await expect.poll(() => running.lines.map(({ message }) => message), { timeout: 20_000 }).toContain(`waits: ${id} ${name}`);
}

test("is not idle while a call runs, whenever another one has ended", slow, async () => {
  await using running = startHost([await folders.write("works", WAITS)], { idleMs: 1_000 });
  const called = running.call("works", { wait: "a" });
  await untilItWaits(running, "works", "a");
  expect(textOf(await running.call("works"))).toBe("other");
  running.clock.advance(1_001);
  await running.call("works", { release: "a" });
  expect(textOf(await called)).toBe("done");
});

test("a pause between calls counts from the last of them", slow, async () => {
  await using running = startHost([await folders.write("pauses", WAITS)], { idleMs: 1_000 });
  const first = running.call("pauses", { wait: "a" });
  await untilItWaits(running, "pauses", "a");
  await running.call("pauses", { release: "a" });
  await first;
  const next = running.call("pauses", { wait: "b" });
  await untilItWaits(running, "pauses", "b");
  running.clock.advance(1_001);
  await running.call("pauses", { release: "b" });
  expect(textOf(await next)).toBe("done");
});

test("a plugin with an idle time of its own is stopped after that", slow, async () => {
  const patient = await folders.write("patient", toolCode("return `call ${(calls += 1)}`;", "let calls = 0;"), { idleMs: 5_000 });
  await using running = startHost([patient], { idleMs: 1_000 });
  expect(textOf(await running.call("patient"))).toBe("call 1");
  running.clock.advance(4_000);
  expect(textOf(await running.call("patient"))).toBe("call 2");
  running.clock.advance(5_001);
  await expect.poll(() => running.running.size).toBe(0);
  expect(textOf(await running.call("patient"))).toBe("call 1");
});

/** Four plugins that have all places, and are busy. */
async function takeAllPlaces(plugins: readonly InstalledPlugin[], running: TestHost): Promise<() => Promise<void>> {
  const calls = plugins.map(async ({ id }) => running.call(id, { wait: "a" }));
  await Promise.all(plugins.map(async ({ id }) => untilItWaits(running, id, "a")));
  return async () => {
    await Promise.all(plugins.map(async ({ id }) => running.call(id, { release: "a" })));
    await Promise.all(calls);
  };
}

async function writeFour(prefix: string): Promise<readonly InstalledPlugin[]> {
  return Promise.all(["one", "two", "three", "four"].map(async (id) => folders.write(`${prefix}-${id}`, WAITS)));
}

test("a call that is stopped while it waits for a place is no failure of the plugin, and takes no other along", slow, async () => {
  const others = await writeFour("stopped");
  await using running = startHost([...others, await folders.write("fifth", toolCode(`return "ran";`))]);
  const release = await takeAllPlaces(others, running);
  for (let count = 0; count < 3; count += 1) {
    const stop = new AbortController();
    const called = running.call("fifth", {}, { signal: stop.signal });
    stop.abort();
    expect(textOf(await called)).toContain("the call was stopped");
  }
  const stop = new AbortController();
  const first = running.call("fifth", {}, { signal: stop.signal });
  const second = running.call("fifth");
  stop.abort();
  expect(textOf(await first)).toContain("the call was stopped");
  await release();
  expect(textOf(await second)).toBe("ran");
  expect(running.lines.filter(({ message }) => message === "A plugin failed")).toEqual([]);
});

test("a call waits 10 seconds for a place, and the lack of one is no failure of the plugin", slow, async () => {
  const others = await writeFour("late");
  await using running = startHost([...others, await folders.write("latecomer", toolCode(`return "ran";`))]);
  const release = await takeAllPlaces(others, running);
  for (let count = 0; count < 3; count += 1) {
    const called = running.call("latecomer");
    running.clock.advance(10_001);
    expect(textOf(await called)).toContain("4 other plugins are busy");
  }
  await release();
  expect(textOf(await running.call("latecomer"))).toBe("ran");
});

test("a plugin that is switched off while its secrets are read starts no process", slow, async () => {
  const secret = Promise.withResolvers<string>();
  const asked = Promise.withResolvers<void>();
  const plugin = await folders.write("secretive", toolCode(`return "ran";`), { secrets: ["KEY"] });
  await using running = startHost([plugin], {
    readSecret: async () => {
      asked.resolve();
      return secret.promise;
    },
  });
  const called = running.call("secretive");
  await asked.promise;
  const closed = running.host.close();
  secret.resolve("s3cret");
  expect(textOf(await called)).toContain("the plugin was changed or switched off");
  await closed;
  expect([...running.running]).toEqual([]);
  expect(running.lines).toEqual([]);
});

test("a plugin that is changed while a call runs ends with the call, and is not said to have failed", slow, async () => {
  const plugin = await folders.write("changes", WAITS);
  await using running = startHost([plugin]);
  const called = running.call("changes", { wait: "a" });
  await untilItWaits(running, "changes", "a");
  running.host.apply([{ ...plugin, version: "1.0.1" }]);
  expect(textOf(await called)).toContain("the plugin was changed or switched off");
  expect(textOf(await running.call("changes"))).toBe("other");
  expect(running.lines.filter(({ message }) => message === "A plugin failed")).toEqual([]);
  expect(running.host.sources()[0]?.problem).toBeUndefined();
});
