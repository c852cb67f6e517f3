import type { CommandRequest } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { seatbeltProfile, seatbeltRequest } from "./seatbelt-request.ts";

const PLAN = {
  mounts: [
    {
      type: "read-only",
      path: "/Users/a/skills",
    },
    {
      type: "writable",
      path: "/Users/a/w",
    },
    {
      type: "empty-folder",
      path: "/Users/a/w/state",
    },
  ],
  home: "/tmp",
  environment: { PATH: "/usr/bin" },
  image: "",
  maxTasks: 10,
  maxMemoryBytes: 1e3,
} as const;

test("the profile denies by default, has no network, and closes hidden places after the folders around them", () => {
  const lines = seatbeltProfile(PLAN, "/private/tmp/f").split("\n");
  expect(lines.slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
  expect(lines.at(-1)).toBe("(deny network*)");
  const order = [
    '(allow file-read* file-write* (subpath "/private/tmp/f"))',
    '(deny file-write* (subpath "/Users/a/skills"))',
    '(allow file-read* file-write* (subpath "/Users/a/w"))',
    '(deny file-read* file-write* (subpath "/Users/a/w/state"))',
  ].map((line) => lines.indexOf(line));
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
});

test("the command has an environment built from nothing, and a temporary folder that it removes", () => {
  const request: CommandRequest = {
    command: {
      type: "shell",
      text: "ls",
    },
    cwd: "/Users/a/w",
    env: { GIVEN: "1" },
    timeoutMs: 1,
    maxOutputBytes: 2,
  };
  const { command, ...rest } = seatbeltRequest(request, PLAN, "/private/tmp/f");
  expect(rest).toEqual({ cwd: "/", env: {}, timeoutMs: 1, maxOutputBytes: 2 });
  expect(command).toMatchObject({
    type: "shell",
    text: expect.stringMatching(
      /^folder=\/private\/tmp\/f; mkdir -m 700 "\$folder" && trap 'rm -rf -- "\$folder"' EXIT && cd \/Users\/a\/w && \/usr\/bin\/env -i PATH=\/usr\/bin HOME=\/private\/tmp\/f TMPDIR=\/private\/tmp\/f GIVEN=1 \/usr\/bin\/sandbox-exec -p '.* sh 10 ls$/s,
    ) as string,
  });
});

test("the profile opens the proxy's port of the loopback alone if it has network", () => {
  const lines = seatbeltProfile({ ...PLAN, network: { type: "port", port: 4711 } }, "/private/tmp/f").split("\n");
  expect(lines.slice(-2)).toEqual(["(deny network*)", '(allow network-outbound (remote tcp "localhost:4711"))']);
  expect(lines.filter((line) => line.includes("network"))).toHaveLength(2);
});
