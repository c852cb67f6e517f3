import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Random } from "@factotum/agent-contract";
import { ChannelError } from "@factotum/channel-contract";
import type { Channel, LoginStep, OptionalPart, Origin } from "@factotum/channel-contract";
import type { ChannelLoginStep, ChannelProbe } from "@factotum/protocol";
import { RpcError } from "../kernel/rpc-error.ts";
import type { ChannelRegistry } from "./channel-registry.ts";

/** An account by its address. */
export type AccountAddress = Pick<Origin, "channel" | "accountId">;

const OLD_SECRET = "The gateway still uses the secret from before: run factotum gateway restart.";

/** How long one call waits for the next step of a login. */
const STEP_WAIT_MS = 20_000;
/** How long a login waits for its next call. */
const LOGIN_TTL_MS = 600_000;
/** Timeout of a probe. */
const CALL_TIMEOUT_MS = 30_000;
/** Logins at the same time. */
const MAX_LOGINS = 10;

interface Login {
  readonly channel: Channel;
  readonly address: AccountAddress;
  readonly abort: AbortController;
  readonly steps: AsyncIterator<LoginStep>;
  next: Promise<IteratorResult<LoginStep, unknown>>;
  /** Ends with the last call: each call takes one step. */
  calls: Promise<unknown>;
  /** Answers the step that was shown last. */
  answer: ((line: string) => void) | undefined;
  timer: Disposable | undefined;
}

/** What the owner can ask of single accounts. Rejects with an `RpcError` that says what to do. */
export class ChannelInspector {
  readonly #options: { readonly channels: ChannelRegistry; readonly clock: Clock; readonly random: Random };
  readonly #logins = new Map<string, Login>();
  /** Logins whose channel is being created. */
  #beginning = 0;
  #isClosed = false;

  constructor(options: { readonly channels: ChannelRegistry; readonly clock: Clock; readonly random: Random }) {
    this.#options = options;
  }

  async capabilities(address: AccountAddress): Promise<Channel["capabilities"]> {
    return this.#withInstance(address, async ({ capabilities }) => capabilities);
  }

  /** With the secrets of now, which may have been replaced since the account has started. */
  async probe(address: AccountAddress): Promise<ChannelProbe> {
    return this.#withNewInstance(address, async (channel) => {
      const method = required(channel.probe?.bind(channel), { address, channel, part: "probe" });
      const result = await this.#call(async (signal) => method({ signal }));
      if (!(await this.#options.channels.hasOldSecret(address))) return result;
      return { ...result, problems: [...(result.problems ?? []), OLD_SECRET] };
    });
  }

