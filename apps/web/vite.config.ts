import react from "@vitejs/plugin-react";
import { defineConfig, type UserConfig } from "vite";

const config: UserConfig = defineConfig({
  // Relative addresses: the page also works below a path of a reverse proxy.
  base: "./",
  plugins: [react()],
  resolve: { conditions: ["factotum-source", "module", "browser", "development|production"] },
  build: {
    target: "es2023",
    // Nothing is inlined and no polyfill is injected: the page's policy allows neither.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // The build of apps/factotum reads it for the third-party notices.
    license: { fileName: ".vite/license.json" },
  },
});

export default config;
