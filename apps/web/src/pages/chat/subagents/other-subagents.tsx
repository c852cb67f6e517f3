import type { ChatItem } from "../../../chat/chat-items.ts";
import type { DaySeparator } from "../../../chat/day-separators.ts";
import { isOpenSubagent } from "./describe-subagent.ts";
import { SubagentList } from "./subagent-list.tsx";
import { useSubagents } from "./use-subagents.ts";
import { t } from "../../../i18n/t.ts";

/** Open sub-agents of the session that no row shows: those of turns which are not loaded, or which were before a reset. */
export function OtherSubagents({
  sessionKey,
  items,
}: {
  readonly sessionKey: string;
  readonly items: readonly (ChatItem | DaySeparator)[];
}): React.JSX.Element | null {
  const all = useSubagents();
  const open = all.filter((one) => one.parentKey === sessionKey && isOpenSubagent(one));
  if (open.length === 0) return null;
  const shown = new Set(items.flatMap((item) => (item.type === "spawns" ? item.calls.map(({ runId }) => runId) : [])));
  const others = open.filter(({ runId }) => !shown.has(runId));
  return others.length === 0 ? null : <SubagentList subagents={others} all={all} label={t("Sub-agents of earlier turns")} />;
}
