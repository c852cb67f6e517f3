import type { ChannelLoginStep } from "@factotum/protocol";
import type { GatewayClient } from "../gateway-client/gateway-client.ts";
import { RpcError } from "../gateway-client/rpc-error.ts";

/** An account whose channel has a login. */
export interface LoginAccount {
  readonly channel: string;
  readonly accountId: string;
}

/** Requests of channel logins. Both methods reject with an `RpcError` whose message is for people. */
export interface LoginClient {
  /** The enabled accounts whose channel declares a login. */
  accounts(): Promise<readonly LoginAccount[]>;
  /** Shows the steps to `onStep` until the login is done or `signal` fires, which also ends it in the gateway; `ask` resolves with the answer to a question. */
  run(account: LoginAccount, options: LoginRun): Promise<void>;
}

/** Receives the steps of one login. */
interface LoginRun {
  readonly signal: AbortSignal;
  readonly onStep: (step: ChannelLoginStep) => void;
  readonly ask: () => Promise<string>;
}

/** The gateway answers with the next step within 20 seconds, or with `waiting`. */
const STEP_TIMEOUT_MS = 30_000;

/** Channel logins over the page's connection. */
export function createLoginClient(client: Pick<GatewayClient, "request">): LoginClient {
  const hasLogin = async ({ channel, accountId }: LoginAccount): Promise<boolean> => {
    try {
      const { capabilities } = await client.request("channels.capabilities", { channel, accountId });
      const { optional } = capabilities;
      return Array.isArray(optional) && optional.includes("login");
    } catch (error) {
      // A channel that cannot be created is a warning of its own.
      if (error instanceof RpcError) return false;
      throw error;
    }
  };
  return {
    accounts: async () => {
      const { channels } = await client.request("status", {});
      const enabled = channels.filter(({ state }) => state !== "disabled");
      const declared = await Promise.all(enabled.map(hasLogin));
      return enabled.filter((_, index) => declared[index]).map(({ channel, accountId }) => ({ channel, accountId }));
    },
    run: async ({ channel, accountId }, { signal, onStep, ask }) => {
      let more: { readonly loginId?: string; readonly answer?: string } = {};
      const cancel = (): void => {
        const { loginId } = more;
        if (loginId === undefined) return;
        client.request("channels.cancelLogin", { loginId }).catch((error: unknown) => {
          // The gateway ends it later by itself.
          if (!(error instanceof RpcError)) throw error;
        });
      };
      signal.addEventListener("abort", cancel, { once: true });
      try {
        while (!signal.aborted) {
          const isFirst = more.loginId === undefined;
          const { loginId, step } = await client.request("channels.login", { channel, accountId, ...more }, { timeoutMs: STEP_TIMEOUT_MS });
          more = { loginId };
          // The listener did not know the login yet.
          if (signal.aborted) return isFirst ? cancel() : undefined;
          if (step.type === "waiting") continue;
          onStep(step);
          if (step.type === "done") return;
          if (step.type === "ask") more = { loginId, answer: await ask() };
        }
      } finally {
        signal.removeEventListener("abort", cancel);
      }
    },
  };
}
