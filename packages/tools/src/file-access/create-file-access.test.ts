import { execFileSync } from "node:child_process";
import { chmod, link, mkdir, readdir, readFile, rename, rm, stat, symlink, unlink, writeFile } from "node:fs/promises";
import type * as Fs from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { FileWrite, RunFacts } from "@factotum/agent-contract";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createToolRig, type ToolRig } from "../../test/tool-rig.ts";
import { FileAccessError } from "./file-access-error.ts";

/** Runs between resolving a path and opening it, where a race would occur. */
const race = vi.hoisted(() => ({ strike: undefined as (() => Promise<void>) | undefined }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof Fs>();
  return {
    ...real,
    async open(...args: Parameters<typeof real.open>) {
      const strike = race.strike;
      race.strike = undefined;
      await strike?.();
      return real.open(...args);
    },
  };
});

let rig: ToolRig;

beforeEach(async () => {
  rig = await createToolRig({
    roots: (base) => [
      { type: "skills", path: join(base, "home/skills") },
      { type: "media", path: join(base, "home/media/session-1") },
      { type: "owner", path: join(base, "documents"), writable: false },
      { type: "owner", path: join(base, "projects"), writable: true },
      { type: "owner", path: join(base, "home/state"), writable: true },
      { type: "owner", path: join(base, "gone"), writable: true },
    ],
  });
  await rig.put("workspace/notes.md", "notes");
  await rig.put("secret.txt", "SECRET");
  await rig.put("workspace2/other.txt", "SECRET");
  await rig.put("home/factotum.json5", "SECRET");
  await rig.put("home/state/db.sqlite", "SECRET");
  await rig.put("home/media/session-2/photo.txt", "SECRET");
  await rig.put("home/media/session-1/photo.txt", "received");
  await rig.put("home/skills/greet/SKILL.md", "skill");
  await rig.put("documents/letter.txt", "letter");
  await rig.put("projects/app/main.ts", "main");
});
afterEach(async () => {
  race.strike = undefined;
  await rig[Symbol.asyncDispose]();
});

async function read(path: string, from: ToolRig = rig): Promise<string> {
  await using file = await (await from.files.forRun(from.run)).openFile(path);
  return (await file.handle.readFile()).toString();
}

async function write(path: string, data: string, from: ToolRig = rig): Promise<string> {
  return (await (await from.files.forRun(from.run)).write(path, data, { tainted: false })).shown;
}

/** The code of the refusal; fails if it is not refused. */
async function refusal(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    expect(error).toBeInstanceOf(FileAccessError);
    return (error as FileAccessError).code;
  }
  throw new Error("It was not refused.");
}

