import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root directory. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** Where the bootstrap keeps its stamps; goes away with the installation. */
export const STATE = join(ROOT, "node_modules/.factotum");
