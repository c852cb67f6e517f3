import { hash, timingSafeEqual } from "node:crypto";
import type { Clock } from "@factotum/agent-contract";
import type { Principal } from "./authorize.ts";
import type { ClientAddress } from "./client-address.ts";
import { TokenBackoff } from "./token-backoff.ts";

/** The result of checking a credential. */
export type Authentication =
  | { readonly type: "known"; readonly principal: Principal }
  /** Too many wrong tokens came from the address: this one was not checked. */
  | { readonly type: "delayed"; readonly delayMs: number };

/** Maps credentials to principals; the valid token can change while the gateway runs (R19). */
export interface Authenticator {
  /** The principal of a token from an address; `undefined` for a missing token. */
  authenticate(token: string | undefined, client: ClientAddress): Authentication;
  /** For long-lived connections and requests: calls `onEnd`, once, as soon as the token is no longer valid. Not called after the result has been disposed. */
  watch(token: string | undefined, onEnd: () => void): Disposable;
  /** Changes the valid token. Everything admitted with another one has ended when this returns. */
  replace(token: string | undefined): void;
}

interface Admitted {
  readonly given: Buffer | undefined;
  readonly onEnd: () => void;
}

/**
 * Compares with the gateway's token in constant time. Without a token (`auth.mode: none`) a client on this machine is the owner, and a request that came
 * through a proxy is not from this machine. Wrong tokens delay further ones of their address; if several clients may share it, a right token is accepted at
 * once, since it may be another client's.
 */
export function createAuthenticator(token: string | undefined, clock: Pick<Clock, "monotonic">): Authenticator {
  let expected = digest(token);
  const admitted = new Set<Admitted>();
  const backoff = new TokenBackoff(clock);
  const admits = (given: Buffer | undefined): boolean =>
    expected === undefined || (given !== undefined && timingSafeEqual(given, expected));
  return {
    authenticate: (given, { address, isLocal, isShared }) => {
      if (expected === undefined) return { type: "known", principal: { type: isLocal ? "token" : "anonymous" } };
      if (given === undefined) return ANONYMOUS;
      const delayMs = backoff.delayMs(address);
      if (delayMs > 0 && !isShared) return { type: "delayed", delayMs };
      if (admits(digest(given))) {
        backoff.recordRight(address);
        return { type: "known", principal: { type: "token" } };
      }
      if (delayMs > 0) return { type: "delayed", delayMs };
      backoff.recordWrong(address);
      return ANONYMOUS;
    },
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

const ANONYMOUS: Authentication = { type: "known", principal: { type: "anonymous" } };

/** The token of `Authorization: Bearer …`. */
export function bearerToken(header: string | null | undefined): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(header ?? "")?.[1];
}

function digest(token: string | undefined): Buffer | undefined {
  return token === undefined ? undefined : hash("sha256", token, "buffer");
}
