import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const WORKER = "sw.js";

/**
 * Builds the service worker and tells it which files the page is opened with: the page itself, the programs and styles that it names, the texts of every language,
 * and what lies in `public`. What a page loads later is stored when it is loaded.
 */
export function offlineShell(): Plugin {
  return {
    name: "offline-shell",
    apply: "build",
    // After the page is written.
    enforce: "post",
    buildStart() {
      const id = fileURLToPath(new URL("./src/service-worker/service-worker.ts", import.meta.url));
      this.emitFile({ type: "chunk", id, fileName: WORKER });
    },
    async generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      const worker = bundle[WORKER];
      if (page?.type !== "asset" || worker?.type !== "chunk") throw new Error("The build has no page, or no service worker.");
      const html = Buffer.from(page.source).toString("utf8");
      const named = [...html.matchAll(/(?:src|href)="(\.\/[^"]+)"/g)].map(([, name = ""]) => name);
      const texts = Object.values(bundle).flatMap((file) =>
        file.type === "chunk" && /\/i18n\/(?:catalogues\/|gateway-texts\/chinese)/.test(file.facadeModuleId ?? "")
          ? [`./${file.fileName}`]
          : [],
      );
      const icons = Object.keys(bundle).filter((name) => name.startsWith("icon-"));
      const files = [...new Set(["./", ...named, ...texts, ...icons.map((name) => `./${name}`)])].toSorted();
      const version = createHash("sha256")
        .update(html)
        .update(files.join())
        .update(await publicFiles())
        .digest("hex")
        .slice(0, 16);
      worker.code = worker.code.replaceAll("SHELL_FILES", JSON.stringify(files)).replaceAll("SHELL_VERSION", JSON.stringify(version));
    },
  };
}

async function publicFiles(): Promise<string> {
  const folder = fileURLToPath(new URL("./public", import.meta.url));
  const texts = (await readdir(folder)).toSorted().map(async (name) => readFile(path.join(folder, name), "utf8"));
  return (await Promise.all(texts)).join("\n");
}
