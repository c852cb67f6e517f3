import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { CommandRequest, CommandResult, Random } from "@factotum/agent-contract";
import { bubblewrapRequest } from "../bubblewrap/bubblewrap-request.ts";
import { describeBubblewrapHost } from "../bubblewrap/find-bubblewrap.ts";
import { writePodmanProfile } from "../containers/podman-profile.ts";
import { containerRequest, listArguments, removeArguments } from "../containers/container-request.ts";
import { seatbeltRequest } from "../seatbelt/seatbelt-request.ts";
import type { BackendState, ReadyBackend } from "./sandbox-backend.ts";
import type { SandboxBackend } from "./sandbox-spec.ts";
import { quoteWords } from "./shell-words.ts";

/** The machine as far as backends depend on it. */
export interface BackendOptions {
  readonly platform: NodeJS.Platform;
  readonly architecture: string;
  readonly random: Pick<Random, "uuid">;
  readonly baseEnv: Readonly<Record<string, string | undefined>>;
  /** Folder for the files that bubblewrap reads; absolute, created on demand. */
  readonly folder: string;
  readonly userId: number;
  readonly groupId: number;
  /** Label of this gateway's containers. */
  readonly label: string;
  /** This process is the gateway: containers with its label that exist before its first one are what a killed gateway left, and are removed. */
  readonly ownsContainers: boolean;
  /** Runs a command on the host. */
  readonly run: (request: CommandRequest) => Promise<CommandResult>;
}

const TRIAL_MS = 20_000;
const FOUND = "sandbox-works";

/** Backends that `auto` tries, in this order, by platform. */
export function candidates(platform: NodeJS.Platform): readonly SandboxBackend[] {
  return platform === "darwin" ? ["seatbelt", "podman", "docker"] : ["bubblewrap", "podman", "docker"];
}

/** Looks for one backend and starts a command in it. Never rejects. */
export async function findBackend(backend: SandboxBackend, image: string, options: BackendOptions): Promise<BackendState> {
  const missing = (reason: string): BackendState => ({ type: "missing", backend, reason, fix: fixFor(backend, image, options.platform) });
  try {
    const ready = await describeBackend(backend, options);
    if (typeof ready === "string") return missing(ready);
    if (ready.orphans !== undefined && options.ownsContainers) await options.run(ready.orphans);
    const plan = { mounts: [], home: "/tmp", environment: {}, image, maxTasks: 64, maxMemoryBytes: 64 * 1024 ** 2 };
    const trial = ready.rewrite(commandOf(`echo ${FOUND}`), plan);
    const { end, output } = await options.run(trial.request);
    if (trial.cleanUp !== undefined) await options.run(trial.cleanUp);
    if (end.type === "exited" && end.exitCode === 0 && output.trim() === FOUND) return ready;
    const why = output.trim().split("\n").at(-1) ?? "";
    return missing(`a trial start failed${why === "" ? ` (${end.type})` : `: ${why}`}`);
  } catch (error) {
    return missing(error instanceof Error ? error.message : "unknown reason");
  }
}

/** The backend if its program is there, else the reason. */
async function describeBackend(backend: SandboxBackend, options: BackendOptions): Promise<ReadyBackend | string> {
  const { platform, architecture, random, userId, groupId, label, folder } = options;
  const name = { bubblewrap: "bwrap", podman: "podman", docker: "docker", seatbelt: "sandbox-exec" }[backend];
  if (backend === "bubblewrap" && platform !== "linux") return "bubblewrap exists on Linux alone";
  if (backend === "seatbelt" && platform !== "darwin") return "seatbelt exists on macOS alone";
  const program = await findProgram(name, options.baseEnv["PATH"]);
  if (program === undefined) return `there is no program ${name} on the PATH`;
  switch (backend) {
    case "bubblewrap": {
      if (architecture !== "x64" && architecture !== "arm64") return `there is no filter of system calls for ${architecture}`;
      const host = await describeBubblewrapHost(program, { folder, architecture });
      const system = host.systemFolders.map(({ path }) => path);
      const rewrite: ReadyBackend["rewrite"] = (request, plan) => ({ request: bubblewrapRequest(request, plan, host) });
      return { type: "ready", backend, program, system, reachesProxyBy: "socket", rewrite };
    }
    case "docker":
    case "podman": {
      // Docker's own list has neither namespaces nor kernel keys.
      const seccompFile = backend === "podman" ? await writePodmanProfile(folder) : undefined;
      const host = { backend, program, userId, groupId, label, seccompFile };
      const rewrite: ReadyBackend["rewrite"] = (request, plan) => {
        const container = `factotum-${random.uuid()}`;
        return {
          request: containerRequest(request, plan, host, container),
          cleanUp: { ...commandOf(""), command: { type: "argv", file: program, args: removeArguments([container]) } },
        };
      };
      const list = quoteWords([program, ...listArguments(label)]);
      const orphans = commandOf(`found=$(${list}) && [ -z "$found" ] || ${quoteWords([program, ...removeArguments([])])} $found`);
      return { type: "ready", backend, program, system: [], reachesProxyBy: "socket", orphans, rewrite };
    }
    case "seatbelt": {
      const rewrite: ReadyBackend["rewrite"] = (request, plan) => ({
        request: seatbeltRequest(request, plan, `/private/tmp/factotum-${random.uuid()}`),
      });
      return { type: "ready", backend, program, system: [], reachesProxyBy: "port", rewrite };
    }
  }
}

function commandOf(text: string): CommandRequest {
  return { command: { type: "shell", text }, cwd: "/", env: {}, timeoutMs: TRIAL_MS, maxOutputBytes: 4_000 };
}

async function findProgram(name: string, path = ""): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter((part) => isAbsolute(part))) {
    const file = join(folder, name);
    const found = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return file;
  }
  return undefined;
}

function fixFor(backend: SandboxBackend, image: string, platform: string): string {
  const system = { bubblewrap: "linux", seatbelt: "darwin", podman: platform, docker: platform }[backend];
  if (system !== platform) return "Choose another sandbox.backend, or leave it out: the gateway then takes one that works on this system.";
  switch (backend) {
    case "bubblewrap":
      return "Install bubblewrap 0.7 or newer (Debian: apt install bubblewrap) and allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap on Ubuntu).";
    case "podman":
      return `Install Podman (Debian: apt install podman) and fetch the image once: podman pull ${image}`;
    case "docker":
      return `Install Docker, let the gateway's account use it, and fetch the image once: docker pull ${image}`;
    case "seatbelt":
      return "Use macOS's own /usr/bin/sandbox-exec; it must be on the PATH.";
  }
}
