import { join } from "node:path";

/** The folder of the skills shipped with the product. A bundle that moves the code ships the folder with it and passes its path. */
export const BUNDLED_SKILLS_FOLDER: string = join(import.meta.dirname, "../bundled");
