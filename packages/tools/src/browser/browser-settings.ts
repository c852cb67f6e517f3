/** `tools.browser`. */
export interface BrowserSettings {
  /** Absent: the first installed one. */
  readonly executable?: string | undefined;
  readonly headless: boolean;
  /** Hosts that may be reached. Absent: the open internet. */
  readonly allow?: readonly string[] | undefined;
  /** Places that are not public and that the owner's turns may reach, as `parsePrivatePlaces` reads them. */
  readonly allowPrivate: readonly string[];
  /** Profiles besides `default`. */
  readonly profiles: readonly string[];
  /** Whether turns of other people have a browser, with an empty profile that is removed afterwards. */
  readonly guests: boolean;
  /** Whether the model may run scripts in pages. */
  readonly evaluate: boolean;
  /** Of one session. */
  readonly maxTabs: number;
}

/** The profile of calls that name none. */
export const DEFAULT_PROFILE = "default";
