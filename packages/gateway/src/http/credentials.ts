import { hash, timingSafeEqual } from "node:crypto";
import type { Principal } from "../access/authorize.ts";

/** Turns credentials into principals, as of now: what admits can change while the gateway runs (R19). */
export interface Authenticator {
  /** The principal of a token; `undefined` stands for none given. */
  principal(token: string | undefined): Principal;
  /**
   * For what was admitted with a token and lasts: calls `onEnd`, once, as soon as that token admits nobody any more. Not called after the result has
   * been disposed.
   */
  watch(token: string | undefined, onEnd: () => void): Disposable;
  /** Admits with this token from now on. What was admitted with another one has ended when this returns. */
  replace(token: string | undefined): void;
}

interface Admitted {
  readonly given: Buffer | undefined;
  readonly onEnd: () => void;
}

/** Compares with the gateway's token in constant time. Without a token (`auth.mode: none`, loopback only) everybody who reaches the port is the owner. */
export function createAuthenticator(token: string | undefined): Authenticator {
  let expected = digest(token);
  const admitted = new Set<Admitted>();
  const admits = (given: Buffer | undefined): boolean =>
    expected === undefined || (given !== undefined && timingSafeEqual(given, expected));
  return {
    principal: (given) => ({ type: admits(digest(given)) ? "token" : "anonymous" }),
    watch: (given, onEnd) => {
      const entry = { given: digest(given), onEnd };
      admitted.add(entry);
      return { [Symbol.dispose]: () => void admitted.delete(entry) };
    },
    replace: (next) => {
      expected = digest(next);
      for (const entry of admitted) {
        if (admits(entry.given)) continue;
        admitted.delete(entry);
        entry.onEnd();
      }
    },
  };
}

/** The token of `Authorization: Bearer …`. */
export function bearerToken(header: string | null | undefined): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(header ?? "")?.[1];
}

function digest(token: string | undefined): Buffer | undefined {
  return token === undefined ? undefined : hash("sha256", token, "buffer");
}
