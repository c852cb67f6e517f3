import type { ChannelStatus } from "@factotum/protocol";
import { msg, t } from "../i18n/t.ts";
import { LiveBadge } from "../data/live-badge.tsx";
import type { Tone } from "../ui/badge.tsx";

const STATES: Readonly<Record<ChannelStatus["state"], readonly [Tone, string]>> = {
  connected: ["good", msg("Connected")],
  starting: ["neutral", msg("Starting")],
  degraded: ["warning", msg("Works in part")],
  disconnected: ["warning", msg("Not connected")],
  stopped: ["neutral", msg("Stopped")],
  disabled: ["neutral", msg("Switched off")],
  failed: ["bad", msg("Failed")],
};

const ADVICE: Partial<Record<ChannelStatus["state"], string>> = {
  failed: msg("Check its settings. It is tried again with each change, and by itself where that can help."),
  disconnected: msg("It keeps trying by itself. What is to be sent waits meanwhile."),
  degraded: msg("It is in use, but not everything works. The reason is above."),
  disabled: msg("It is switched off in the configuration."),
};

/** The state of an account in a word or two. */
export function AccountState({ state }: Pick<ChannelStatus, "state">): React.JSX.Element {
  const [tone, words] = STATES[state];
  return <LiveBadge tone={tone}>{t(words)}</LiveBadge>;
}

/** What to do about the state of an account; nothing for a good one. */
export function adviceOf({ state, hasOldSecret }: Pick<ChannelStatus, "state" | "hasOldSecret">): string | undefined {
  if (hasOldSecret === true) return t("A secret has changed since it was started. Start it again to use the new one.");
  const advice = ADVICE[state];
  return advice === undefined ? undefined : t(advice);
}