  /** Begins or continues a login, and resolves with its next step. Calls at the same time get one step each; an answer does not wait for them. */
  async login(
    address: AccountAddress,
    { loginId, answer }: { readonly loginId?: string | undefined; readonly answer?: string | undefined },
  ): Promise<{ readonly loginId: string; readonly step: ChannelLoginStep }> {
    const id = loginId ?? (await this.#begin(address));
    const login = this.#logins.get(id);
    if (login === undefined) throw ended();
    if (answer !== undefined) {
      login.answer?.(answer);
      login.answer = undefined;
    }
    this.#keep(id, login);
    const step = login.calls.then(async () => this.#next(id, login));
    login.calls = step.catch(() => undefined);
    return { loginId: id, step: await step };
  }

  /** Ends a login: its steps are aborted, and calls that wait for one reject. False if there is no such login. */
  cancelLogin(id: string): boolean {
    const isOpen = this.#logins.has(id);
    this.#end(id);
    return isOpen;
  }

  /** Ends every login, and begins no other. */
  close(): void {
    this.#isClosed = true;
    for (const id of this.#logins.keys()) this.#end(id);
  }

  async #begin(address: AccountAddress): Promise<string> {
    if (this.#logins.size + this.#beginning >= MAX_LOGINS)
      throw new RpcError("unavailable", "Too many logins are open. End one of them first.");
    this.#beginning += 1;
    try {
      // The running instance keeps its connection until the login is done.
      const channel = await this.#create(address);
      try {
        if (this.#isClosed) throw ended();
        const method = required(channel.login?.bind(channel), { address, channel, part: "login" });
        const abort = new AbortController();
        const steps = method({ signal: abort.signal })[Symbol.asyncIterator]();
        const id = this.#options.random.uuid();
        const calls = Promise.resolve();
        this.#logins.set(id, { channel, address, abort, steps, next: follow(steps), calls, answer: undefined, timer: undefined });
        return id;
      } catch (error) {
        release(channel);
        throw error;
      }
    } finally {
      this.#beginning -= 1;
    }
  }

  async #next(id: string, login: Login): Promise<ChannelLoginStep> {
    if (!this.#isOpen(id, login)) throw ended();
    const { clock, channels } = this.#options;
    const { signal } = login.abort;
    const late = Promise.withResolvers<undefined>();
    const stopWaiting = (): void => late.resolve(undefined);
    signal.addEventListener("abort", stopWaiting, { once: true });
    using _timer = clock.schedule(STEP_WAIT_MS, stopWaiting);
    let result: IteratorResult<LoginStep, unknown> | undefined;
    try {
      result = await Promise.race([login.next, late.promise]);
    } catch (error) {
      // A channel may reject because its login was ended.
      if (!this.#isOpen(id, login)) throw ended();
      this.#end(id);
      throw toRequestError(error);
    } finally {
      signal.removeEventListener("abort", stopWaiting);
    }
    // A step that comes after the end, such as the last one of a closing gateway, changes nothing.
    if (!this.#isOpen(id, login)) throw ended();
    if (result === undefined) return { type: "waiting" };
    if (result.done === true) {
      this.#end(id);
      throw new RpcError("unavailable", "The login ended without being completed. Begin it again.");
    }
    const step = result.value;
    if (step.type === "done") {
      this.#end(id);
      await channels.restart(login.address);
      return step;
    }
    login.next = follow(login.steps);
    if (step.type !== "ask") return step;
    login.answer = (line) => step.answer(line);
    return { type: "ask", text: step.text, isSecret: step.isSecret };
  }

  #isOpen(id: string, login: Login): boolean {
    return this.#logins.get(id) === login;
  }

  #keep(id: string, login: Login): void {
    login.timer?.[Symbol.dispose]();
    login.timer = this.#options.clock.schedule(LOGIN_TTL_MS, () => this.#end(id));
  }

  #end(id: string): void {
    const login = this.#logins.get(id);
    if (login === undefined) return;
    this.#logins.delete(id);
    login.timer?.[Symbol.dispose]();
    login.abort.abort();
    release(login.channel);
  }

  /** With the running instance, or with one for this call if the account does not run. */
  async #withInstance<Result>(address: AccountAddress, work: (channel: Channel) => Promise<Result>): Promise<Result> {
    const running = this.#options.channels.channelFor(address);
    return running === undefined ? this.#withNewInstance(address, work) : work(running);
  }

  /** With an instance for this call, which is never started. */
  async #withNewInstance<Result>(address: AccountAddress, work: (channel: Channel) => Promise<Result>): Promise<Result> {
    const channel = await this.#create(address);
    try {
      return await work(channel);
    } finally {
      release(channel);
    }
  }

  async #create(address: AccountAddress): Promise<Channel> {
    let channel: Channel | undefined;
    try {
      channel = await this.#options.channels.createInstance(address);
    } catch (error) {
      throw new RpcError("unavailable", error instanceof Error ? error.message : "The channel could not be created.", {
        cause: error,
      });
    }
    if (channel !== undefined) return channel;
    throw new RpcError("not-found", `No account ${address.channel}:${address.accountId} is configured.`);
  }

  async #call<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const limit = new AbortController();
    using _timer = this.#options.clock.schedule(CALL_TIMEOUT_MS, () => limit.abort());
    try {
      return await work(limit.signal);
    } catch (error) {
      throw toRequestError(error);
    }
  }
}

/** Asks for the next step early, so that the answer of the shown one is received. */
function follow(steps: AsyncIterator<LoginStep>): Promise<IteratorResult<LoginStep, unknown>> {
  const next = steps.next();
  next.catch(() => undefined);
  return next;
}

/** Releases what a call opened in an instance that was never started. */
function release(channel: Channel): void {
  channel.stop({ signal: AbortSignal.abort() }).catch(() => undefined);
}

function ended(): RpcError {
  return new RpcError("not-found", "This login has ended. Begin it again.");
}

function required<Method>(
  method: Method | undefined,
  { address, channel, part }: { readonly address: AccountAddress; readonly channel: Channel; readonly part: OptionalPart },
): Method {
  if (method !== undefined && channel.capabilities.optional?.includes(part) === true) return method;
  throw new RpcError("unavailable", `The channel ${address.channel} has no ${part}.`);
}

function toRequestError(error: unknown): unknown {
  if (!ChannelError.isInstance(error)) return error;
  return new RpcError("unavailable", `${error.code}: ${error.message}`, withoutUndefined({ cause: error }));
}
