/** A figure, and its target. */
export interface Figure {
  readonly label: string;
  readonly unit: "ms" | "MiB" | "MB" | "kB" | "bytes" | "tokens" | "turns/s" | "packages" | "files" | "×" | "%";
  readonly better: "lower" | "higher";
  /** The target on this machine class; shown for every figure that has one. */
  readonly target?: number;
  /**
   * The peer's value on the machine for which the target was set. Times depend on the machine, ratios do not: if the peer is measured in the same run, the same
   * lead over it counts as reaching the target.
   */
  readonly peer?: number;
  /**
   * What `--check` fails on. `limit`: the target itself, for sizes, which do not depend on the machine. `ratio`: a ratio to the floor that is much worse than
   * the recorded one, for times. `none`: too noisy to check, or without a floor.
   */
  readonly gate: "limit" | "ratio" | "none";
}

/** Name of a figure in results. */
export type FigureId =
  | "start"
  | "firstTurn"
  | "version"
  | "statusUp"
  | "statusDown"
  | "idleMemory"
  | "usedMemory"
  | "disk"
  | "hello"
  | "helloTokens"
  | "turnP50"
  | "turnP90"
  | "turnP99"
  | "turnCpu"
  | "toolTurnP50"
  | "toolTurnP90"
  | "toolTurnP99"
  | "rate16"
  | "rate256"
  | "loopDelayP99"
  | "loopDelayMax"
  | "loadedMemory"
  | "listPage"
  | "longSession"
  | "channelsStart"
  | "channelsMemory"
  | "channelsExcess"
  | "installSize"
  | "installPackages"
  | "installFiles"
  | "webScript"
  | "webPaint"
  | "webShown"
  | "webFrame"
  | "webKey"
  | "webBusy"
  | "webOpen"
  | "webCode"
  | "webLongest"
  | "subagentTurn"
  | "subagentRatio"
  | "subagentMemory";

