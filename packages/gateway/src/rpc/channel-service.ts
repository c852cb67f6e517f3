import type { ChannelForm, ChannelRemoval, ChannelSaving, KnownChannel } from "@factotum/protocol";
import type { AccountAddress } from "../channels/channel-inspector.ts";

/**
 * Sets up accounts of channels for clients: the configuration file with its private files. Rejects with an `RpcError` that says what to do;
 * then nothing was changed. A change is in use when it resolves. No secret is in what it resolves with.
 */
export interface ChannelService {
  list(): Promise<readonly KnownChannel[]>;
  form(account: AccountAddress): Promise<ChannelForm>;
  /** Without a `baseHash` it is not compared with what the account has now. */
  save(
    account: AccountAddress,
    change: { readonly settings: Readonly<Record<string, unknown>>; readonly baseHash?: string },
  ): Promise<ChannelSaving>;
  /** Only what the configuration has of it. */
  remove(account: AccountAddress): Promise<Omit<ChannelRemoval, "discarded" | "pairings">>;
}
