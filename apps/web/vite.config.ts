import react from "@vitejs/plugin-react";
import { defineConfig, type UserConfig } from "vite";

const config: UserConfig = defineConfig({
  plugins: [react()],
  resolve: { conditions: ["factotum-source", "module", "browser", "development|production"] },
  build: { target: "es2023", modulePreload: { polyfill: false } },
});

export default config;
