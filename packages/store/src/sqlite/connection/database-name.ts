/** The database's file name inside the state folder. */
export const DATABASE_NAME = "factotum.sqlite";
