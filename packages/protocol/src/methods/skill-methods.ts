import * as z from "zod";
import {
  SkillDetailsSchema,
  SkillPlanSchema,
  SkillSummarySchema,
  type SkillDetails,
  type SkillPlan,
  type SkillSummary,
} from "../shapes/skills.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key } from "./params.ts";

/** What becomes of a skill that is to be installed. */
export type SkillInstallation =
  /** Nothing has changed yet: the owner is shown the plan, and sends its `digest` back as `accept`. `isChanged`: the skill is another one than was accepted. */
  { readonly type: "asks"; readonly plan: SkillPlan; readonly isChanged: boolean } | { readonly type: "installed"; readonly name: string };

/**
 * Methods of skills; those of the default agent without `agentId`. Those that change something reject with `conflict` for a skill that cannot be used and where
 * what is there is in the way; then nothing has changed.
 */
export interface SkillMethods {
  /** The skills that were found for an agent, those that are left out included, and what is wrong with others. Runs nothing. */
  "skills.list": {
    params: { readonly agentId?: string };
    result: {
      readonly agentId: string;
      readonly skills: readonly SkillSummary[];
      readonly problems: readonly { readonly path: string; readonly message: string }[];
    };
  };
  /** One skill, scanned. Rejects with `not-found`. */
  "skills.show": {
    params: { readonly agentId?: string; readonly name: string };
    result: { readonly agentId: string; readonly skill: SkillDetails };
  };
  /** Has agents use a skill that was switched off. */
  "skills.enable": { params: { readonly name: string }; result: { readonly name: string } };
  /** Switches a skill off for all agents; its files stay. */
  "skills.disable": { params: { readonly name: string }; result: { readonly name: string } };
  /** Fetches and scans a skill, and installs it for all agents once what was found was accepted. Runs nothing of it. It may take minutes. */
  "skills.install": {
    params: {
      /** An absolute folder or archive of the gateway's machine, or a git repository with an optional `#branch`. */
      readonly source: string;
      /** The skill's folder in the source, if it has several. */
      readonly path?: string;
      /** Replaces an installed skill of the name. */
      readonly replace?: boolean;
      readonly accept?: string;
      readonly acceptSevere?: boolean;
    };
    result: SkillInstallation;
  };
  /** Removes an installed skill. */
  "skills.remove": { params: { readonly name: string }; result: { readonly name: string } };
}

const agentId = key.optional();
const name = z.string().min(1).max(200);
const named = z.lazy(() => z.strictObject({ name: z.string() }));

/** Rows of the skill methods. */
export const SKILL_METHODS: MethodTable<SkillMethods> = defineMethods<SkillMethods>()({
  "skills.list": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId }),
    result: () =>
      z.strictObject({
        agentId: z.string(),
        skills: z.array(SkillSummarySchema),
        problems: z.array(z.strictObject({ path: z.string(), message: z.string() })),
      }),
  },
  "skills.show": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId, name }),
    result: () => z.strictObject({ agentId: z.string(), skill: SkillDetailsSchema }),
  },
  "skills.enable": { access: "owner", stores: true, params: () => z.strictObject({ name }), result: () => named },
  "skills.disable": { access: "owner", stores: true, params: () => z.strictObject({ name }), result: () => named },
  "skills.install": {
    access: "owner",
    stores: true,
    params: () =>
      z.strictObject({
        source: z.string().min(1).max(2000),
        path: z.string().max(500).optional(),
        replace: z.boolean().optional(),
        accept: z.string().max(100).optional(),
        acceptSevere: z.boolean().optional(),
      }),
    result: () =>
      z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("asks"), plan: SkillPlanSchema, isChanged: z.boolean() }),
        z.strictObject({ type: z.literal("installed"), name: z.string() }),
      ]),
  },
  "skills.remove": { access: "owner", stores: true, params: () => z.strictObject({ name }), result: () => named },
});
