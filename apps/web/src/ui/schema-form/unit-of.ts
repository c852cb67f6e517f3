import { msg } from "../../i18n/t.ts";

/** A map: a key may be called `constructor`. */
const UNITS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    seconds: msg("seconds"),
    ms: msg("milliseconds"),
    minutes: msg("minutes"),
    hours: msg("hours"),
    days: msg("days"),
    bytes: msg("bytes"),
    mb: msg("MB"),
    chars: msg("characters"),
    tokens: msg("tokens"),
    usd: msg("US dollars"),
  }),
);

/** The unit of a number, which the name of its key ends with: `timeoutSeconds`, `usdPerDay`. To be translated. */
export function unitOf(key: string): string | undefined {
  const words = key
    .replace(/PerDay$/, "")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(" ");
  return UNITS.get(words.at(-1) ?? "");
}
