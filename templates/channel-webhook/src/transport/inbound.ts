import type { ChannelCapabilities } from "@factotum/channel-contract";

/** The path that events take, and what the platform guarantees for it. */
export const INBOUND: ChannelCapabilities["inbound"] = { delivery: "redelivers", transport: "webhook", webhookAuth: "signature" };
