import { formatCompact } from "../app/locale.ts";
import { t } from "../i18n/t.ts";

/** A number of bytes in the largest unit that fits, such as "120 B", "3.4 kB" or "18 MB". */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return t("{count} B", { count: bytes });
  // From here on a kilobyte count would round to a thousand.
  if (bytes < 999_950) return t("{size} kB", { size: formatCompact(bytes / 1000) });
  return t("{size} MB", { size: formatCompact(bytes / 1_000_000) });
}