describe("reading", () => {
  test.each([
    ["notes.md", "notes"],
    ["./x/../notes.md", "notes"],
    ["../home/skills/greet/SKILL.md", "skill"],
    ["../home/media/session-1/photo.txt", "received"],
    ["../documents/letter.txt", "letter"],
    ["../projects/app/main.ts", "main"],
  ])("%s is granted", async (path, content) => {
    expect(await read(path)).toBe(content);
    expect(await read(join(rig.workspace, path))).toBe(content);
  });

  test.each([
    ["../secret.txt", "outside"],
    ["../workspace2/other.txt", "outside"],
    ["../nothing-here.txt", "outside"],
    ["/etc/passwd", "outside"],
    ["/proc/self/environ", "outside"],
    ["/dev/zero", "outside"],
    ["a/../../secret.txt", "outside"],
    ["..", "outside"],
    ["~/secret.txt", "invalid-path"],
    ["~", "invalid-path"],
    ["../home/factotum.json5", "reserved"],
    ["../home/state/db.sqlite", "reserved"],
    ["../home/media/session-2/photo.txt", "reserved"],
    ["../home/nothing", "reserved"],
    ["../home", "reserved"],
    ["../gone/x", "outside"],
    ["missing.md", "not-found"],
    ["notes.md/x", "not-found"],
    ["", "invalid-path"],
    ["  ", "invalid-path"],
    ["notes.md\0.txt", "invalid-path"],
    ["x".repeat(256), "invalid-path"],
    ["x/".repeat(3_000), "invalid-path"],
    ["x/".repeat(250), "invalid-path"],
    [".", "not-a-file"],
  ])("%j is refused as %s", async (path, code) => {
    expect(await refusal(read(path))).toBe(code);
  });

  test("a circle of links outside is refused like anything else there", async () => {
    await symlink(join(rig.base, "circle"), join(rig.base, "circle"));
    expect(await refusal(read("../circle"))).toBe("outside");
    await symlink(join(rig.workspace, "own-circle"), join(rig.workspace, "own-circle"));
    expect(await refusal(read("own-circle"))).toBe("changed");
  });

  test("a removed workspace is created again", async () => {
    await rm(rig.workspace, { recursive: true });
    expect(await refusal(read("notes.md"))).toBe("not-found");
    await rm(rig.workspace, { recursive: true });
    expect(await write("notes.md", "again")).toBe("notes.md");
    expect(await read("notes.md")).toBe("again");
  });

  test("distinguishes untrusted files from trusted ones", async () => {
    const files = await rig.files.forRun(rig.run);
    await using received = await files.openFile("../home/media/session-1/photo.txt");
    await using own = await files.openFile("notes.md");
    expect([received.untrusted, own.untrusted]).toEqual([true, false]);
  });

  test("checks the provenance of text, with the real path, before every write and at every opening", async () => {
    const writes: FileWrite[] = [];
    await using known = await createToolRig({
      provenance: {
        beforeWrite: async (asked) => {
          writes.push(asked);
          return asked.tainted ? { type: "refuse", message: "Ask the owner." } : { type: "allow" };
        },
        instructionAt: async (path) => (path.endsWith("day.md") ? "day.md" : undefined),
        isUntrusted: async (path) => path.endsWith("day.md"),
      },
    });
    await known.put("workspace/day.md", "obey");
    await symlink("day.md", join(known.workspace, "link.md"));
    const files = await known.files.forRun(known.run);
    expect(await refusal(files.write("link.md", "mine", { tainted: true }))).toBe("needs-confirmation");
    expect(await read("day.md", known)).toBe("obey");
    await files.write("new/../link.md", "mine", { tainted: false });
    expect(await read("day.md", known)).toBe("mine");
    expect(await files.findInstructions(["other.md", "new/../link.md"])).toBe("day.md");
    expect(await files.findInstructions(["other.md"])).toBeUndefined();
    // A write there is refused whatever anyone decides, so it is not asked about.
    await known.put("elsewhere/day.md", "obey");
    expect(await files.findInstructions(["../elsewhere/day.md"])).toBeUndefined();
    const readsOnly = { ...known.run, sandbox: { workspaceAccess: "ro", shared: false } } as RunFacts;
    expect(await (await known.files.forRun(readsOnly)).findInstructions(["day.md"])).toBeUndefined();
    const path = join(known.workspace, "day.md");
    expect(writes).toEqual([true, false].map((tainted) => ({ path, content: "mine", run: known.run, tainted, isBlind: true })));
    await using day = await files.openFile("link.md");
    await using folder = await files.openFolder(".");
    await known.put("workspace/other.md", "mine");
    await using inFolder = await folder.open("day.md");
    await using other = await files.openFile("other.md");
    expect([day.untrusted, inFolder.untrusted, other.untrusted]).toEqual([true, true, false]);
  });

  test("asks the rules of notes about each change, writes what they make of it, and says so", async () => {
    const asked: (readonly FileWrite[])[] = [];
    await using known = await createToolRig({
      notes: {
        change: async (writes, make) => {
          asked.push(writes);
          const [write] = writes;
          if (write === undefined || write.content.includes("junk")) return { type: "refused", message: "Leave it out." };
          await make(new Map([[write.path, "merged"]]));
          return { type: "made", remarks: new Map([[write.path, "Merged: one."]]) };
        },
      },
    });
    await known.put("workspace/day.md", "before");
    await known.put("workspace/old.md", "old");
    const files = await known.files.forRun(known.run);
    expect(await refusal(files.write("day.md", "junk", { tainted: false }))).toBe("unsuitable");
    expect(await read("day.md", known)).toBe("before");
    expect(await files.write("day.md", "mine", { tainted: true })).toEqual({ shown: "day.md", remark: "Merged: one." });
    expect(await read("day.md", known)).toBe("merged");
    const changed = await files.change(
      [
        { type: "write", path: "new.md", data: "x" },
        { type: "remove", path: "old.md" },
      ],
      { tainted: false },
    );
    expect(changed).toEqual([{ shown: "new.md", remark: "Merged: one." }, { shown: "old.md" }]);
    expect(asked.at(-1)?.map(({ content }) => content)).toEqual(["x", ""]);
    expect(asked[1]).toEqual([{ path: join(known.workspace, "day.md"), content: "mine", run: known.run, tainted: true, isBlind: true }]);
  });

  test("shows paths relative to the workspace, or absolute", async () => {
    const files = await rig.files.forRun(rig.run);
    await using own = await files.openFile(join(rig.workspace, "notes.md"));
    await using other = await files.openFile("../documents/letter.txt");
    expect([own.shown, other.shown]).toEqual(["notes.md", join(rig.base, "documents/letter.txt")]);
  });

  test("`~` is the person's home if it is known, and grants nothing", async () => {
    await using known = await createToolRig({
      userHome: join(rig.base, "documents"),
      roots: () => [{ type: "owner", path: join(rig.base, "documents"), writable: false }],
    });
    expect(await read("~/letter.txt", known)).toBe("letter");
    expect(await refusal(read("~/../secret.txt", known))).toBe("outside");
  });
});

