/** What the ids of warnings about people who ask to be admitted begin with; the rest is the code. */
export const PAIRING_WARNING = "pairing:";
