import { AbilityStore } from "./ability-store.ts";
import { findProgram, type ProgramPlaces } from "./find-program.ts";
import { fingerprintOf } from "./lsp-server.ts";
import type { Operation } from "./operations.ts";
import type { ServerSettings } from "./server-settings.ts";

/** What is known of a server without starting it. */
export interface ServerFacts {
  /** Absolute for one that is looked for; absent if it is not found. */
  readonly program?: string;
  /** What it could do when it last ran with these settings; absent if it never did. */
  readonly operations?: readonly Operation[];
}

/** Looks a server up. `folder` is that of `LspOptions`. */
export function lookUpServer(
  name: string,
  settings: ServerSettings,
  { folder, ...places }: ProgramPlaces & { readonly folder: string },
): ServerFacts {
  const found = settings.isDetected ? findProgram(settings.programs, places) : settings.programs[0];
  const operations = new AbilityStore(folder).read(name, fingerprintOf(settings));
  return { ...(found === undefined ? {} : { program: found.command }), ...(operations === undefined ? {} : { operations }) };
}