describe("symbolic links", () => {
  test.each([
    ["to a file outside", "../secret.txt", "link", "outside"],
    ["to a folder outside", "..", "link/secret.txt", "outside"],
    ["into the state folder", "../home", "link/factotum.json5", "reserved"],
    ["to a folder outside, back in by ..", "../workspace2", "link/../../secret.txt", "outside"],
    ["to itself", "link", "link", "changed"],
    ["to nothing", "nowhere", "link", "not-found"],
  ])("%s", async (_name, target, path, code) => {
    await symlink(target, join(rig.workspace, "link"));
    expect(await refusal(read(path))).toBe(code);
  });

  test("a chain of links, the last of which leads outside", async () => {
    await symlink("../secret.txt", join(rig.workspace, "third"));
    await symlink("third", join(rig.workspace, "second"));
    await symlink(join(rig.workspace, "second"), join(rig.workspace, "first"));
    expect(await refusal(read("first"))).toBe("outside");
  });

  test("inside the workspace are followed", async () => {
    await symlink("notes.md", join(rig.workspace, "link"));
    await symlink(".", join(rig.workspace, "here"));
    expect(await read("here/link")).toBe("notes");
    expect(await write("here/link", "changed")).toBe("notes.md");
    expect(await read("notes.md")).toBe("changed");
  });

  test("are not written through if they lead outside or nowhere", async () => {
    await symlink("../secret.txt", join(rig.workspace, "out"));
    await symlink("../fresh.txt", join(rig.workspace, "nowhere"));
    await symlink("..", join(rig.workspace, "up"));
    expect(await refusal(write("out", "x"))).toBe("outside");
    expect(await refusal(write("nowhere", "x"))).toBe("not-found");
    expect(await refusal(write("up/fresh.txt", "x"))).toBe("outside");
    expect(await refusal(write("up/made/fresh.txt", "x"))).toBe("outside");
    expect(await readFile(join(rig.base, "secret.txt"), "utf8")).toBe("SECRET");
    expect(await readdir(rig.base)).not.toContain("fresh.txt");
    expect(await readdir(rig.base)).not.toContain("made");
  });
});

