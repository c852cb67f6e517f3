/** A package that this release was tested with. */
interface KnownExtension {
  readonly package: string;
  readonly version: string;
  /** Of the tarball, as npm writes it. */
  readonly integrity: string;
}

/** The packages by the ids of their channels. */
export type KnownExtensions = Readonly<Record<string, KnownExtension>>;
