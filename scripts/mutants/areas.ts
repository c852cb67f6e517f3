/** A part of the product whose tests are measured by mutation. */
export interface MutationArea {
  /** The name on the command line and in the recorded scores. */
  readonly name: string;
  /** The package whose own tests run; tests of other packages use the unchanged sources. */
  readonly folder: string;
  /** Globs relative to `folder`. */
  readonly sources: readonly string[];
  /** A glob of the relevant test folders, relative to `folder`, if the package's other tests take too long. */
  readonly tests?: string;
  /** Share of the lines in the fixed sample, in percent: about a hundred mutants per area, so that a run takes minutes. */
  readonly samplePercent: number;
}

/** A turn from its session to its commit. */
const TURN = "src/{conversation,notices,prompt,messages,compaction,preparation,run,turn}";

/** Code whose bugs lose messages, money or authority. */
export const AREAS: readonly MutationArea[] = [
  { name: "loop", folder: "packages/agent-core", sources: ["src/loop/**/*.ts"], tests: "src/loop", samplePercent: 12 },
  { name: "projection", folder: "packages/agent-core", sources: ["src/{projection,history,bootstrap}/**/*.ts"], samplePercent: 12 },
  { name: "lanes", folder: "packages/gateway", sources: ["src/queue/**/*.ts"], tests: "src/queue", samplePercent: 10 },
  {
    name: "turn",
    folder: "packages/gateway",
    sources: [`${TURN}/**/*.ts`],
    tests: TURN,
    samplePercent: 3,
  },
  { name: "delivery", folder: "packages/gateway", sources: ["src/delivery/**/*.ts"], tests: "src/delivery", samplePercent: 3 },
  { name: "access", folder: "packages/gateway", sources: ["src/access/**/*.ts"], tests: "src/access", samplePercent: 30 },
  { name: "store", folder: "packages/store", sources: ["src/sqlite/**/*.ts"], samplePercent: 3 },
  { name: "failover", folder: "packages/models", sources: ["src/failover/**/*.ts", "src/errors/**/*.ts"], samplePercent: 12 },
  { name: "config", folder: "packages/config", sources: ["src/**/*.ts"], samplePercent: 4 },
];
