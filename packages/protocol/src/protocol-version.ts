/** The newest version of the protocol that this build speaks. */
export const PROTOCOL_VERSION = 1;
