import type { ChatSubagent } from "@factotum/protocol";
import { useEffect, useState } from "react";
import { formatDuration } from "../../../app/locale.ts";

/** How long a sub-agent has existed, or took until its end. Counts while it is open. */
export function SubagentAge({ subagent: { createdAtMs, endedAtMs } }: { readonly subagent: ChatSubagent }): React.JSX.Element {
  const [nowMs, setNowMs] = useState(() => Date.now());
  const isOpen = endedAtMs === undefined;
  useEffect(() => {
    if (!isOpen) return undefined;
    const timer = setInterval(() => setNowMs(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isOpen]);
  return <span className="subagent-age">{formatDuration((endedAtMs ?? nowMs) - createdAtMs)}</span>;
}
