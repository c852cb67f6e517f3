export { createSkillIndex } from "./create-skill-index.ts";
export type { SkillCatalogue, SkillIndexOptions, SkillProblem, SkillScan } from "./create-skill-index.ts";
export type { SkillHost, SkillSetting } from "./eligibility/unmet-requirements.ts";
export { BUNDLED_SKILLS_FOLDER } from "./bundled-skills-folder.ts";
