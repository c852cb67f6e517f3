/** A package that this release was tested with. */
interface KnownExtension {
  readonly package: string;
  readonly version: string;
  /** Of the tarball, as npm writes it. */
  readonly integrity: string;
  /** What its channel is and what one needs for it. */
  readonly about?: string;
}

/** The packages by the ids of their channels; those of plugins by their own names, which are no ids of channels. */
export type KnownExtensions = Readonly<Record<string, KnownExtension>>;

/** The ids of the channels that the packages of a list provide. */
export function knownChannels(known: KnownExtensions): readonly string[] {
  return Object.entries(known).flatMap(([id, one]) => (id === one.package ? [] : [id]));
}
