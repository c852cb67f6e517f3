import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { checkVersions, renderCatalogue } from "./render-catalogue.ts";

checkVersions();
const file = fileURLToPath(new URL("../src/catalogue/catalogue.gen.ts", import.meta.url));
writeFileSync(file, renderCatalogue());
process.stdout.write(`${file}\n`);
