import { readFileSync } from "node:fs";
import { assetPath } from "./assets.ts";

/** The version of this build, from its manifest. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(assetPath("package.json"), "utf8")) as { readonly version: string };
  return version;
}
