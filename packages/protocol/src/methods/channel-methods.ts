import * as z from "zod";
import { ChannelLoginStepSchema, ChannelProbeSchema, type ChannelLoginStep, type ChannelProbe } from "../shapes/channels.ts";
import {
  ChannelFormSchema,
  ChannelRemovalSchema,
  ChannelSavingSchema,
  ChannelTestSchema,
  KnownChannelSchema,
  type ChannelForm,
  type ChannelRemoval,
  type ChannelSaving,
  type ChannelTest,
  type KnownChannel,
} from "../shapes/channel-setup.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { empty, key } from "./params.ts";

/** An account of a channel; `accountId` is `default` if omitted. */
interface AccountParams {
  readonly channel: string;
  readonly accountId?: string;
}

/** Methods of single channels. They reject with `not-found` for an account that is not configured, and with `unavailable` if the channel does not support the method. */
export interface ChannelMethods {
  /** The channels of this build, of installed packages, and those whose package `plugins.install` installs by their id. */
  "channels.list": { params: Record<string, never>; result: { readonly channels: readonly KnownChannel[] } };
  /** The settings of an account, or of a new one. */
  "channels.form": { params: AccountParams; result: ChannelForm };
  /**
   * Writes the channel's own settings of an account, new or existing, all of them; what every account has stays. Secrets are kept in private files, which the
   * configuration refers to; `mark` keeps the one that is there. They are checked before anything is written, and used at once. `baseHash` is that of
   * `channels.form`: rejects with `conflict` if the settings were changed since, or the account was added or removed; nothing is written then. Without it the
   * present ones are replaced.
   */
  "channels.save": {
    params: AccountParams & { readonly settings: Readonly<Record<string, unknown>>; readonly baseHash?: string };
    result: ChannelSaving;
  };
  /**
   * Removes an account from the configuration, with the files of its secrets and its approvals. What waits to be sent there becomes dead letters, which can be
   * replayed: otherwise the next account of this name would send it.
   */
  "channels.remove": { params: AccountParams; result: ChannelRemoval };
  /** Starts an account again, with the secrets of now. Resolves once it has started, or failed for the first time: its health says which. */
  "channels.restart": { params: AccountParams; result: { readonly restarted: true } };
  /**
   * Sends a message at once, past the outbox, and resolves with what the platform said. `to` is a person or a conversation, by id or as the channel knows it; without
   * it the owner: the one who was admitted by a code, or the first whom the configuration names.
   */
  "channels.test": { params: AccountParams & { readonly text: string; readonly to?: string }; result: ChannelTest };
  /** The capabilities that the channel declares. */
  "channels.capabilities": { params: AccountParams; result: { readonly capabilities: Readonly<Record<string, unknown>> } };
  /** Checks the credential and the permissions by a call that is free of charge. */
  "channels.probe": { params: AccountParams; result: ChannelProbe };
  /**
   * Starts a login, or continues the one with this id; `answer` answers a step of type `ask`. Resolves with the next step, or after 20 seconds with `waiting`:
   * then call it again. After `done` the channel is restarted. A login expires after ten minutes without a call, and ends with `channels.cancelLogin`.
   */
  "channels.login": {
    params: AccountParams & { readonly loginId?: string; readonly answer?: string };
    result: { readonly loginId: string; readonly step: ChannelLoginStep };
  };
  /** Ends a login and its steps in the channel; calls of `channels.login` that wait for a step reject. `cancelled` is false if it has ended already. */
  "channels.cancelLogin": { params: { readonly loginId: string }; result: { readonly cancelled: boolean } };
}

const account = { channel: key, accountId: key.optional() };

/** Rows of the channel methods. */
export const CHANNEL_METHODS: MethodTable<ChannelMethods> = defineMethods<ChannelMethods>()({
  "channels.list": {
    access: "owner",
    stores: false,
    params: () => empty,
    result: () => z.strictObject({ channels: z.array(KnownChannelSchema) }),
  },
  "channels.form": {
    access: "owner",
    stores: false,
    params: () => z.strictObject(account),
    result: () => ChannelFormSchema,
  },
  "channels.save": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ ...account, settings: z.record(z.string(), z.unknown()), baseHash: z.string().max(64).optional() }),
    result: () => ChannelSavingSchema,
  },
  "channels.remove": {
    access: "owner",
    stores: true,
    params: () => z.strictObject(account),
    result: () => ChannelRemovalSchema,
  },
  "channels.restart": {
    access: "owner",
    stores: false,
    params: () => z.strictObject(account),
    result: () => z.strictObject({ restarted: z.literal(true) }),
  },
  "channels.test": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ ...account, text: z.string().min(1).max(1000), to: key.optional() }),
    result: () => ChannelTestSchema,
  },
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
  "channels.login": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ ...account, loginId: key.optional(), answer: z.string().max(10_000).optional() }),
    result: () => z.strictObject({ loginId: z.string(), step: ChannelLoginStepSchema }),
  },
  "channels.cancelLogin": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ loginId: key }),
    result: () => z.strictObject({ cancelled: z.boolean() }),
  },
});
