import { withoutUndefined } from "@factotum/agent-contract";
import type { SkillFields } from "./parse-plain-fields.ts";
import { asFields, asTexts, isTrue, textField } from "./skill-fields.ts";

/** What a skill requires. */
export interface SkillRequirements {
  /** True: it is offered even if requirements are missing. */
  readonly always: boolean;
  readonly bins: readonly string[];
  readonly anyBins: readonly string[];
  readonly env: readonly string[];
  readonly os: readonly string[];
  /** Keys of the configuration, or of the skill's own `config`, that must be set. */
  readonly config: readonly string[];
  /** Tools of the session. */
  readonly tools: readonly string[];
  /** The variable set from an API key in the configuration. */
  readonly primaryEnv?: string;
  /** Its key in `skills.entries`, if that is not its name. */
  readonly settingsKey?: string;
}

/** Parses `metadata.factotum`, or the blocks that skills of other products have (`openclaw`, `clawdbot`). Theirs may be JSON text. Throws a SkillFileError. */
export function parseRequirements(fields: SkillFields): SkillRequirements {
  const metadata = asFields(fields["metadata"]);
  const block = asFields(metadata["factotum"] ?? metadata["openclaw"] ?? metadata["clawdbot"]);
  const requires = asFields(block["requires"]);
  return {
    always: isTrue(block["always"]),
    bins: asTexts(requires["bins"]),
    anyBins: asTexts(requires["anyBins"]),
    env: asTexts(requires["env"]),
    os: asTexts(requires["os"] ?? block["os"]),
    config: asTexts(requires["config"]),
    tools: asTexts(requires["tools"]),
    ...withoutUndefined({ primaryEnv: textField(block, "primaryEnv"), settingsKey: textField(block, "skillKey") }),
  };
}
