import { ManualClock } from "@factotum/testing-channels";
import type { ChannelHost, Logger } from "@factotum/channel-contract";

/** A host with a stopped clock that keeps what is logged. */
export interface TestHost extends Pick<ChannelHost, "logger"> {
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
  return { clock: new ManualClock(0), logger, logged };
}
