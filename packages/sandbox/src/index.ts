export { createHostRunner } from "./host/host-runner.ts";
export type { HostRunner, HostRunnerOptions } from "./host/host-runner.ts";
export { CHILD_VARIABLE } from "./host/child-family.ts";
