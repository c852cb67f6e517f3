import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** A channel that this gateway has, or whose package it can install. */
export interface KnownChannel {
  readonly id: string;
  /** `ready`: accounts can be added. `installable`: its package is installed first. `unavailable`: `reason` says why, and what to do. */
  readonly state: "ready" | "installable" | "unavailable";
  readonly reason?: string;
  /** Name of its package. */
  readonly package?: string;
  /** The ids of its configured accounts, also of those that are switched off. */
  readonly accounts: readonly string[];
  /** True if its account exists without being configured: there is nothing to set up. */
  readonly isImplicit: boolean;
  /** What it is and what one needs for it, in one line; absent for channels of other makers. */
  readonly about?: string;
}

/** The settings of an account as a form shows them. */
export interface ChannelForm {
  /** JSON Schema of the channel's own settings, with `x-secret` at secrets. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The settings that are written; `mark` stands for each secret. Empty for an account that does not exist. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly mark: string;
  readonly exists: boolean;
  /** SHA-256 of the channel's own settings of the account as they are written, or of nothing for an account that does not exist. */
  readonly baseHash: string;
}

/** A setting that was refused, or that an account does little without. */
export interface ChannelSettingNote {
  /** With dots for settings inside others: `transport.type`; empty for the account as a whole. */
  readonly key: string;
  readonly message: string;
}

/** The result of saving an account. Nothing was changed if it was refused. */
export type ChannelSaving =
  | { readonly type: "refused"; readonly problems: readonly ChannelSettingNote[] }
  | {
      readonly type: "saved";
      /** Private files of its secrets, relative to the state directory. */
      readonly credentials: readonly string[];
      /** Settings that are not set, although the account does little without them. */
      readonly advised: readonly ChannelSettingNote[];
    };

/** What became of a removed account. */
export interface ChannelRemoval {
  /** The key that the configuration does not have any longer. */
  readonly key: string;
  /** The private files of its secrets, which are deleted, relative to the state directory. */
  readonly credentials: readonly string[];
  /** The lists of people and groups that went with it: `allowFrom`, `groups`. */
  readonly admitting: readonly string[];
  /** Messages that waited to be sent there, and are dead letters now. */
  readonly discarded: number;
  /** Approvals and codes that were withdrawn. */
  readonly pairings: number;
  /** Owners who are owners by an id of this channel alone, and stay so. */
  readonly owners: readonly string[];
}

/** What the platform said about a test message. */
export type ChannelTest =
  /** `to`: whom it was sent to. */
  | { readonly type: "accepted"; readonly to: string; readonly messageIds: readonly string[] }
  /** It was not shown; `reason` begins with the code of the error. */
  | { readonly type: "rejected"; readonly to: string; readonly reason: string }
  /** It may have been shown. */
  | { readonly type: "ambiguous"; readonly to: string; readonly reason: string }
  /** Without a recipient: the account knows no owner to write to, or no one of this name. */
  | { readonly type: "no-recipient" };

const notes = () => z.array(z.strictObject({ key: z.string(), message: z.string() }));

/** Parses a known channel. */
export const KnownChannelSchema: z.ZodType<KnownChannel> = parserOf<KnownChannel>()(() =>
  z.strictObject({
    id: z.string(),
    state: z.enum(["ready", "installable", "unavailable"]),
    reason: z.string().optional(),
    package: z.string().optional(),
    accounts: z.array(z.string()),
    isImplicit: z.boolean(),
    about: z.string().optional(),
  }),
);

/** Parses a form. */
export const ChannelFormSchema: z.ZodType<ChannelForm> = parserOf<ChannelForm>()(() =>
  z.strictObject({
    schema: z.record(z.string(), z.unknown()),
    settings: z.record(z.string(), z.unknown()),
    mark: z.string(),
    exists: z.boolean(),
    baseHash: z.string(),
  }),
);

/** Parses the result of saving an account. */
export const ChannelSavingSchema: z.ZodType<ChannelSaving> = parserOf<ChannelSaving>()(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("refused"), problems: notes() }),
    z.strictObject({ type: z.literal("saved"), credentials: z.array(z.string()), advised: notes() }),
  ]),
);

/** Parses what became of a removed account. */
export const ChannelRemovalSchema: z.ZodType<ChannelRemoval> = parserOf<ChannelRemoval>()(() =>
  z.strictObject({
    key: z.string(),
    credentials: z.array(z.string()),
    admitting: z.array(z.string()),
    discarded: z.number(),
    pairings: z.number(),
    owners: z.array(z.string()),
  }),
);

/** Parses what became of a test message. */
export const ChannelTestSchema: z.ZodType<ChannelTest> = parserOf<ChannelTest>()(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("accepted"), to: z.string(), messageIds: z.array(z.string()) }),
    z.strictObject({ type: z.literal("rejected"), to: z.string(), reason: z.string() }),
    z.strictObject({ type: z.literal("ambiguous"), to: z.string(), reason: z.string() }),
    z.strictObject({ type: z.literal("no-recipient") }),
  ]),
);
