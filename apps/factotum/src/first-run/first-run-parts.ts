import type { Clock } from "@factotum/agent-contract";
import {
  formatProblem,
  loadConfig,
  type ChannelSource,
  type ConfigProblem,
  type Environment,
  type LoadedConfig,
  type PackageProvider,
} from "@factotum/config";

/** Dependencies of the first-run steps. */
export interface FirstRunParts {
  readonly env: Environment;
  readonly channels: readonly ChannelSource[];
  /** The providers of models that installed packages bring. */
  readonly packageProviders: () => Promise<readonly PackageProvider[]>;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
}

/** The result of a step. `refused` says what to do; nothing was changed then. */
export type StepOutcome<Done> = ({ readonly type: "done" } & Done) | { readonly type: "refused"; readonly message: string };

/** A step that was refused; nothing was changed. */
export type Refused = Extract<StepOutcome<object>, { readonly type: "refused" }>;

/** The current configuration, or why no step is possible. */
export async function loadForSetup({ env, channels, packageProviders }: FirstRunParts): Promise<LoadedConfig | Refused> {
  const loaded = await loadConfig({ env, channels, packageProviders: await packageProviders() });
  return loaded.type === "refused" ? refusedFor(loaded.path, loaded.problems) : loaded;
}

/** A refusal with the problems of the configuration. */
export function refusedFor(path: string, problems: readonly ConfigProblem[]): Refused {
  const reasons = problems.map(formatProblem).join("; ");
  return { type: "refused", message: `${path} was not changed: ${reasons}. Repair it (factotum config validate) and try again.` };
}
