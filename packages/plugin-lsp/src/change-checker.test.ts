import { describe, expect, test, vi } from "vitest";
import { LIMITS, openScene } from "../test/scene.ts";

describe.each([["push"], ["pull"], ["unversioned"], ["utf-8"]])(
  "a change that is checked by a server with %s",
  { timeout: 60_000 },
  (mode) => {
    test("comes back with the errors that it introduces, and with no others", async () => {
      await using scene = await openScene();
      await scene.write("a.fake", "BAD old\r\nfine\r\n");
      scene.servers.sources({ fake: scene.fake(mode) }, LIMITS);
      expect(await scene.change("a.fake", "BAD old\r\nfine\r\n😀 BAD new\r\n")).toBe(
        "This change introduced errors in a.fake:\n3:4 error: bad: BAD new [7]",
      );
      // Moved by a line, and repaired.
      expect(await scene.change("a.fake", "above\r\nBAD old\r\nfine\r\n")).toBeUndefined();
      expect(await scene.change("a.fake", "above\r\nBAD old\r\nBAD old\r\n")).toContain("\n3:1 error: bad: BAD old");
      expect(await scene.change("new.fake", "BAD one\nBADLY two\n")).toBe(
        "This change introduced errors in new.fake:\n1:1 error: bad: BAD one [7]",
      );
      expect(scene.runner.started).toHaveLength(1);
    });
  },
);

test("nothing is said without a server, for guests, outside of the workspace, and where checks are off", { timeout: 60_000 }, async () => {
  await using scene = await openScene();
  scene.servers.sources({ fake: scene.fake() }, LIMITS);
  expect(await scene.change("a.other", "BAD\n")).toBeUndefined();
  expect(await scene.change("a.fake", "BAD\n", { owner: false })).toBeUndefined();
  expect(await scene.change("../a.fake", "BAD\n")).toBeUndefined();
  scene.servers.sources({ fake: scene.fake() }, { ...LIMITS, changeDiagnostics: false });
  expect(await scene.change("b.fake", "BAD\n")).toBeUndefined();
  expect(scene.runner.started).toEqual([]);
  scene.servers.sources({ fake: scene.fake() }, LIMITS);
  expect(await scene.change("c.fake", "BAD\n")).toContain("1:1 error");
});

test.each([["silent"], ["hang-at-start"], ["hang,silent"], ["die-at-start"]])(
  "the answer to a change waits 5 s at most for a server that is %s",
  { timeout: 60_000 },
  async (mode) => {
    await using scene = await openScene();
    scene.servers.sources({ fake: scene.fake(mode) }, LIMITS);
    const changed = scene.change("a.fake", "BAD\n");
    let told: unknown = "waiting";
    void changed.then((text) => (told = text));
    await vi.waitFor(() => expect(scene.calls()).toContain("initialize"), { timeout: 20_000 });
    if (mode !== "die-at-start") {
      expect(told).toBe("waiting");
      scene.clock.fire(5_000);
    }
    expect(await changed).toBeUndefined();
  },
);

test("a storm of 200 versions never says what is not true of the version", { timeout: 60_000 }, async () => {
  await using scene = await openScene();
  scene.servers.sources({ fake: scene.fake("late") }, LIMITS);
  await scene.change("a.fake", "fine\n");
  const said = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const text = index % 2 === 0 ? `BAD ${index}\n` : "fine\n";
      return { text, told: await scene.change("a.fake", text) };
    }),
  );
  for (const { text, told } of said) {
    if (told === undefined) continue;
    expect(told).toBe(`This change introduced errors in a.fake:\n1:1 error: bad: ${text.trim()} [7]`);
  }
  expect(await scene.change("a.fake", "BAD last\n")).toContain("1:1 error: bad: BAD last");
  expect(scene.runner.started).toHaveLength(1);
});
