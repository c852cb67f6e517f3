import { fileURLToPath } from "node:url";

/** Where each file or folder that comes with the build lies: seen from the bundle, and from the sources. */
const ASSETS = {
  "package.json": { built: "../package.json", source: "../../package.json" },
  web: { built: "./web", source: "../../../web/dist" },
  skills: { built: "./skills", source: "../../../../packages/skills/bundled" },
  "image-worker": { built: "./image-worker.mjs", source: "../../../../packages/gateway/src/media/images/image-worker.ts" },
  "import-worker": { built: "./import-worker.mjs", source: "../../../../packages/store/src/session-file/session-file-worker.ts" },
  documentation: { built: "./docs", source: "../../../../docs" },
  templates: { built: "./templates", source: "../../templates" },
} as const;

/** The absolute path of something that comes with the build. */
export function assetPath(name: keyof typeof ASSETS): string {
  const { built, source } = ASSETS[name];
  return fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? source : built, import.meta.url));
}
