import * as z from "zod";
import { ConfigPatchResultSchema, ConfigViewSchema, type ConfigPatchResult, type ConfigView } from "../shapes/config.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { empty } from "./params.ts";

/** Methods of the configuration file. */
export interface ConfigMethods {
  /**
   * The JSON Schema of the file with every channel of this build: titles, descriptions and defaults, and `x-secret`, `x-restart` and `x-inactive` where they
   * hold.
   */
  "config.schema": { params: Record<string, never>; result: { readonly schema: Readonly<Record<string, unknown>> } };
  /** The file's text, its values and its problems, without secrets. */
  "config.get": { params: Record<string, never>; result: ConfigView };
  /**
   * Changes the file by a JSON merge patch (RFC 7396) or by its whole text, of which exactly one is given, and applies it at once. Comments stay. With `dryRun`
   * nothing is written. Rejects with `conflict` if the file is not the one of `baseHash`, and with `invalid-request` if the result would not be valid; nothing is
   * written then. The error has `problems`, and a line for each in its message.
   */
  "config.patch": {
    params: {
      readonly baseHash: string;
      readonly patch?: Readonly<Record<string, unknown>>;
      readonly text?: string;
      readonly dryRun?: boolean;
    };
    result: ConfigPatchResult;
  };
}

/** Characters of a whole file at most. */
const MAX_TEXT = 900_000;

/** Rows of the configuration methods. */
export const CONFIG_METHODS: MethodTable<ConfigMethods> = defineMethods<ConfigMethods>()({
  "config.schema": {
    access: "owner",
    stores: false,
    params: () => empty,
    result: () => z.strictObject({ schema: z.record(z.string(), z.unknown()) }),
  },
  "config.get": { access: "owner", stores: false, params: () => empty, result: () => ConfigViewSchema },
  "config.patch": {
    access: "owner",
    stores: true,
    params: () =>
      z
        .strictObject({
          baseHash: z.string().min(16).max(64),
          patch: z.record(z.string(), z.unknown()).optional(),
          text: z.string().max(MAX_TEXT).optional(),
          dryRun: z.boolean().optional(),
        })
        .refine(({ patch, text }) => (patch === undefined) !== (text === undefined), "give either a patch or a text"),
    result: () => ConfigPatchResultSchema,
  },
});
