/** The name of this package. */
export const packageName: string = "@factotum/tools";
