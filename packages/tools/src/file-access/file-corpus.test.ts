import { mkdir, readdir, readFile, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import type * as Fs from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { AgentToolResult } from "@factotum/agent-contract";
import { expect, test, vi } from "vitest";
import { createToolRig, type ToolRig } from "../../test/tool-rig.ts";
import { createEditTool } from "../files/edit-tool.ts";
import { createWriteTool } from "../files/write-tool.ts";
import { createApplyPatchTool } from "../patch/apply-patch-tool.ts";
import type { FileAccess } from "./create-file-access.ts";
import { FileAccessError } from "./file-access-error.ts";
import { OpenFile } from "./open-file.ts";

/** Runs before the given opening of a file, where a race would occur. */
const race = vi.hoisted(() => ({ strike: undefined as (() => Promise<void>) | undefined, openings: 0 }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof Fs>();
  return {
    ...real,
    async open(...args: Parameters<typeof real.open>) {
      race.openings -= 1;
      if (race.openings === 0) await race.strike?.();
      return real.open(...args);
    },
  };
});

const CONTENT = "one\ntwo\n";

/** What a tool does to a file. `isNew`: the file must not exist before. */
interface Operation {
  readonly name: string;
  readonly isNew: boolean;
  readonly run: (rig: ToolRig, files: FileAccess, path: string) => Promise<AgentToolResult>;
}

const patch = (rig: ToolRig, files: FileAccess, ...lines: readonly string[]): Promise<AgentToolResult> =>
  rig.call(createApplyPatchTool({ files }), { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });

const HUNK = ["@@", " one", "-two", "+2"];

const OPERATIONS: readonly Operation[] = [
  { name: "write", isNew: false, run: (rig, files, path) => rig.call(createWriteTool({ files }), { path, content: "new\n" }) },
  { name: "create", isNew: true, run: (rig, files, path) => rig.call(createWriteTool({ files }), { path, content: "new\n" }) },
  {
    name: "edit",
    isNew: false,
    run: (rig, files, path) => rig.call(createEditTool({ files }), { path, edits: [{ oldText: "two", newText: "2" }] }),
  },
  { name: "patch that adds", isNew: true, run: (rig, files, path) => patch(rig, files, `*** Add File: ${path}`, "+new") },
  { name: "patch that updates", isNew: false, run: (rig, files, path) => patch(rig, files, `*** Update File: ${path}`, ...HUNK) },
  { name: "patch that deletes", isNew: false, run: (rig, files, path) => patch(rig, files, `*** Delete File: ${path}`) },
  {
    name: "patch that moves it away",
    isNew: false,
    run: (rig, files, path) => patch(rig, files, `*** Update File: ${path}`, "*** Move to: moved.txt", ...HUNK),
  },
  {
    name: "patch that moves to it",
    isNew: true,
    run: (rig, files, path) => patch(rig, files, "*** Update File: start.txt", `*** Move to: ${path}`, ...HUNK),
  },
];

const CREATING = OPERATIONS.filter(({ isNew }) => isNew);

/** A place that no tool may write, and its twin that it may: same kind of name, inside. */
const PLACES: readonly (readonly [refused: string, allowed: string])[] = [
  ["../made.txt", "x/../made.txt"],
  ["a/../../made.txt", "a/../b/../made.txt"],
  ["..../../../made.txt", "..../made.txt"],
  ["BASE/made.txt", "BASE/workspace/made.txt"],
  ["/proc/self/rootBASE/made.txt", "proc/self/root/made.txt"],
  ["/proc/self/cwd/made.txt", "proc/self/cwd/made.txt"],
  ["/proc/self/fd/0", "proc/self/fd/0"],
  ["/dev/null", "dev/null"],
  ["/dev/shm/factotum-made.txt", "dev/shm/factotum-made.txt"],
  ["/etc/factotum-made.txt", "etc/factotum-made.txt"],
  ["../home/made.json5", "home/made.json5"],
  ["../home/state/made.sqlite", "home/state/made.sqlite"],
  ["../workspace2/made.txt", "workspace2/made.txt"],
  ["../documents/made.txt", "../projects/made.txt"],
  ["~/made.txt", "./~/made.txt"],
  ["made\0.txt", "made␀.txt"],
  ["made/", "made"],
  [".", ".made"],
  ["..", "..made"],
  ["folder/.", "folder/.made"],
  ["out/made.txt", "in/made.txt"],
  ["nowhere", "nowhere.txt"],
  [`${"x".repeat(256)}`, `${"x".repeat(255)}`],
  ["*/../../made.txt", "*/made.txt"],
  ["C:/../../made.txt", "C:/made.txt"],
];

async function createScene(): Promise<ToolRig> {
  const rig = await createToolRig({
    roots: (base) => [
      { type: "owner", path: join(base, "documents"), writable: false },
      { type: "owner", path: join(base, "projects"), writable: true },
    ],
  });
  for (const folder of ["documents", "projects", "workspace2", "home/state", "outside", "workspace/folder", "workspace/other"])
    await mkdir(join(rig.base, folder), { recursive: true });
  for (const file of [
    "outside/file.txt",
    "workspace/folder/file.txt",
    "workspace/folder/sibling.txt",
    "workspace/other/file.txt",
    "workspace/start.txt",
  ])
    await writeFile(join(rig.base, file), CONTENT);
  await symlink("..", join(rig.workspace, "out"));
  await symlink("folder", join(rig.workspace, "in"));
  await symlink("../nothing", join(rig.workspace, "nowhere"));
  return rig;
}

/** Everything outside of the workspace and the writable root. */
async function outside({ base }: ToolRig): Promise<string> {
  const entries = await readdir(base, { recursive: true, withFileTypes: true });
  const files = entries
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/^\/(workspace|projects)(\/|$)/.test(file.slice(base.length)));
  const contents = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => "")));
  return JSON.stringify([...files, ...contents]);
}