describe("replaced between the check and the opening", () => {
  test("a file by a symbolic link", async () => {
    race.strike = async () => {
      await unlink(join(rig.workspace, "notes.md"));
      await symlink("../secret.txt", join(rig.workspace, "notes.md"));
    };
    expect(await refusal(read("notes.md"))).toBe("changed");
  });

  test("a parent folder by a symbolic link", async () => {
    await rig.put("workspace/folder/secret.txt", "mine");
    race.strike = async () => {
      await rename(join(rig.workspace, "folder"), join(rig.workspace, "aside"));
      await symlink("..", join(rig.workspace, "folder"));
    };
    expect(await refusal(read("folder/secret.txt"))).toBe("outside");
  });

  test("a file by a named pipe, without blocking", async () => {
    race.strike = async () => {
      await unlink(join(rig.workspace, "notes.md"));
      execFileSync("sh", ["-c", `mkfifo "$0"`, join(rig.workspace, "notes.md")]);
    };
    expect(await refusal(read("notes.md"))).toBe("not-a-file");
  });

  test("the folder of a new file", async () => {
    await mkdir(join(rig.workspace, "folder"));
    race.strike = async () => {
      await rename(join(rig.workspace, "folder"), join(rig.workspace, "aside"));
      await symlink("../workspace2", join(rig.workspace, "folder"));
    };
    // O_NOFOLLOW together with O_DIRECTORY: the link is not a folder.
    expect(await refusal(write("folder/new.txt", "x"))).toBe("not-found");
    expect(await readdir(join(rig.base, "workspace2"))).toEqual(["other.txt"]);
  });

  test.runIf(process.platform === "linux")("a folder that moved after it was opened takes its new file with it", async () => {
    await mkdir(join(rig.workspace, "folder"));
    race.strike = async () => {
      // Runs at the opening of the folder; the next opening is that of the temporary file.
      race.strike = async () => {
        await rename(join(rig.workspace, "folder"), join(rig.workspace, "aside"));
        await symlink("../workspace2", join(rig.workspace, "folder"));
      };
    };
    await write("folder/new.txt", "x");
    expect(await readdir(join(rig.base, "workspace2"))).toEqual(["other.txt"]);
    expect(await readFile(join(rig.workspace, "aside/new.txt"), "utf8")).toBe("x");
  });
});

describe("special files", () => {
  test("a named pipe, a socket", async () => {
    execFileSync("sh", ["-c", `mkfifo "$0"`, join(rig.workspace, "pipe")]);
    const server = createServer().listen(join(rig.workspace, "sock"));
    await new Promise((resolve) => server.once("listening", resolve));
    expect(await refusal(read("pipe"))).toBe("not-a-file");
    expect(await refusal(read("sock"))).toBe("not-a-file");
    expect(await refusal(write("pipe", "x"))).toBe("not-a-file");
    await new Promise((resolve) => server.close(resolve));
  });

  test("a device in a root", async () => {
    await using devices = await createToolRig({ roots: () => [{ type: "owner", path: "/dev", writable: true }] });
    expect(await refusal(read("/dev/zero", devices))).toBe("not-a-file");
    expect(await refusal(write("/dev/null", "x", devices))).toBe("not-a-file");
  });
});

