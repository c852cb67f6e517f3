/** The parts of the settings, in the order of the page. */
export const SECTIONS = ["models", "configuration", "access", "appearance", "notifications"] as const;

/** A part of the settings, as the address names it. */
export type Section = (typeof SECTIONS)[number];

/** The part that an address names; the first one without a name. */
export function parseSection(name: string | undefined): Section {
  return SECTIONS.find((section) => section === name) ?? SECTIONS[0];
}

/** What the address says of the configuration. */
export interface SettingsSearch {
  /** The group that is shown, a key of the file such as `gateway`. */
  readonly group?: string;
  /** The key that is in view. */
  readonly key?: string;
  /** The configuration as text instead of forms. */
  readonly as?: "text";
}

/** The page's part of an address. What is no text is left out. */
export function parseSettingsSearch({ group, key, as }: Readonly<Record<string, unknown>>): SettingsSearch {
  return {
    ...(typeof group === "string" && { group }),
    ...(typeof key === "string" && { key }),
    ...(as === "text" && { as }),
  };
}
