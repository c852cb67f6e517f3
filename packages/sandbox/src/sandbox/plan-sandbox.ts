import { sep } from "node:path";
import { contains, planMounts } from "./plan-mounts.ts";
import { resolvePaths } from "./resolve-paths.ts";
import type { SandboxPlan, SandboxSpec } from "./sandbox-spec.ts";

/** What the plan depends on besides the specification. */
export interface PlanOptions {
  /** Folders that the backend shows anyway. */
  readonly system: readonly string[];
  /** The home of the gateway's account: `~` of the file tools means the same path in the sandbox. */
  readonly userHome: string;
  /** Variables of the gateway; only those that describe language, terminal and time zone are passed on. */
  readonly baseEnv: Readonly<Record<string, string | undefined>>;
}

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Variables of the gateway that a sandboxed command gets. */
const PASSED = ["LANG", "TERM", "TZ"];

/** Checks the paths of a specification; `undefined` if its workspace is a hidden place itself. */
export async function planSandbox(spec: SandboxSpec, { system, userHome, baseEnv }: PlanOptions): Promise<SandboxPlan | undefined> {
  const { workspace, image, maxTasks, maxMemoryBytes } = spec;
  const [readOnly, hidden] = await Promise.all([resolvePaths(spec.readOnly), resolvePaths(spec.hidden)]);
  const mounts = planMounts({ system, workspace, readOnly, hidden });
  if (mounts === undefined) return undefined;
  const visible = [...system, ...mounts.map(({ path }) => path)];
  const isFree = userHome !== sep && !visible.some((path) => contains(path, userHome));
  const passed = PASSED.flatMap((name) => (baseEnv[name] ? [[name, baseEnv[name]]] : []));
  return {
    mounts,
    home: isFree ? userHome : "/tmp",
    environment: { PATH, USER: "sandbox", SHELL: "/bin/sh", LANG: "C.UTF-8", ...Object.fromEntries(passed) },
    image,
    maxTasks,
    maxMemoryBytes,
  };
}
