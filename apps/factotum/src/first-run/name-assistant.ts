import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FolderError, makeFolder, writePrivateFile } from "@factotum/config";
import { assetPath } from "../runtime/assets.ts";
import { loadForSetup, type FirstRunParts, type StepOutcome } from "./first-run-parts.ts";
import { withIdentityName } from "./identity-file.ts";
import { defaultAgent } from "./read-setup-state.ts";

/** Sets the default agent's name in its IDENTITY.md, without changing other lines. A name is one line of at most 80 characters. */
export async function nameAssistant(written: string, parts: FirstRunParts): Promise<StepOutcome<{ readonly name: string }>> {
  const name = written.replaceAll(/\s+/g, " ").trim();
  if (name === "" || name.length > 80 || /[*_`\p{Cc}]/u.test(name))
    return { type: "refused", message: "A name has 1 to 80 characters, and none of * _ and `." };
  const loaded = await loadForSetup(parts);
  if (loaded.type === "refused") return loaded;
  const agent = defaultAgent(loaded.config);
  const file = join(agent.workspace, "IDENTITY.md");
  try {
    await makeFolder(agent.workspace);
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    return { type: "refused", message: `The workspace ${error.message}; choose another with agents.defaults.workspace.` };
  }
  await writePrivateFile(file, withIdentityName(await readOrTemplate(file), name));
  return { type: "done", name };
}

async function readOrTemplate(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return readFile(join(assetPath("templates"), "IDENTITY.md"), "utf8");
    throw error;
  }
}
