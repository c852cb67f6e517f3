import type { SandboxNetwork } from "../network/command-proxy.ts";

/** Programs that can make a sandbox. */
export const SANDBOX_BACKENDS = ["bubblewrap", "podman", "docker", "seatbelt"] as const;

/** Name of a backend. */
export type SandboxBackend = (typeof SANDBOX_BACKENDS)[number];

/** What a sandboxed command may reach. Everything that is not named here does not exist for it. */
export interface SandboxSpec {
  /** `auto`: the first one that works on this machine. */
  readonly backend: SandboxBackend | "auto";
  /** Image of the container backends. */
  readonly image: string;
  /** The run's workspace: absolute, symbolic links resolved. */
  readonly workspace: { readonly path: string; readonly writable: boolean };
  /** Further files and folders, visible read-only at their own paths. Missing ones are left out. */
  readonly readOnly: readonly string[];
  /** Files and folders that stay invisible inside visible ones: the state directory, the configuration. Folders above that lie inside of them stay visible. */
  readonly hidden: readonly string[];
  /** Absent: none. */
  readonly network?: SandboxNetwork;
  /** Processes and threads of one command. */
  readonly maxTasks: number;
  /** Bytes; also the limit of files in memory of one command. */
  readonly maxMemoryBytes: number;
}

/** A path of the sandbox, at the same place as on the host. */
export interface PlannedMount {
  /** The last two cover what the host has at the path. */
  readonly type: "read-only" | "writable" | "empty-folder" | "empty-file";
  readonly path: string;
}

/** The way of a command to its proxy. */
export type PlannedNetwork =
  /** The sandbox shows the proxy's socket and the host's Node.js, which passes its own loopback on to it. */
  | { readonly type: "socket"; readonly socket: string; readonly node: string }
  /** A port of the host's loopback, for a sandbox that shares it. */
  | { readonly type: "port"; readonly port: number };

/** A specification with all paths checked; backends render it. */
export interface SandboxPlan extends Pick<SandboxSpec, "image" | "maxTasks" | "maxMemoryBytes"> {
  /** Outer folders before inner ones. */
  readonly mounts: readonly PlannedMount[];
  /** `HOME`: an empty folder in memory, removed with the command. */
  readonly home: string;
  /** Variables besides those of the request. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absent: none. */
  readonly network?: PlannedNetwork;
}
