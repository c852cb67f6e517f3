/** Limits for all running commands together. */
export interface CommandLimits {
  readonly maxProcesses: number;
  readonly maxMemoryBytes: number;
}

/** An exceeded limit, with the total use. */
export interface Excess {
  readonly limit: "processes" | "memory";
  readonly used: number;
  readonly allowed: number;
}

/** Resources that the processes of one command use. */
export interface Usage {
  readonly processes: number;
  readonly memoryBytes: number;
}

/** The exceeded limit and the index of the command with the largest share; `undefined` while all are within the limits. */
export function findExcess(
  usages: readonly Usage[],
  limits: CommandLimits,
): { readonly excess: Excess; readonly index: number } | undefined {
  const check = (limit: Excess["limit"], amounts: readonly number[], allowed: number): ReturnType<typeof findExcess> => {
    const used = amounts.reduce((sum, amount) => sum + amount, 0);
    return used > allowed ? { excess: { limit, used, allowed }, index: amounts.indexOf(Math.max(...amounts)) } : undefined;
  };
  return (
    check(
      "processes",
      usages.map(({ processes }) => processes),
      limits.maxProcesses,
    ) ??
    check(
      "memory",
      usages.map(({ memoryBytes }) => memoryBytes),
      limits.maxMemoryBytes,
    )
  );
}
