import { fileURLToPath } from "node:url";

/** Paths of the files and folders shipped with the build: relative to the bundle, and to the sources. */
const ASSETS = {
  "package.json": { built: "../package.json", source: "../../package.json" },
  web: { built: "./web", source: "../../../web/dist" },
  skills: { built: "./skills", source: "../../../../packages/skills/bundled" },
  "image-worker": { built: "./image-worker.mjs", source: "../../../../packages/gateway/src/media/images/image-worker.ts" },
  "import-worker": { built: "./import-worker.mjs", source: "../../../../packages/store/src/session-file/session-file-worker.ts" },
  "page-worker": { built: "./page-worker.mjs", source: "../../../../packages/tools/src/web/page/page-worker.ts" },
  "forget-worker": { built: "./forget-worker.mjs", source: "../forget/forget-worker.ts" },
  "pdf-program": { built: "./pdf-program.mjs", source: "../../../../packages/tools/src/pdf/pdf-program.ts" },
  "browser-program": { built: "./browser-program.mjs", source: "../../../../packages/tools/src/browser/program/browser-program.ts" },
  "plugin-program": { built: "./plugin-program.mjs", source: "../../../../packages/plugin-host/src/child/plugin-program.ts" },
  "browser-library": { built: "./playwright-core/index.mjs", source: "../../../../packages/tools/node_modules/playwright-core/index.mjs" },
  documentation: { built: "./docs", source: "../../../../docs" },
  extensions: { built: "./extensions", source: "../../../../extensions" },
  checkout: { built: "../../..", source: "../../../.." },
  templates: { built: "./templates", source: "../../templates" },
} as const;

/** True in the bundle, false in the sources. */
export const IS_BUILT: boolean = !import.meta.url.endsWith(".ts");

/** The absolute path of a shipped file. */
export function assetPath(name: keyof typeof ASSETS): string {
  const { built, source } = ASSETS[name];
  return fileURLToPath(new URL(IS_BUILT ? built : source, import.meta.url));
}
