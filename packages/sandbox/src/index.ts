export { createHostRunner } from "./host/host-runner.ts";
export type { HostRunnerOptions } from "./host/host-runner.ts";