describe("writing", () => {
  test("makes folders and files, and replaces atomically", async () => {
    expect(await write("a/b/c.txt", "one")).toBe("a/b/c.txt");
    const before = await stat(join(rig.workspace, "a/b/c.txt"));
    await write("a/b/c.txt", "two");
    const after = await stat(join(rig.workspace, "a/b/c.txt"));
    expect(await read("a/b/c.txt")).toBe("two");
    expect(after.ino).not.toBe(before.ino);
    expect(await readdir(join(rig.workspace, "a/b"))).toEqual(["c.txt"]);
  });

  test("keeps the mode of an existing file", async () => {
    await chmod(join(rig.workspace, "notes.md"), 0o751);
    await write("notes.md", "x");
    expect((await stat(join(rig.workspace, "notes.md"))).mode & 0o7777).toBe(0o751);
  });

  test("leaves a hard link of the same file unchanged", async () => {
    await link(join(rig.workspace, "notes.md"), join(rig.workspace, "twin.md"));
    await write("notes.md", "x");
    expect(await read("twin.md")).toBe("notes");
  });

  test("into writable roots only", async () => {
    await write("../projects/app/new.ts", "x");
    expect(await readFile(join(rig.base, "projects/app/new.ts"), "utf8")).toBe("x");
    for (const path of ["../documents/letter.txt", "../home/skills/greet/SKILL.md", "../home/media/session-1/new.txt"]) {
      expect(await refusal(write(path, "x"))).toBe("read-only");
    }
    for (const path of ["../home/factotum.json5", "../home/state/db.sqlite", "../home/new.txt"]) {
      expect(await refusal(write(path, "x"))).toBe("reserved");
    }
    expect(await refusal(write("../new.txt", "x"))).toBe("outside");
  });

  test("not where the sandbox has the workspace read-only, and says so", async () => {
    const run = { ...rig.run, sandbox: { workspaceAccess: "ro", shared: false } } as RunFacts;
    const files = await rig.files.forRun(run);
    await expect(files.write("new.txt", "x", { tainted: false })).rejects.toThrow(
      'new.txt may be read but not changed: the sandbox of this session has the workspace read-only (workspaceAccess is "ro").',
    );
    await expect(files.write("../documents/letter.txt", "x", { tainted: false })).rejects.toThrow(
      "only the workspace and writable roots may.",
    );
  });

  test("of a missing file names the nearest of its folder that the run may read, or how to look for it", async () => {
    await rig.put("workspace/sub/long.txt", "x");
    await symlink(join(rig.base, "home/factotum.json5"), join(rig.workspace, "sub/config.txt"));
    const files = await rig.files.forRun(rig.run);
    await expect(files.openFile("sub/long.tx")).rejects.toThrow("sub/long.tx does not exist. Did you mean sub/long.txt?");
    for (const path of ["nope.txt", "gone/long.txt", "sub/confg.txt"])
      await expect(files.openFile(path)).rejects.toThrow(`${path} does not exist. Look for it with ls or find.`);
    await expect(files.openFile("../home/factotum.json")).rejects.toThrow("own state");
  });

  test("not into a folder, and says what to name", async () => {
    await mkdir(join(rig.workspace, "folder"));
    const files = await rig.files.forRun(rig.run);
    await expect(files.write("folder", "x", { tainted: false })).rejects.toThrow(
      "folder is a folder; name a file in it, such as folder/notes.md.",
    );
  });

  test.each([
    ["folder/", "invalid-path"],
    ["folder/.", "invalid-path"],
    ["folder", "not-a-file"],
    [".", "not-a-file"],
    ["notes.md/x", "not-a-folder"],
  ])("%s is refused as %s", async (path, code) => {
    await mkdir(join(rig.workspace, "folder"));
    expect(await refusal(write(path, "x"))).toBe(code);
  });

  test("not over a read-only file", async () => {
    await chmod(join(rig.workspace, "notes.md"), 0o444);
    expect(await refusal(write("notes.md", "x"))).toBe("read-only");
    expect(await read("notes.md")).toBe("notes");
  });

  test("not over a version that was not read", async () => {
    const files = await rig.files.forRun(rig.run);
    await using file = await files.openFile("notes.md");
    await writeFile(join(rig.workspace, "notes.md"), "someone else");
    expect(await refusal(files.write("notes.md", "mine", { tainted: false, unchangedSince: file.version }))).toBe("changed");
    await rm(join(rig.workspace, "notes.md"));
    expect(await refusal(files.write("notes.md", "mine", { tainted: false, unchangedSince: file.version }))).toBe("changed");
    expect(await readdir(rig.workspace)).toEqual([]);
  });

  test("not over a change made at the last moment", async () => {
    const files = await rig.files.forRun(rig.run);
    await using file = await files.openFile("notes.md");
    race.strike = async () => {
      race.strike = () => writeFile(join(rig.workspace, "notes.md"), "someone else");
    };
    expect(await refusal(files.write("notes.md", "mine", { tainted: false, unchangedSince: file.version }))).toBe("changed");
    expect(await readdir(rig.workspace)).toEqual(["notes.md"]);
    expect(await read("notes.md")).toBe("someone else");
  });

  test("a failure leaves no temporary file", async () => {
    race.strike = async () => {
      race.strike = async () => {
        race.strike = undefined;
        await rm(join(rig.workspace, "notes.md"));
        await mkdir(join(rig.workspace, "notes.md"));
      };
    };
    expect(await refusal(write("notes.md", "x"))).toBe("not-a-file");
    expect(await readdir(rig.workspace)).toEqual(["notes.md"]);
  });
});

