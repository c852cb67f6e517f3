export { createHostRunner } from "./host/host-runner.ts";
export type { HostRunner } from "./host/host-runner.ts";
export type { HostRunnerOptions } from "./host/host-runner-options.ts";
export { CHILD_VARIABLE } from "./host/child-family.ts";
export type { CommandLimits } from "./limits/command-limits.ts";
export type { OutputRedactor } from "./output/capped-output.ts";
export { openCommandCgroups } from "./cgroup/command-cgroups.ts";
export type { CommandCgroup, CommandCgroups } from "./cgroup/command-cgroups.ts";
