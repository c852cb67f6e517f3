import type { Channel } from "@factotum/channel-contract";

/**
 * The sending half of a channel. `stop` accepts no further sends and resolves when those that have begun have a result, or were abandoned because the signal
 * fired.
 */
export type Sender = Pick<Channel, "send" | "stop">;
