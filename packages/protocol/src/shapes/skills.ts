import * as z from "zod";
import { parserOf } from "../parser-of.ts";
import { ScanFindingSchema, type ScanFinding } from "./plugins.ts";

const STATES = ["ready", "people", "model", "off", "left-out"] as const;

/** A skill that an agent has, or could have. Names, descriptions and texts are those of its author. */
export interface SkillSummary {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Where it is: `workspace`, `agent`, `personal`, `managed` (installed), `extra` (of a folder or a package) or `bundled`. */
  readonly source: string;
  /** Its SKILL.md. */
  readonly path: string;
  /** As an installed one was written. */
  readonly installedFrom?: string;
  /** `people`, `model`: only they may use it. `off`: by the configuration, or by itself. `left-out`: something is missing here. */
  readonly state: (typeof STATES)[number];
  /** Why it is off or left out. */
  readonly reason?: string;
  /** The configuration has not switched it off (`skills.entries`). */
  readonly isEnabled: boolean;
}

/** A skill with everything that is known of it. */
export interface SkillDetails extends SkillSummary {
  readonly license?: string;
  readonly compatibility?: string;
  /** Tools that its author means it to use; grants nothing. */
  readonly tools: readonly string[];
  /** What it needs, as `kind: name`, such as `program: ffmpeg`. */
  readonly needs: readonly string[];
  /** Settings that it has: names of variables, or `apiKey`. */
  readonly settings: readonly string[];
  readonly warnings: readonly string[];
  readonly findings: readonly ScanFinding[];
  /** Its SKILL.md, the first 100,000 characters. */
  readonly text: string;
  readonly installedAt?: string;
  readonly commit?: string;
}

/** A skill that was fetched and looked at, before it is accepted. */
export interface SkillPlan {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly warnings: readonly string[];
  /** Severe ones first. */
  readonly findings: readonly ScanFinding[];
  /** Names the content that was looked at, for `accept`. */
  readonly digest: string;
}

const summary = {
  name: z.string(),
  description: z.string(),
  version: z.string(),
  source: z.string(),
  path: z.string(),
  installedFrom: z.string().optional(),
  state: z.enum(STATES),
  reason: z.string().optional(),
  isEnabled: z.boolean(),
};

/** Parses a skill. */
export const SkillSummarySchema: z.ZodType<SkillSummary> = parserOf<SkillSummary>()(() => z.strictObject(summary));

/** Parses a skill with its details. */
export const SkillDetailsSchema: z.ZodType<SkillDetails> = parserOf<SkillDetails>()(() =>
  z.strictObject({
    ...summary,
    license: z.string().optional(),
    compatibility: z.string().optional(),
    tools: z.array(z.string()),
    needs: z.array(z.string()),
    settings: z.array(z.string()),
    warnings: z.array(z.string()),
    findings: z.array(ScanFindingSchema),
    text: z.string(),
    installedAt: z.string().optional(),
    commit: z.string().optional(),
  }),
);

/** Parses a skill that was looked at. */
export const SkillPlanSchema: z.ZodType<SkillPlan> = parserOf<SkillPlan>()(() =>
  z.strictObject({
    name: z.string(),
    description: z.string(),
    version: z.string(),
    warnings: z.array(z.string()),
    findings: z.array(ScanFindingSchema),
    digest: z.string(),
  }),
);
