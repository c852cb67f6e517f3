import { ManualClock } from "@factotum/testing-channels";
import type { ChannelHost, Logger, Random } from "@factotum/channel-contract";

/** A host with a stopped clock, and randomness in the middle of its range, that keeps what is logged. */
export interface TestHost extends Pick<ChannelHost, "logger" | "random"> {
  readonly clock: ManualClock;
  /** Level, text and fields of each line. */
  readonly logged: readonly (readonly unknown[])[];
}

/** Creates a host at time zero. */
export function createTestHost(): TestHost {
  const logged: (readonly unknown[])[] = [];
  const log =
    (level: string) =>
    (...line: unknown[]): void =>
      void logged.push([level, ...line]);
  const logger: Logger = { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error"), child: () => logger };
  const random: Random = { bytes: (count) => new Uint8Array(count), uuid: () => "00000000-0000-4000-8000-000000000000", float: () => 0.5 };
  return { clock: new ManualClock(0), logger, random, logged };
}