/** The cases of which an access got the wrong one: allowed what leads outside, or refused its twin. */
interface Verdict {
  readonly escaped: readonly string[];
  readonly refused: readonly string[];
}

/** `be-refused`: it must change nothing outside, and be an error. */
interface Case {
  readonly name: string;
  readonly must: "stay-inside" | "be-refused" | "work";
  readonly run: (rig: ToolRig, files: FileAccess) => Promise<AgentToolResult>;
}

async function judge(cases: readonly Case[], accessOf: (rig: ToolRig) => FileAccess): Promise<Verdict> {
  const [escaped, refused]: [string[], string[]] = [[], []];
  for (const { name, must, run } of cases) {
    await using rig = await createScene();
    const before = await outside(rig);
    const { isError = false } = await run(rig, accessOf(rig)).catch(() => ({ isError: true }));
    const isContained = (await outside(rig)) === before;
    if (!isContained || (must === "be-refused" && !isError)) escaped.push(name);
    if (must === "work" && isError) refused.push(name);
  }
  return { escaped, refused };
}

const PLACE_CASES = PLACES.flatMap(([refused, allowed]) =>
  CREATING.flatMap(({ name, run }) =>
    [refused, allowed].map((place) => ({
      name: `${name}: ${place}`,
      must: place === refused ? ("be-refused" as const) : ("work" as const),
      run: async (rig: ToolRig, files: FileAccess) => run(rig, files, place.replace("BASE", rig.base)),
    })),
  ),
);

/** Swaps between the check and the write: of the file or its folder by a link to the outside; twins swap something else. */
const SWAPS: readonly {
  readonly name: string;
  readonly isEscape: boolean;
  readonly swap: (workspace: string, file: string) => Promise<void>;
}[] = [
  {
    name: "its folder leads outside",
    isEscape: true,
    swap: async (workspace) => {
      await rename(join(workspace, "folder"), join(workspace, "aside"));
      await symlink("../outside", join(workspace, "folder"));
    },
  },
  {
    name: "it leads outside itself",
    isEscape: true,
    swap: async (workspace, file) => {
      await rm(join(workspace, file), { force: true });
      await symlink(join("../../outside", file.slice("folder/".length)), join(workspace, file));
    },
  },
  {
    name: "another folder leads outside",
    isEscape: false,
    swap: async (workspace) => {
      await rename(join(workspace, "other"), join(workspace, "aside"));
      await symlink("../outside", join(workspace, "other"));
    },
  },
  {
    name: "its neighbour leads outside",
    isEscape: false,
    swap: async (workspace) => {
      await unlink(join(workspace, "folder/sibling.txt"));
      await symlink("../../outside/file.txt", join(workspace, "folder/sibling.txt"));
    },
  },
];

