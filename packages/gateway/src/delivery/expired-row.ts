/** Why a row was given up that could not be sent within its TTL. */
export const EXPIRED_REASON = "it could not be sent before its time ran out";