describe("the state folder", () => {
  test("is closed if the workspace is inside it", async () => {
    await using inside = await createToolRig({
      workspace: "home/workspace",
      roots: (base) => [{ type: "owner", path: base, writable: true }],
    });
    await inside.put("home/workspace/a.txt", "mine");
    await inside.put("home/factotum.json5", "SECRET");
    await inside.put("home/workspace-other/a.txt", "SECRET");
    await inside.put("beside.txt", "beside");
    expect(await read("a.txt", inside)).toBe("mine");
    expect(await read("../../beside.txt", inside)).toBe("beside");
    for (const path of ["../factotum.json5", "../workspace-other/a.txt", ".."]) expect(await refusal(read(path, inside))).toBe("reserved");
    expect(await refusal(write("../factotum.json5", "x", inside))).toBe("reserved");
  });

  test("is closed if it is inside the workspace, or is the workspace", async () => {
    await using around = await createToolRig({ workspace: "." });
    await around.put("home/factotum.json5", "SECRET");
    await around.put("a.txt", "mine");
    expect(await read("a.txt", around)).toBe("mine");
    expect(await refusal(read("home/factotum.json5", around))).toBe("reserved");
    await using same = await createToolRig({ workspace: "home" });
    await same.put("home/factotum.json5", "SECRET");
    expect(await refusal(read("factotum.json5", same))).toBe("reserved");
  });

  test("is recognised by its real path, like protected files", async () => {
    await using linked = await createToolRig({
      protectedPaths: [join(rig.workspace, "config.json5")],
      roots: () => [{ type: "owner", path: rig.base, writable: true }],
    });
    await rig.put("workspace/config.json5", "SECRET");
    await symlink("config.json5", join(rig.workspace, "alias"));
    expect(await refusal(read(join(rig.workspace, "config.json5"), linked))).toBe("reserved");
    expect(await refusal(read(join(rig.workspace, "alias"), linked))).toBe("reserved");
    expect(await refusal(write(join(rig.workspace, "config.json5"), "x", linked))).toBe("reserved");
    expect(await read(join(rig.workspace, "notes.md"), linked)).toBe("notes");
  });
});

test("no path of any shape reads or writes outside", async () => {
  await symlink("..", join(rig.workspace, "up"));
  await symlink("/", join(rig.workspace, "root"));
  await symlink("../home", join(rig.workspace, "state"));
  const part = fc.constantFrom(
    "..",
    ".",
    "up",
    "root",
    "state",
    "notes.md",
    "home",
    "secret.txt",
    "factotum.json5",
    "workspace2",
    "other.txt",
    "",
    "etc",
    "~",
    rig.base,
    rig.workspace,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 7 }), async (parts) => {
      const path = parts.join("/");
      await read(path).then(
        (content) => expect(content).not.toContain("SECRET"),
        (error: unknown) => expect(error).toBeInstanceOf(FileAccessError),
      );
      await write(path, "OVERWRITTEN").catch((error: unknown) => expect(error).toBeInstanceOf(FileAccessError));
      for (const secret of ["secret.txt", "home/factotum.json5", "workspace2/other.txt"]) {
        expect(await readFile(join(rig.base, secret), "utf8")).toBe("SECRET");
      }
      expect((await readdir(rig.base)).sort()).toEqual(["documents", "home", "projects", "secret.txt", "workspace", "workspace2"]);
    }),
    { numRuns: 150 },
  );
});
