import type { KnownExtensions } from "../runtime/known-extension.ts";
import listed from "./known-extensions.json" with { type: "json" };

/**
 * The extensions that can be installed by the id of their channel: part of the release, so that no package is fetched by a guessed name. A release writes the list
 * (CONTRIBUTING.md); in the repository it is empty, since there is nothing to install.
 */
export const KNOWN_EXTENSIONS: KnownExtensions = listed;
