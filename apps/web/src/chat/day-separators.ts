import type { ChatItem } from "./chat-items.ts";

/** The date above the first row of a day. */
export interface DaySeparator {
  readonly type: "day";
  readonly id: string;
  readonly timestampMs: number;
}

const separators = new WeakMap<ChatItem, DaySeparator>();

/** Inserts a separator before the first row of each day. Unchanged rows keep their identity. `dayOf` maps a time to the key of its day. */
export function withDaySeparators(
  items: readonly ChatItem[],
  dayOf: (timestampMs: number) => string = localDay,
): readonly (ChatItem | DaySeparator)[] {
  let last: string | undefined;
  return items.flatMap((item): readonly (ChatItem | DaySeparator)[] => {
    const timestampMs = "timestampMs" in item ? item.timestampMs : undefined;
    const day = timestampMs === undefined ? last : dayOf(timestampMs);
    if (timestampMs === undefined || day === undefined || day === last) return [item];
    last = day;
    // The id comes from the row below, because a day can occur twice when the clock was set back.
    const separator = separators.get(item) ?? { type: "day", id: `day-${item.id}`, timestampMs };
    separators.set(item, separator);
    return [separator, item];
  });
}

function localDay(timestampMs: number): string {
  const date = new Date(timestampMs);
  return `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`;
}
