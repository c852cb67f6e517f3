import type { ActionName, ChannelCapabilities } from "@factotum/channel-contract";
import type { Adapter } from "chat";
import { knownAdapter } from "./known-adapters.ts";

/** The longest text that an unknown adapter is given, in characters, and after it has rendered it: within the limit of nearly every platform. */
const MIN_TEXT_LENGTH = 1_500;
export const MIN_RENDERED_LENGTH = 2_000;

/** What every adapter can do: it delivers messages by its webhook, once as far as is known, and sends texts. */
const MINIMUM: ChannelCapabilities = {
  addressing: "platform",
  inbound: { delivery: "once", transport: "webhook" },
  text: { maxLength: MIN_TEXT_LENGTH, unit: "utf16", markdown: "subset", dialect: "markdown" },
  threads: "native",
  edit: false,
  delete: false,
  reactions: false,
  polls: false,
  typing: false,
  media: [],
  nativeCommands: true,
  buttons: false,
  cards: false,
  optional: ["probe"],
  streaming: "none",
  caseSensitiveIds: true,
  events: ["edit", "delete", "reaction", "action"],
  actions: [],
};

/** The capabilities of an account: those proved of a known adapter; else the minimum, and the actions for which the loaded adapter has a method of its own. */
export function capabilitiesOf(name: string, loaded: Adapter | undefined): ChannelCapabilities {
  const known = knownAdapter(name);
  if (known !== undefined) return { addressing: "platform", ...known.capabilities };
  const actions: readonly ActionName[] =
    loaded === undefined
      ? []
      : [
          ...(loaded.getUser === undefined ? [] : (["member-info"] as const)),
          ...(loaded.fetchChannelInfo === undefined ? [] : (["channel-info"] as const)),
        ];
  return { ...MINIMUM, actions };
}
