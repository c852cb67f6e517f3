import type { CommandRequest } from "@factotum/agent-contract";
import { NODE_IN_SANDBOX, SOCKET_IN_SANDBOX, withForwarder } from "../network/forwarder.ts";
import { innerCommand, outerRequest } from "../sandbox/inner-command.ts";
import type { PlannedMount, SandboxPlan } from "../sandbox/sandbox-spec.ts";
import { quoteWords } from "../sandbox/shell-words.ts";

/** What a container backend needs of this machine. */
export interface ContainerHost {
  readonly backend: "docker" | "podman";
  /** Absolute path of the program. */
  readonly program: string;
  /** The gateway's user and group, so that files of the workspace have one owner. */
  readonly userId: number;
  readonly groupId: number;
  /** A file with the system calls that containers have; absent: those that the program allows by itself. */
  readonly seccompFile?: string | undefined;
  /** Label of this gateway's containers: those of a killed gateway are found by it. */
  readonly label: string;
}

/**
 * Rewrites a request so that it runs in a container that is removed with it: no network but the socket of a proxy if the plan has one, a read-only root, no capabilities, no new privileges, limits for
 * processes and memory, nothing of the host but the planned mounts. Never pulls an image. Pure. `name` is the container's.
 */
export function containerRequest(request: CommandRequest, plan: SandboxPlan, host: ContainerHost, name: string): CommandRequest {
  const inner = innerCommand(request, plan.maxTasks);
  const words = [
    host.program,
    ...containerArguments(request, plan, host, name),
    ...(plan.network === undefined ? inner : withForwarder(inner)),
  ];
  return outerRequest(request, `exec ${quoteWords(words)}`);
}

/** The arguments up to the image. */
export function containerArguments(
  { cwd, env, input = { type: "none" } }: CommandRequest,
  { mounts, home, image, maxTasks, maxMemoryBytes, environment, network }: SandboxPlan,
  { backend, userId, groupId, label, seccompFile }: ContainerHost,
  name: string,
): readonly string[] {
  const variables = { ...environment, HOME: home, TMPDIR: "/tmp", ...env };
  const inMemory = (path: string): readonly string[] => ["--tmpfs", `${path}:rw,nosuid,nodev,mode=1777,size=${maxMemoryBytes}`];
  return [
    "run",
    "--rm",
    "--init",
    ...(input.type === "none" ? [] : ["--interactive"]),
    "--pull",
    "never",
    "--name",
    name,
    "--label",
    label,
    "--hostname",
    "sandbox",
    "--network",
    "none",
    "--read-only",
    "--cap-drop",
    "ALL",
    "--security-opt",
    "no-new-privileges",
    ...(seccompFile === undefined ? [] : ["--security-opt", `seccomp=${seccompFile}`]),
    "--pids-limit",
    String(maxTasks),
    "--memory",
    String(maxMemoryBytes),
    "--memory-swap",
    String(maxMemoryBytes),
    // Rootless podman maps the gateway's user to root of the container unless it is kept.
    ...(backend === "podman" && userId !== 0 ? ["--userns", "keep-id"] : []),
    "--user",
    `${userId}:${groupId}`,
    ...inMemory("/tmp"),
    ...(home === "/tmp" ? [] : inMemory(home)),
    ...mounts.flatMap(mount),
    ...(network?.type === "socket"
      ? ["--mount", bind(network.node, NODE_IN_SANDBOX, true), "--mount", bind(network.socket, SOCKET_IN_SANDBOX, true)]
      : []),
    ...Object.entries(variables).flatMap(([variable, value]) => ["--env", `${variable}=${value}`]),
    "--workdir",
    cwd,
    "--entrypoint",
    "",
    image,
  ];
}

/** The arguments that end a container and remove it; without one of this name they do nothing. */
export function removeArguments(names: readonly string[]): readonly string[] {
  return ["rm", "--force", ...names];
}

/** The arguments that list the containers of a gateway, one id a line. */
export function listArguments(label: string): readonly string[] {
  return ["ps", "--all", "--quiet", "--filter", `label=${label}`];
}

function mount({ type, path }: PlannedMount): readonly string[] {
  switch (type) {
    case "read-only":
      return ["--mount", bind(path, path, true)];
    case "writable":
      return ["--mount", bind(path, path, false)];
    case "empty-folder":
      return ["--tmpfs", `${path}:ro,size=65536`];
    case "empty-file":
      return ["--mount", bind("/dev/null", path, true)];
  }
}

/** A field of `--mount` is CSV: one with a comma or a quotation mark is quoted. */
function bind(source: string, target: string, readOnly: boolean): string {
  const fields = ["type=bind", `source=${source}`, `target=${target}`, ...(readOnly ? ["readonly"] : [])];
  return fields.map((field) => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(",");
}
