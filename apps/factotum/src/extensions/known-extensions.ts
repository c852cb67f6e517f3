/** A package that this release was tested with. */
export interface KnownExtension {
  readonly package: string;
  readonly version: string;
  /** Of the tarball, as npm writes it. */
  readonly integrity: string;
}

/**
 * The extensions that can be installed by the id of their channel: part of the release, so that no package is fetched by a guessed name. Empty until the first
 * package is published.
 */
export const KNOWN_EXTENSIONS: Readonly<Record<string, KnownExtension>> = {};
