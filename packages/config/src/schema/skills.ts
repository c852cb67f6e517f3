import * as z from "zod";
import { EnvSchema, SecretSchema, type Secret } from "./secret.ts";
import { FreeSchema, NamesSchema, TextSchema } from "./values.ts";

/** Skills in addition to those of the workspace, the state directory and the build. */
export interface SkillsConfig {
  readonly load: { readonly extraDirs: readonly string[] };
  readonly entries: Readonly<
    Record<
      string,
      {
        readonly enabled: boolean;
        readonly env: Readonly<Record<string, Secret>>;
        readonly apiKey?: Secret | undefined;
        readonly config: Readonly<Record<string, unknown>>;
      }
    >
  >;
}

/** Parses `skills`. */
export const SkillsSchema: z.ZodType<SkillsConfig> = z
  .strictObject({
    load: z
      .strictObject({ extraDirs: NamesSchema.default([]).describe("Further folders of skills.") })
      .prefault({})
      .describe("Where skills are looked for."),
    entries: z
      .record(
        TextSchema,
        z.strictObject({
          enabled: z.boolean().default(true).describe("`false` switches the skill off."),
          env: EnvSchema.default({}).describe("Variables for commands in runs that use this skill."),
          apiKey: SecretSchema.optional().describe(
            "Key for the service of this skill; given to commands in the variable that the skill names (`primaryEnv`).",
          ),
          config: FreeSchema.default({}).describe("Settings that the skill may require (`requires.config`)."),
        }),
      )
      .default({})
      .describe("Settings of single skills, by name."),
  })
  .describe("Skills: instructions that an agent reads when it needs them.");
