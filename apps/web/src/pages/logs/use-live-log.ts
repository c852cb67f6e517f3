import { useEffect, useState } from "react";
import { useAppState, useSession } from "../../app/app-context.ts";
import { RpcError } from "../../gateway-client/rpc-error.ts";
import { type LogLine, type LogLines, NO_LINES, withPart } from "./log-lines.ts";
import type { LogSearch } from "./log-search.ts";

/** No event announces a line. */
const LOOK_MS = 2000;
/** Lines of one look; the gateway gives no more. */
const MAX_LOOK_LINES = 300;

/** The log as the page shows it. */
export interface LiveLog {
  /** Newest first. */
  readonly lines: readonly LogLine[];
  readonly isLoaded: boolean;
  /** Why it cannot be read. */
  readonly problem: string | undefined;
}

interface Reading extends LogLines {
  readonly filter: string;
  readonly problem?: string | undefined;
}

/** Reads the log as long as the page is visible, from where it was left; from its end after a change of the filter. Paused, it reads nothing. */
export function useLiveLog(search: LogSearch, isPaused: boolean): LiveLog {
  const { client } = useSession();
  const isConnected = useAppState((state) => state.connection.type === "connected");
  const filter = JSON.stringify(search);
  const [reading, setReading] = useState<Reading>({ ...NO_LINES, filter });
  const isCurrent = reading.filter === filter;
  const cursor = isCurrent ? reading.cursor : undefined;
  const isHeld = isPaused && cursor !== undefined;
  useEffect(() => {
    if (!isConnected || isHeld) return undefined;
    const ending = new AbortController();
    const look = async (): Promise<void> => {
      const params = { ...(JSON.parse(filter) as LogSearch), limit: MAX_LOOK_LINES, ...(cursor !== undefined && { after: cursor }) };
      try {
        const part = await client.request("logs.tail", params);
        if (!ending.signal.aborted)
          setReading((known) => ({ ...withPart(known.filter === filter ? known : NO_LINES, part, cursor), filter }));
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        if (!ending.signal.aborted && !error.isTransient)
          setReading((known) => ({ ...(known.filter === filter ? known : NO_LINES), filter, problem: error.message }));
      }
    };
    if (cursor === undefined) void look();
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void look();
    }, LOOK_MS);
    return () => {
      ending.abort();
      clearInterval(timer);
    };
  }, [client, isConnected, isHeld, filter, cursor]);
  return {
    lines: isCurrent ? reading.lines : [],
    isLoaded: cursor !== undefined,
    problem: isCurrent ? reading.problem : undefined,
  };
}
