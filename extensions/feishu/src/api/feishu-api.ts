import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { PlatformFailure, raceAbort } from "@factotum/channel-kit";
import type { FeishuConfig } from "../config.ts";
import { isStaleToken } from "../errors.ts";
import { createHttp } from "./http.ts";
import type { HttpRequest } from "./http.ts";
import { loadSdk } from "./load-sdk.ts";
import type { Sdk, SdkCache } from "./load-sdk.ts";
import { createSdkLogger } from "./sdk-logger.ts";

/** One call of the platform's API. */
export interface ApiCall extends Pick<HttpRequest, "method" | "params" | "data" | "responseType" | "maxContentLength" | "timeout"> {
  readonly headers?: Readonly<Record<string, string>>;
  /** Below `/open-apis`, each part encoded. */
  readonly path: string;
}

/** The platform's API with the account's tenant token. */
export interface FeishuApi {
  /** Answers with the parsed body; a stale token is renewed once. Rejects with a PlatformFailure. */
  call(call: ApiCall, options: CallOptions): Promise<unknown>;
}

/** Where the account's platform answers. */
export function domainOf(config: FeishuConfig, sdk: Sdk): string | Sdk["Domain"]["Feishu" | "Lark"] {
  if (config.baseUrl !== undefined) return config.baseUrl.replace(/\/+$/, "");
  return config.domain === "lark" ? sdk.Domain.Lark : sdk.Domain.Feishu;
}

/** The secrets of an account, for the log's redaction. */
export function secretsOf({ appSecret, transport }: FeishuConfig): string[] {
  return transport.type === "webhook" ? [appSecret, transport.encryptKey, transport.verificationToken] : [appSecret];
}

/** Makes the API of one account; the SDK is loaded with the first call. */
export function createFeishuApi(config: FeishuConfig, host: Pick<ChannelHost, "fetch" | "clock" | "logger">): FeishuApi {
  const tokens = createTokenCache(host);
  let loading: Promise<{ sdk: Sdk; client: InstanceType<Sdk["Client"]> }> | undefined;
  let renewal: Promise<string> | undefined;

  const load = async (): Promise<{ sdk: Sdk; client: InstanceType<Sdk["Client"]> }> => {
    const sdk = await loadSdk();
    const client = new sdk.Client({
      appId: config.appId,
      appSecret: config.appSecret,
      domain: domainOf(config, sdk),
      httpInstance: createHttp({ fetch: host.fetch, clock: host.clock, throwOnCode: true }),
      cache: tokens.cache,
      // The token is given with every request, so that a failure to get one is never taken for a failure of the request itself.
      disableTokenCache: true,
      logger: createSdkLogger(host.logger, secretsOf(config)),
      loggerLevel: sdk.LoggerLevel.warn,
    });
    return { sdk, client };
  };
  const client = (): Promise<{ sdk: Sdk; client: InstanceType<Sdk["Client"]> }> => {
    loading ??= load().catch((cause: unknown) => {
      loading = undefined;
      throw cause;
    });
    return loading;
  };
  /** One renewal at a time, however many calls wait for it. */
  const token = async (signal: AbortSignal): Promise<string> => {
    renewal ??= client()
      .then((loaded) => loaded.client.tokenManager.getTenantAccessToken({}))
      .then((value) => {
        if (typeof value === "string") return value;
        throw new PlatformFailure({ type: "not-sent" }, "Feishu gave no token");
      })
      .finally(() => {
        renewal = undefined;
      });
    return raceAbort(renewal, { signal }).catch((cause: unknown) => {
      throw beforeTheRequest(cause);
    });
  };
  const once = async (call: ApiCall, { signal }: CallOptions): Promise<unknown> => {
    const value = await token(signal);
    const loaded = await client();
    const { path, headers = {}, ...rest } = call;
    return loaded.client.request({ ...rest, headers: { ...headers }, url: `/open-apis${path}`, signal }, loaded.sdk.withTenantToken(value));
  };

  return {
    async call(call, options) {
      try {
        return await once(call, options);
      } catch (error) {
        if (!isStaleToken(error)) throw error;
        tokens.forget();
        return once(call, options);
      }
    },
  };
}

/** A token that did not come leaves the request unsent; a plain no and a failure of this process stay what they are. */
function beforeTheRequest(cause: unknown): unknown {
  if (cause instanceof PlatformFailure && (cause.reason.type === "refused" || cause.reason.type === "local")) return cause;
  return new PlatformFailure({ type: "not-sent" }, cause instanceof Error ? cause.message : "no token", { cause });
}

/** The SDK's token cache for one account. It counts on the monotonic clock, and can forget. */
function createTokenCache(host: Pick<ChannelHost, "clock">): { readonly cache: SdkCache; forget(): void } {
  const entries = new Map<Parameters<SdkCache["get"]>[0], { value: unknown; expiresAtMs: number }>();
  const cache: SdkCache = {
    get: (key) => {
      const entry = entries.get(key);
      return Promise.resolve(entry !== undefined && host.clock.monotonic() < entry.expiresAtMs ? entry.value : undefined);
    },
    set: (key, value, expireTime) => {
      const lifeMs = expireTime === undefined ? Number.POSITIVE_INFINITY : expireTime - Date.now();
      entries.set(key, { value, expiresAtMs: host.clock.monotonic() + lifeMs });
      return Promise.resolve(true);
    },
  };
  return { cache, forget: () => entries.clear() };
}
