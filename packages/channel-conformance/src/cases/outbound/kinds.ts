import type { Outbound } from "@factotum/channel-contract";
import type { Need } from "../../case.ts";
import type { ConformancePlatform, ShownMessage } from "../../platform.ts";

/** How the suite tests a kind of outbound. */
export interface OutboundKind {
  /** What its cases need; none for what every channel sends. */
  readonly need?: Need;
  /** Where a platform shows it. */
  readonly shownIn: keyof ShownMessage | keyof ConformancePlatform;
}

/** Every kind of outbound: one that is added to the contract is a type error here until it can be tested. */
export const OUTBOUND_KINDS: Readonly<Record<Outbound["type"], OutboundKind>> = {
  text: { shownIn: "text" },
  media: { need: "media", shownIn: "file" },
  album: { need: "albums", shownIn: "files" },
  edit: { need: "edit", shownIn: "text" },
  delete: { need: "delete", shownIn: "deleted" },
  reaction: { need: "reactions", shownIn: "reactions" },
  poll: { need: "polls", shownIn: "poll" },
  card: { need: "cards", shownIn: "card" },
  "edit-card": { need: "card-edits", shownIn: "card" },
  stream: { need: "stream", shownIn: "isGrowing" },
  typing: { need: "typing", shownIn: "typing" },
};