/** Every figure, in the order of the table. */
export const FIGURES: Readonly<Record<FigureId, Figure>> = {
  start: { label: "start → /readyz", unit: "ms", better: "lower", target: 500, peer: 9500, gate: "ratio" },
  firstTurn: { label: "first turn after a start", unit: "ms", better: "lower", target: 300, peer: 5600, gate: "none" },
  version: { label: "factotum --version", unit: "ms", better: "lower", target: 80, peer: 230, gate: "none" },
  statusUp: { label: "factotum status, gateway up", unit: "ms", better: "lower", target: 250, peer: 5100, gate: "none" },
  statusDown: { label: "factotum status, gateway down", unit: "ms", better: "lower", target: 250, peer: 63_000, gate: "none" },
  idleMemory: { label: "RSS, idle", unit: "MiB", better: "lower", target: 90, gate: "limit" },
  usedMemory: { label: "RSS after 1,000 turns", unit: "MiB", better: "lower", target: 130, gate: "limit" },
  disk: { label: "disk for 1,000 turns", unit: "MB", better: "lower", target: 4, gate: "none" },
  hello: { label: "hello request", unit: "bytes", better: "lower", target: 20_000, gate: "limit" },
  helloTokens: { label: "hello request, o200k", unit: "tokens", better: "lower", target: 6000, gate: "none" },
  turnP50: { label: "gateway time of a turn, p50", unit: "ms", better: "lower", target: 5, peer: 213, gate: "ratio" },
  turnP90: { label: "gateway time of a turn, p90", unit: "ms", better: "lower", target: 10, peer: 300, gate: "none" },
  turnP99: { label: "gateway time of a turn, p99", unit: "ms", better: "lower", target: 15, gate: "none" },
  turnCpu: { label: "CPU of a turn", unit: "ms", better: "lower", gate: "ratio" },
  toolTurnP50: { label: "with one tool call, p50", unit: "ms", better: "lower", target: 8, peer: 307, gate: "ratio" },
  toolTurnP90: { label: "with one tool call, p90", unit: "ms", better: "lower", gate: "none" },
  toolTurnP99: { label: "with one tool call, p99", unit: "ms", better: "lower", gate: "none" },
  rate16: { label: "16 sessions at once", unit: "turns/s", better: "higher", target: 400, peer: 3.85, gate: "none" },
  rate256: { label: "256 sessions at once", unit: "turns/s", better: "higher", target: 400, peer: 3.85, gate: "ratio" },
  loopDelayP99: { label: "event loop delay under that load, p99", unit: "ms", better: "lower", target: 10, gate: "none" },
  loopDelayMax: { label: "event loop delay under that load, max", unit: "ms", better: "lower", target: 50, gate: "none" },
  listPage: { label: "sessions.list, a page of 100,000", unit: "ms", better: "lower", target: 5, gate: "none" },
  longSession: { label: "turn behind 10,000 messages, to an empty session's", unit: "×", better: "lower", target: 1.2, gate: "none" },
  channelsStart: { label: "start with five channels; floor: without them", unit: "ms", better: "lower", target: 500, gate: "none" },
  channelsMemory: { label: "RSS, idle with five channels; floor: a bare Node with their SDKs", unit: "MiB", better: "lower", gate: "none" },
  channelsExcess: { label: "more than that bare Node", unit: "MiB", better: "lower", target: 20, gate: "limit" },
  installSize: { label: "installed, without optional parts", unit: "MB", better: "lower", target: 45, gate: "limit" },
  installPackages: { label: "installed packages", unit: "packages", better: "lower", target: 150, gate: "limit" },
  installFiles: { label: "installed files", unit: "files", better: "lower", target: 5000, gate: "limit" },
  loadedMemory: { label: "RSS after that load", unit: "MiB", better: "lower", gate: "none" },
  webScript: { label: "page: JavaScript of the chat on the wire", unit: "kB", better: "lower", target: 190, gate: "none" },
  webPaint: { label: "page on a phone: first paint", unit: "ms", better: "lower", target: 1500, gate: "none" },
  webShown: { label: "page on a phone: conversation shown", unit: "ms", better: "lower", target: 2500, gate: "none" },
  webFrame: { label: "page: frame at 200 tokens/s below 600 messages, p95", unit: "ms", better: "lower", target: 33, gate: "none" },
  webKey: { label: "page: key to paint meanwhile, p95", unit: "ms", better: "lower", target: 80, gate: "none" },
  webBusy: { label: "page: main thread meanwhile", unit: "%", better: "lower", gate: "none" },
  webOpen: { label: "page: a conversation of 10,000 messages opened", unit: "ms", better: "lower", target: 300, gate: "none" },
  webCode: { label: "page: main thread, 2,000 lines of code at 500 tokens/s", unit: "%", better: "lower", target: 40, gate: "none" },
  webLongest: { label: "page: longest task meanwhile", unit: "ms", better: "lower", target: 50, gate: "none" },
  subagentTurn: { label: "turn while 50 sub-agents work, p95", unit: "ms", better: "lower", gate: "none" },
  subagentRatio: { label: "the same against the conversation without them", unit: "×", better: "lower", target: 1.2, gate: "none" },
  subagentMemory: { label: "memory after 1,000 sub-agents, more than before", unit: "MiB", better: "lower", target: 5, gate: "none" },
};

/** One figure of this run. */
export interface Measurement {
  readonly value: number;
  /** The floor's value, if it has one. */
  readonly floor?: number;
  /** How much worse than the floor, in the figure's direction: 3 is three times as slow, or a third of the rate. */
  readonly ratio?: number;
}

/** The measured figures of a run. */
export type Measurements = Partial<Record<FigureId, Measurement>>;

function isFigureId(name: string): name is FigureId {
  return Object.hasOwn(FIGURES, name);
}

/** Ids and figures in the order of the table. */
export function listFigures(): readonly (readonly [FigureId, Figure])[] {
  return Object.entries(FIGURES).flatMap(([id, figure]) => (isFigureId(id) ? [[id, figure] as const] : []));
}
