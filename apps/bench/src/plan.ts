/** How much a run measures. */
export interface Plan {
  readonly starts: number;
  readonly commandRuns: number;
  readonly idleMs: number;
  /** Sequential turns; a round has as many of the product as of the floor. */
  readonly turns: { readonly rounds: number; readonly perRound: number };
  readonly toolTurns: { readonly rounds: number; readonly perRound: number };
  /** Rounds of each load, and turns of each session in a round. */
  readonly load: { readonly rounds: number; readonly turnsOf16: number; readonly turnsOf256: number };
  /** Pages of the list of 100,000 sessions; rounds of turns after 10,000 messages and in an empty session, and the turns of each. */
  readonly sessions: { readonly pages: number; readonly rounds: number; readonly perRound: number };
  /** Five channels: starts with and without them, and pairs of idle processes. */
  readonly channels: { readonly starts: number; readonly idle: number; readonly idleMs: number };
  /** Only figures that do not depend on the machine. */
  readonly sizesOnly: boolean;
}

/** The variants of a run. All have 1,000 turns: memory and disk are stated for that number. */
export const PLANS: Readonly<Record<"full" | "quick" | "check" | "sizes", Plan>> = {
  full: {
    starts: 9,
    commandRuns: 9,
    idleMs: 30_000,
    turns: { rounds: 20, perRound: 50 },
    toolTurns: { rounds: 10, perRound: 50 },
    load: { rounds: 5, turnsOf16: 40, turnsOf256: 4 },
    sessions: { pages: 200, rounds: 10, perRound: 25 },
    channels: { starts: 9, idle: 3, idleMs: 30_000 },
    sizesOnly: false,
  },
  quick: {
    starts: 3,
    commandRuns: 3,
    idleMs: 3000,
    turns: { rounds: 20, perRound: 50 },
    toolTurns: { rounds: 5, perRound: 20 },
    load: { rounds: 3, turnsOf16: 20, turnsOf256: 2 },
    sessions: { pages: 100, rounds: 5, perRound: 25 },
    channels: { starts: 3, idle: 1, idleMs: 10_000 },
    sizesOnly: false,
  },
  check: {
    starts: 5,
    commandRuns: 3,
    idleMs: 3000,
    turns: { rounds: 20, perRound: 50 },
    toolTurns: { rounds: 10, perRound: 20 },
    load: { rounds: 5, turnsOf16: 20, turnsOf256: 2 },
    sessions: { pages: 100, rounds: 5, perRound: 25 },
    channels: { starts: 5, idle: 1, idleMs: 10_000 },
    sizesOnly: false,
  },
  sizes: {
    starts: 0,
    commandRuns: 0,
    idleMs: 10_000,
    turns: { rounds: 20, perRound: 50 },
    toolTurns: { rounds: 0, perRound: 0 },
    load: { rounds: 0, turnsOf16: 0, turnsOf256: 0 },
    sessions: { pages: 0, rounds: 0, perRound: 0 },
    channels: { starts: 0, idle: 1, idleMs: 10_000 },
    sizesOnly: true,
  },
};