const SWAP_CASES = OPERATIONS.flatMap(({ name, isNew, run }) =>
  SWAPS.flatMap(({ name: what, isEscape, swap }) =>
    [1, 2, 3].map((opening) => ({
      name: `${name}: ${what} from opening ${opening} on`,
      must: isEscape ? ("stay-inside" as const) : ("work" as const),
      run: async (rig: ToolRig, files: FileAccess) => {
        const file = isNew ? "folder/new.txt" : "folder/file.txt";
        race.openings = opening;
        race.strike = async () => swap(rig.workspace, file);
        try {
          return await run(rig, files, file);
        } finally {
          race.strike = undefined;
        }
      },
    })),
  ),
);

/** Follows every path of the scene, as a program without checks does. */
function allowing(rig: ToolRig): FileAccess {
  const at = (path: string): string => {
    const absolute = resolve(rig.workspace, path);
    // The machine's own folders are not for a test to write to.
    if (!absolute.replace(/^\/proc\/self\/root/, "").startsWith(`${rig.base}/`)) throw new FileAccessError("outside", "not in this test");
    return absolute;
  };
  const openFile = async (path: string): Promise<OpenFile> => {
    const { open } = await import("node:fs/promises");
    const handle = await open(at(path), "r").catch((error: unknown) => {
      throw new FileAccessError("not-found", "there is none", { cause: error });
    });
    return new OpenFile(handle, { path: at(path), shown: path, untrusted: false, stats: await handle.stat({ bigint: true }) });
  };
  const change: Awaited<ReturnType<FileAccess["forRun"]>>["change"] = async (changes) => {
    const { open } = await import("node:fs/promises");
    for (const one of changes) {
      if (one.type === "remove") await rm(at(one.path));
      else {
        await mkdir(dirname(at(one.path)), { recursive: true });
        await using handle = await open(at(one.path), "w");
        await handle.writeFile(one.data);
      }
    }
    return changes.map(({ path }) => ({ shown: path }));
  };
  return {
    forRun: async () => ({
      open: openFile,
      openFile,
      openFolder: async () => {
        throw new Error("not in this test");
      },
      change,
      requireWritable: async () => undefined,
      write: async (path, data, options) => {
        await change([{ type: "write", path, data }], options);
        return { shown: path };
      },
      findInstructions: async () => undefined,
      isReserved: async () => false,
      show: (path) => path,
    }),
  };
}

/** Refuses everything. */
function denying(): FileAccess {
  return {
    forRun: async () => {
      throw new FileAccessError("outside", "everything is closed");
    },
  };
}

const real = (rig: ToolRig): FileAccess => rig.files;
const TIMEOUT = { timeout: 60_000 };

test("no place outside is written, whatever its name; its twins inside are", TIMEOUT, async () => {
  expect(PLACES.length).toBeGreaterThanOrEqual(15);
  expect(await judge(PLACE_CASES, real)).toEqual({ escaped: [], refused: [] });
});

test("no swap leads a change outside; other swaps do not disturb it", TIMEOUT, async () => {
  for (const kind of ["stay-inside", "work"]) expect(SWAP_CASES.filter(({ must }) => must === kind).length).toBeGreaterThanOrEqual(15);
  expect(await judge(SWAP_CASES, real)).toEqual({ escaped: [], refused: [] });
});

test.each([
  ["places", PLACE_CASES],
  ["swaps", SWAP_CASES],
] as const)("an access that allows or denies everything fails the corpus of %s", TIMEOUT, async (_name, cases) => {
  expect((await judge(cases, allowing)).escaped.length).toBeGreaterThanOrEqual(15);
  expect((await judge(cases, denying)).refused.length).toBeGreaterThanOrEqual(15);
});
