import type { CommandRequest } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import type { SandboxPlan } from "../sandbox/sandbox-spec.ts";
import { bubblewrapRequest } from "./bubblewrap-request.ts";

const REQUEST: CommandRequest = {
  command: {
    type: "shell",
    text: "echo it's $HOME",
  },
  cwd: "/w/sub",
  env: { GIVEN: "a b" },
  timeoutMs: 1e3,
  maxOutputBytes: 500,
};
const PLAN: SandboxPlan = {
  mounts: [
    {
      type: "read-only",
      path: "/opt/skills",
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
  environment: {
    PATH: "/usr/bin",
    USER: "sandbox",
  },
  image: "",
  maxTasks: 100,
  maxMemoryBytes: 1e3,
};
const HOST = {
  program: "/usr/bin/bwrap",
  systemFolders: [
    { path: "/usr" },
    {
      path: "/bin",
      linkTo: "usr/bin",
    },
  ],
  seccompFile: "/state/seccomp file",
  replacedFiles: { "/etc/passwd": "/state/passwd" },
};

/** The command line of a rewritten request, in which these are its words in this order. */
function text(request: CommandRequest = REQUEST, plan: SandboxPlan = PLAN): string {
  const { command } = bubblewrapRequest(request, plan, HOST);
  return command.type === "shell" ? command.text : "";
}

test("keeps the limits of the request, and runs from a folder that every host has, with no variable of the request", () => {
  expect(bubblewrapRequest(REQUEST, PLAN, HOST)).toEqual({ ...REQUEST, command: { type: "shell", text: text() }, cwd: "/", env: {} });
});

test("has namespaces of its own, no capability, no terminal, a filter, and ends with its parent", () => {
  for (const option of ["user", "pid", "ipc", "uts", "net", "cgroup-try"]) expect(text()).toContain(` --unshare-${option} `);
  for (const words of ["--cap-drop ALL", "--die-with-parent", "--new-session", "--uid 1000 --gid 1000", "--seccomp 9"])
    expect(text()).toContain(` ${words} `);
  expect(text()).toMatch(/^exec env -i FACTOTUM_CHILD="\$FACTOTUM_CHILD" \/usr\/bin\/bwrap .* 9<'\/state\/seccomp file'$/s);
});

test("shows system folders read-only, links as links, and mounts in the order of the plan; the root is closed at the end", () => {
  const order = [
    "--ro-bind /usr /usr --symlink usr/bin /bin",
    "--ro-bind /state/passwd /etc/passwd",
    "--proc /proc --remount-ro /proc --dev /dev",
    "--size 1000 --tmpfs /tmp",
    "--size 1000 --tmpfs /home/a",
    "--ro-bind /opt/skills /opt/skills --bind /w /w --size 65536 --tmpfs /w/state --ro-bind /dev/null /w/config.json5 --remount-ro /",
    "--clearenv --setenv PATH /usr/bin --setenv USER sandbox --setenv HOME /home/a --setenv TMPDIR /tmp --setenv GIVEN 'a b' --chdir /w/sub -- /bin/sh -c",
  ].map((words) => text().indexOf(` ${words} `));
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
});

test("uses /tmp as home if the plan says so, once", () => {
  expect(text(REQUEST, { ...PLAN, home: "/tmp" }).match(/--tmpfs \/tmp /g)).toHaveLength(1);
});

test("passes shell text and arguments as they are", () => {
  expect(text()).toContain(` sh 100 'echo it'\\''s $HOME' 9<`);
  expect(text({ ...REQUEST, command: { type: "argv", file: "ls", args: ["-l", "a b", "$(x)"] } })).toContain(
    ` sh 100 ls -l 'a b' '$(x)' 9<`,
  );
});

test("shows the proxy's socket and the host's Node.js if it has network, and starts the forwarder first; the namespace stays its own", () => {
  const line = text(REQUEST, { ...PLAN, network: { type: "socket", socket: "/state/proxy.sock", node: "/opt/node" } });
  expect(line).toContain(
    " --ro-bind /opt/node /run/factotum-node --ro-bind /state/proxy.sock /run/factotum-proxy.sock --remount-ro / --clearenv",
  );
  expect(line).toMatch(
    / --unshare-net .* -- \/bin\/sh -c 'state=\$\(env -i \/run\/factotum-node -e .*exec "\$@"' sh .* \/bin\/sh -c 'ulimit .*'/s,
  );
  expect(text()).not.toContain("factotum-");
});
