import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** Programs of Chromium and of what is made from it, the most common first. */
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "brave-browser"];

/** Where macOS has them. */
const APPLICATIONS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

/** The program of the browser: the configured one, or the first that is installed; `undefined` without one. */
export async function findChromium(configured: string | undefined, searchPath: string): Promise<string | undefined> {
  const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder));
  const candidates =
    configured === undefined ? [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...APPLICATIONS] : [configured];
  for (const file of candidates) if (await isProgram(file)) return file;
  return undefined;
}

async function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
