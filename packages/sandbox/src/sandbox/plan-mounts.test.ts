import { describe, expect, test } from "vitest";
import { planMounts, type MountInputs, type ResolvedPath } from "./plan-mounts.ts";

const HOME: ResolvedPath = { given: "/home/a/.factotum", real: "/home/a/.factotum", kind: "folder" };
const CONFIG: ResolvedPath = { given: "/etc/factotum.json5", real: "/etc/factotum.json5", kind: "file" };
const folder = (given: string, real = given): ResolvedPath => ({ given, real, kind: "folder" });

/** The plan as `type path`. */
const plan = (change: Partial<MountInputs>): readonly string[] | undefined =>
  planMounts({
    system: ["/usr"],
    workspace: {
      path: "/home/a/.factotum/sandboxes/s",
      writable: true,
    },
    readOnly: [],
    hidden: [HOME, CONFIG],
    ...change,
  })?.map(({ type, path }) => `${type} ${path}`);

const WORKSPACE = "writable /home/a/.factotum/sandboxes/s";

describe("a sandbox shows", () => {
  test("its workspace and the read-only folders, and covers nothing that it does not show", () => {
    expect(plan({ readOnly: [folder("/home/a/.factotum/skills"), folder("/opt/docs")] })).toEqual([
      "read-only /opt/docs",
      "read-only /home/a/.factotum/skills",
      WORKSPACE,
    ]);
  });

  test.each([
    ["the workspace around it", { workspace: { path: "/home/a", writable: true } }, ["writable /home/a", "empty-folder /home/a/.factotum"]],
    ["a read-only folder around it", { readOnly: [folder("/home")] }, ["read-only /home", "empty-folder /home/a/.factotum", WORKSPACE]],
    ["a system folder around it", { system: ["/usr", "/home"] }, ["empty-folder /home/a/.factotum", WORKSPACE]],
    ["a folder around the configuration", { readOnly: [folder("/etc")] }, ["read-only /etc", "empty-file /etc/factotum.json5", WORKSPACE]],
  ])("nothing of a hidden place in %s", (_name, change, expected) => {
    expect(plan(change)).toEqual(expected);
  });

  test("folders in a hidden place that it covers, after it", () => {
    const shown = plan({ workspace: { path: "/home/a", writable: false }, hidden: [HOME], readOnly: [] });
    expect(shown).toEqual(["read-only /home/a", "empty-folder /home/a/.factotum"]);
    expect(plan({ readOnly: [folder("/home"), folder("/home/a/.factotum/media/s")] })).toEqual([
      "read-only /home",
      "empty-folder /home/a/.factotum",
      "read-only /home/a/.factotum/media/s",
      WORKSPACE,
    ]);
  });

  test("no read-only part of its own workspace, and each folder once", () => {
    expect(plan({ readOnly: [folder("/home/a/.factotum/sandboxes/s/skills"), folder("/opt/x"), folder("/opt/link", "/opt/x")] })).toEqual([
      "read-only /opt/x",
      WORKSPACE,
    ]);
  });

  test("not the whole machine", () => {
    expect(plan({ readOnly: [folder("/")] })).toEqual([WORKSPACE]);
  });

  test.each([
    ["the hidden place itself", folder(HOME.real)],
    ["a link from elsewhere into it", folder("/opt/link", "/home/a/.factotum/state")],
    ["a link from elsewhere to it", folder("/opt/link", HOME.real)],
    ["a link inside of it to another part", folder("/home/a/.factotum/workspace/skills", "/home/a/.factotum/state")],
    ["the hidden file", { given: CONFIG.given, real: CONFIG.real, kind: "file" as const }],
  ])("not %s", (_name, entry) => {
    expect(plan({ readOnly: [entry] })).toEqual([WORKSPACE]);
  });

  test("folders of a hidden place that is a link itself, by either path", () => {
    const linked: ResolvedPath = { given: "/home/a/.factotum", real: "/data/f", kind: "folder" };
    for (const given of ["/home/a/.factotum/skills", "/data/f/skills"])
      expect(plan({ hidden: [linked], readOnly: [folder(given, "/data/f/skills")] })).toEqual(["read-only /data/f/skills", WORKSPACE]);
  });

  test("nothing if its workspace is a hidden place", () => {
    expect(plan({ workspace: { path: HOME.real, writable: true } })).toBeUndefined();
  });
});
