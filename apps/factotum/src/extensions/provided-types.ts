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

/** A folder of skills, in the format of `docs/skills.md`. */
export interface ProvidedSkills {
  readonly type: "skills";
  readonly path: string;
}

const ProvidedSkillsSchema: z.ZodType<ProvidedSkills> = z.object({ type: z.literal("skills"), path: inside });

/** One thing that a package provides. */
export type Provided = ProvidedChannel | ProvidedSkills;

/** The types of extensions that this build supports, each with the schema of its entry in `provides`. A new type is a row here and a part that loads it. */
export const PROVIDED_TYPES: { readonly [Type in Provided["type"]]: z.ZodType<Extract<Provided, { readonly type: Type }>> } = {
  channel: ProvidedChannelSchema,
  skills: ProvidedSkillsSchema,
};

/** The channels among what a package provides. */
export function providedChannels(provides: readonly Provided[]): readonly ProvidedChannel[] {
  return provides.filter((one) => one.type === "channel");
}

/** A thing that a package provides, in a few words. */
export function describePart(one: Pick<ProvidedChannel, "type" | "id"> | ProvidedSkills): string {
  return one.type === "channel" ? `channel ${one.id}` : `skills in ${one.path}`;
}
