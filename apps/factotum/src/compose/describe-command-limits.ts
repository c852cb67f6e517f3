import type { FactotumConfig } from "@factotum/config";
import type { HostRunner } from "@factotum/sandbox";

/** The limits of running commands, and who enforces them; empty if no commands run. */
export function describeCommandLimits(
  { tools: { exec } }: Pick<FactotumConfig, "tools">,
  keptBy: HostRunner["limitsKeptBy"],
): readonly string[] {
  if (exec.mode === "deny") return [];
  const how =
    keptBy === "cgroup"
      ? "kept by the kernel in a cgroup; a command that cannot enter one is measured while it runs"
      : "counted and measured while they run, because this process has no cgroup (version 2) of its own in which it may write";
  return [`all running commands together may have ${exec.maxProcesses} processes and ${exec.maxMemoryMb} MB of memory: ${how}`];
}
