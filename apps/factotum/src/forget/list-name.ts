/** The list of what was forgotten: in the state directory, so that backups contain it. */
export const LIST_NAME = "forgotten.json";
