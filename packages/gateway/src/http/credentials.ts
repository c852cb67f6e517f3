import { createHash, timingSafeEqual } from "node:crypto";
import type { Principal } from "../access/authorize.ts";

/** Turns credentials into principals. */
export interface Authenticator {
  /** The principal of a token; `undefined` stands for none given. */
  principal(token: string | undefined): Principal;
}

/** Compares with the gateway's token in constant time. Without a token (`auth.mode: none`, loopback only) everybody who reaches the port is the owner. */
export function createAuthenticator(token: string | undefined): Authenticator {
  const expected = token === undefined ? undefined : digest(token);
  return {
    principal: (given) => {
      if (expected === undefined) return { type: "token" };
      if (given === undefined || given === "") return { type: "anonymous" };
      return timingSafeEqual(digest(given), expected) ? { type: "token" } : { type: "anonymous" };
    },
  };
}

/** The token of `Authorization: Bearer …`. */
export function bearerToken(header: string | null | undefined): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(header ?? "")?.[1];
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
