import * as z from "zod";
import { IdFormsSchema, type IdForms } from "./id-forms.ts";

/** A path of a package: relative, and inside it. */
const inside = z
  .string("a path is expected")
  .regex(/^\.\/[^\\\p{C}]+$/u, 'a path inside the package is expected, such as "./dist/index.mjs"')
  .refine((path) => !path.split("/").includes(".."), "the path leaves the package");

/** Keys of `channels` that are not channels. */
const RESERVED = ["defaults", "accounts", "enabled"];

/** A channel: `entry` exports the extension, `configSchema` is the JSON Schema of one account. */
export interface ProvidedChannel {
  readonly type: "channel";
  /** Id of the channel in configuration and addresses. */
  readonly id: string;
  readonly entry: string;
  readonly configSchema: string;
  /** The forms of its ids, for checks of lists in the configuration. */
  readonly ids?: IdForms | undefined;
}

const ProvidedChannelSchema: z.ZodType<ProvidedChannel> = z.object({
  type: z.literal("channel"),
  id: z
    .string("a text is expected")
    .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, "lower-case letters and digits are expected, in parts joined by dashes")
    .max(40, "at most 40 characters are allowed")
    .refine((id) => !RESERVED.includes(id), "this name is a key of the configuration"),
  entry: inside,
  configSchema: inside,
  ids: IdFormsSchema.optional(),
});

/** One thing that a package provides. */
export type Provided = ProvidedChannel;

/** The types of extensions that this build supports, each with the schema of its entry in `provides`. A new type is a row here and a part that loads it. */
export const PROVIDED_TYPES: { readonly channel: z.ZodType<ProvidedChannel> } = { channel: ProvidedChannelSchema };
