import type { CommandRequest } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import type { SandboxPlan } from "../sandbox/sandbox-spec.ts";
import { containerArguments, containerRequest, listArguments, removeArguments } from "./container-request.ts";

const REQUEST: CommandRequest = {
  command: {
    type: "shell",
    text: "make all",
  },
  cwd: "/w",
  env: { GIVEN: "a b" },
  timeoutMs: 1e3,
  maxOutputBytes: 500,
};
const PLAN: SandboxPlan = {
  mounts: [
    {
      type: "read-only",
      path: "/opt/a,b",
    },
    {
      type: "writable",
      path: "/w",
    },
    {
      type: "empty-folder",
      path: "/w/state",
    },
    {
      type: "empty-file",
      path: "/w/config.json5",
    },
  ],
  home: "/home/a",
  environment: { PATH: "/usr/bin" },
  image: "example/image:1",
  maxTasks: 64,
  maxMemoryBytes: 1024,
};
const HOST = { program: "/usr/bin/docker", userId: 1001, groupId: 1002, label: "factotum=0" };
const COMMON = [
  "run",
  "--rm",
  "--init",
  "--pull",
  "never",
  "--name",
  "factotum-1",
  "--label",
  "factotum=0",
  "--hostname",
  "sandbox",
  "--network",
  "none",
  "--read-only",
  "--cap-drop",
  "ALL",
  "--security-opt",
  "no-new-privileges",
  "--pids-limit",
  "64",
  "--memory",
  "1024",
  "--memory-swap",
  "1024",
];
const REST = [
  "--user",
  "1001:1002",
  "--tmpfs",
  "/tmp:rw,nosuid,nodev,mode=1777,size=1024",
  "--tmpfs",
  "/home/a:rw,nosuid,nodev,mode=1777,size=1024",
  "--mount",
  'type=bind,"source=/opt/a,b","target=/opt/a,b",readonly',
  "--mount",
  "type=bind,source=/w,target=/w",
  "--tmpfs",
  "/w/state:ro,size=65536",
  "--mount",
  "type=bind,source=/dev/null,target=/w/config.json5,readonly",
  "--env",
  "PATH=/usr/bin",
  "--env",
  "HOME=/home/a",
  "--env",
  "TMPDIR=/tmp",
  "--env",
  "GIVEN=a b",
  "--workdir",
  "/w",
  "--entrypoint",
  "",
  "example/image:1",
];

describe("a command in a container", () => {
  test.each([
    ["docker", HOST.userId, []],
    ["podman", HOST.userId, ["--userns", "keep-id"]],
  ] as const)("%s gets exactly these arguments", (backend, userId, more) => {
    expect(containerArguments(REQUEST, PLAN, { ...HOST, backend, userId }, "factotum-1")).toEqual([...COMMON, ...more, ...REST]);
  });

  test.each(["docker", "podman"] as const)("%s shows the proxy's socket and Node.js if it has network, and keeps no other", (backend) => {
    const plan: SandboxPlan = { ...PLAN, network: { type: "socket", socket: "/state/proxy.sock", node: "/opt/node" } };
    const args = containerArguments(REQUEST, plan, { ...HOST, backend }, "factotum-1");
    const mounts = ["/opt/node,target=/run/factotum-node", "/state/proxy.sock,target=/run/factotum-proxy.sock"];
    for (const mount of mounts) expect(args).toContain(`type=bind,source=${mount},readonly`);
    expect(args.slice(args.indexOf("--network"), args.indexOf("--network") + 2)).toEqual(["--network", "none"]);
    const { command } = containerRequest(REQUEST, plan, { ...HOST, backend }, "factotum-1");
    expect(command).toMatchObject({ text: expect.stringMatching(/example\/image:1 \/bin\/sh -c 'state=.* sh 64 'make all'$/s) as string });
  });

  test("has the given list of system calls", () => {
    const args = containerArguments(REQUEST, PLAN, { ...HOST, backend: "podman", seccompFile: "/state/p.json" }, "factotum-1");
    expect(args.join(" ")).toContain("--security-opt no-new-privileges --security-opt seccomp=/state/p.json --pids-limit");
  });

  test("podman of root keeps no user", () => {
    const args = containerArguments(REQUEST, PLAN, { ...HOST, backend: "podman", userId: 0, groupId: 0 }, "factotum-1");
    expect(args).not.toContain("--userns");
    expect(args).toContain("0:0");
  });

  test("mounts no second folder on /tmp if that is its home", () => {
    const args = containerArguments(REQUEST, { ...PLAN, home: "/tmp" }, { ...HOST, backend: "docker" }, "factotum-1");
    expect(args.filter((arg) => arg.startsWith("/tmp:"))).toHaveLength(1);
  });

  test("is started by one line of shell text, with the limits of the request", () => {
    const { command, ...rest } = containerRequest(REQUEST, PLAN, { ...HOST, backend: "docker" }, "factotum-1");
    expect(rest).toEqual({ cwd: "/", env: {}, timeoutMs: 1_000, maxOutputBytes: 500 });
    expect(command).toMatchObject({
      type: "shell",
      text: expect.stringMatching(/^exec \/usr\/bin\/docker run --rm .* sh 64 'make all'$/s) as string,
    });
  });

  test("is removed and found by name and label", () => {
    expect(removeArguments(["a", "b"])).toEqual(["rm", "--force", "a", "b"]);
    expect(listArguments("factotum=0")).toEqual(["ps", "--all", "--quiet", "--filter", "label=factotum=0"]);
  });
});
