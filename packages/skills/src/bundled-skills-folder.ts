import { join } from "node:path";

/** The skills that come with the product, as they lie in this package. A bundle that moves the code ships the folder beside it and names that. */
export const BUNDLED_SKILLS_FOLDER: string = join(import.meta.dirname, "../bundled");
