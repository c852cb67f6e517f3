/** The reason of a row that was given up because its account was removed; the next account of the same name may be of somebody else. */
export const REMOVED_ACCOUNT_REASON = "its account was removed";
