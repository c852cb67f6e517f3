import * as z from "zod";
import {
  ChannelDirectoryEntriesSchema,
  ChannelLoginStepSchema,
  ChannelProbeSchema,
  type ChannelDirectoryEntry,
  type ChannelLoginStep,
  type ChannelProbe,
} from "../shapes/channels.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key, limit } from "./params.ts";

/** An account of a channel; `accountId` is `default` if omitted. */
interface AccountParams {
  readonly channel: string;
  readonly accountId?: string;
}

/** Methods of single channels. They reject with `not-found` for an account that is not configured, and with `unavailable` if the channel does not support the method. */
export interface ChannelMethods {
  /** The capabilities that the channel declares. */
  "channels.capabilities": { params: AccountParams; result: { readonly capabilities: Readonly<Record<string, unknown>> } };
  /** Checks the credential and the permissions by a call that is free of charge. */
  "channels.probe": { params: AccountParams; result: ChannelProbe };
  /** People and conversations whose name or id contains `query`; at most 20 by default. */
  "channels.directory": {
    params: AccountParams & { readonly query: string; readonly limit?: number };
    result: { readonly entries: readonly ChannelDirectoryEntry[] };
  };
  /**
   * Starts a login, or continues the one with this id; `answer` answers a step of type `ask`. Resolves with the next step, or after 20 seconds with `waiting`:
   * then call it again. After `done` the channel is restarted. A login expires after ten minutes without a call, and ends with `channels.cancelLogin`.
   */
  "channels.login": {
    params: AccountParams & { readonly loginId?: string; readonly answer?: string };
    result: { readonly loginId: string; readonly step: ChannelLoginStep };
  };
  /**
   * Gives up what waits to be sent by an account that was removed from the configuration; it becomes dead letters, which can be replayed. Otherwise the next account
   * of this name would send it. Rejects with `conflict` while the account is configured.
   */
  "channels.discard": { params: AccountParams; result: { readonly discarded: number } };
  /** Ends a login and its steps in the channel; calls of `channels.login` that wait for a step reject. `cancelled` is false if it has ended already. */
  "channels.cancelLogin": { params: { readonly loginId: string }; result: { readonly cancelled: boolean } };
}

const account = { channel: key, accountId: key.optional() };

/** Rows of the channel methods. */
export const CHANNEL_METHODS: MethodTable<ChannelMethods> = defineMethods<ChannelMethods>()({
  "channels.capabilities": {
    access: "owner",
    stores: false,
    params: () => z.strictObject(account),
    result: () => z.strictObject({ capabilities: z.record(z.string(), z.unknown()) }),
  },
  "channels.probe": {
    access: "owner",
    stores: false,
    params: () => z.strictObject(account),
    result: () => ChannelProbeSchema,
  },
  "channels.directory": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ ...account, query: z.string().max(1000), limit: limit.optional() }),
    result: () => z.strictObject({ entries: ChannelDirectoryEntriesSchema }),
  },
  "channels.login": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ ...account, loginId: key.optional(), answer: z.string().max(10_000).optional() }),
    result: () => z.strictObject({ loginId: z.string(), step: ChannelLoginStepSchema }),
  },
  "channels.discard": {
    access: "owner",
    stores: true,
    params: () => z.strictObject(account),
    result: () => z.strictObject({ discarded: z.number() }),
  },
  "channels.cancelLogin": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ loginId: key }),
    result: () => z.strictObject({ cancelled: z.boolean() }),
  },
});
