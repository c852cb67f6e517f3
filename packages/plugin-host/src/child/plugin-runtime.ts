import type {
  HookName,
  PluginApi,
  PluginCommand,
  PluginLogger,
  PluginMemory,
  PluginModels,
  PluginObject,
  PluginResponse,
  PluginRoute,
  PluginTool,
} from "@factotum/plugin";
import { LineBudget } from "./line-budget.ts";
import { ChunkWindow } from "./chunk-window.ts";
import { cutFields, MAX_LINE_CHARS } from "./log-line.ts";
import type { AskMethod, FromPlugin, PluginRole, ToPlugin } from "./messages.ts";

/** What a runtime needs of its process. */
export interface RuntimeOptions {
  readonly send: (message: FromPlugin) => void;
  /** Imports the plugin's entry. */
  readonly load: (entry: string) => Promise<object>;
  readonly now: () => number;
  /** Characters of the JSON of an answer. */
  readonly maxAnswerChars: number;
  /** Lines of the log in ten seconds. */
  readonly maxLogLines: number;
}

type AnyHandler = (payload: unknown) => unknown;

/** The side of the plugin: sets it up, runs its tools and handlers, and passes on what it asks for. One plugin each. */
export class PluginRuntime {
  readonly #options: RuntimeOptions;
  readonly #budget: LineBudget;
  readonly #tools = new Map<string, PluginTool>();
  readonly #hooks = new Map<string, AnyHandler>();
  readonly #commands = new Map<string, PluginCommand>();
  readonly #calls = new Map<number, AbortController>();
  readonly #windows = new Map<number, ChunkWindow>();
  readonly #asks = new Map<number, { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }>();
  readonly #routes = new Map<string, PluginRoute>();
  #models: PluginModels | undefined;
  #memory: PluginMemory | undefined;
  #asked = 0;
  #isSetUp = false;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#budget = new LineBudget(options.maxLogLines, options.now);
    options.send({ type: "hello" });
  }

  /** Takes a message of the gateway. Never throws. */
  take(message: ToPlugin): void {
    switch (message.type) {
      case "setup":
        void this.#setUp(message);
        return;
      case "tool":
        void this.#run(message.call, (signal) => {
          const tool = this.#tools.get(message.name);
          if (tool === undefined) throw new Error(`it has registered no tool ${message.name}`);
          return tool(message.arguments, { ...message.facts, signal });
        });
        return;
      case "hook":
        void this.#run(message.call, () => this.#hooks.get(message.name)?.(message.payload));
        return;
      case "model":
        void this.#run(message.call, async (signal) => this.#answerModel(message, signal));
        return;
      case "memory":
        void this.#run(message.call, () => {
          if (this.#memory === undefined) throw new Error("it has registered no memory");
          return this.#memory[message.method](message.params as never);
        });
        return;
      case "command":
        void this.#run(message.call, (signal) => {
          const command = this.#commands.get(message.name);
          if (command === undefined) throw new Error(`it has registered no command ${message.name}`);
          return command(message.words, { ...message.facts, signal });
        });
        return;
      case "route":
        void this.#run(message.call, (signal) => {
          const route = this.#routes.get(message.name);
          if (route === undefined) throw new Error(`it has registered no route ${message.name}`);
          return route(message.request, { signal });
        });
        return;
      case "more":
        this.#windows.get(message.call)?.open(message.chunks);
        return;
      case "cancel":
        this.#calls.get(message.call)?.abort();
        return;
      case "answer": {
        const asked = this.#asks.get(message.ask);
        this.#asks.delete(message.ask);
        if (message.error === undefined) asked?.resolve(message.value);
        else asked?.reject(new Error(message.error));
      }
    }
  }

  /** Writes a line to the gateway's log, unless there are too many. */
  log(level: keyof PluginLogger, message: string, fields?: PluginObject): void {
    if (!this.#budget.take()) return;
    this.#reportDropped();
    this.#options.send({
      type: "log",
      level,
      message: message.slice(0, MAX_LINE_CHARS),
      ...(fields === undefined ? {} : { fields: cutFields(fields) }),
    });
  }

  #reportDropped(): void {
    const dropped = this.#budget.takeDropped();
    if (dropped > 0) this.#options.send({ type: "log", level: "warn", message: `${dropped} lines were left out` });
  }

  async #setUp({ id, entry, config, secrets, workspaces }: Extract<ToPlugin, { type: "setup" }>): Promise<void> {
    try {
      const { plugin } = (await this.#options.load(entry)) as { readonly plugin?: unknown };
      if (!isPlugin(plugin)) throw new Error("its entry does not export plugin, as definePlugin makes it");
      if (plugin.id !== id)
        throw new Error(`its plugin has the id ${JSON.stringify(plugin.id).slice(0, 80)}, and its manifest ${JSON.stringify(id)}`);
      await plugin.setup(this.#api({ id, config, secrets, workspaces }));
      this.#isSetUp = true;
      this.#options.send({
        type: "ready",
        tools: [...this.#tools.keys()],
        hooks: [...this.#hooks.keys()],
        roles: [...(this.#models === undefined ? [] : ["models"]), ...(this.#memory === undefined ? [] : ["memory"])],
        commands: [...this.#commands.keys()],
        routes: [...this.#routes.keys()],
      });
    } catch (error) {
      this.#options.send({ type: "failed", message: textOf(error) });
    }
  }

  async #run(call: number, work: (signal: AbortSignal) => unknown): Promise<void> {
    const { send, maxAnswerChars } = this.#options;
    const ended = new AbortController();
    this.#calls.set(call, ended);
    try {
      const value: unknown = (await work(ended.signal)) ?? null;
      const text = JSON.stringify(value) as string | undefined;
      if (text === undefined) throw new Error("its answer is not JSON");
      if (text.length > maxAnswerChars) throw new Error(`its answer has ${text.length} characters, and ${maxAnswerChars} are allowed`);
      send({ type: "result", call, value: JSON.parse(text) });
    } catch (error) {
      const status = statusOf(error);
      send({ type: "error", call, message: textOf(error), ...(status === undefined ? {} : { status }) });
    } finally {
      this.#calls.delete(call);
      this.#reportDropped();
    }
  }

  async #answerModel({ call, request }: Extract<ToPlugin, { type: "model" }>, signal: AbortSignal): Promise<void> {
    const { send, maxAnswerChars } = this.#options;
    if (this.#models === undefined) throw new Error("it has registered no models");
    using window = new ChunkWindow(signal);
    this.#windows.set(call, window);
    try {
      for await (const value of this.#models(request, { signal })) {
        if (signal.aborted) return;
        const text = JSON.stringify(value) as string | undefined;
        if (text === undefined) throw new Error("a piece of its answer is not JSON");
        if (text.length > maxAnswerChars)
          throw new Error(`a piece of its answer has ${text.length} characters, and ${maxAnswerChars} are allowed`);
        send({ type: "chunk", call, value: JSON.parse(text) });
        await window.taken();
      }
    } finally {
      this.#windows.delete(call);
    }
  }

  #api(facts: Pick<PluginApi, "id" | "config" | "secrets" | "workspaces">): PluginApi {
    return {
      ...facts,
      state: {
        get: async (key) => ((await this.#ask("state.get", [key])) as { readonly value?: never }).value,
        keys: async (prefix = "") => (await this.#ask("state.keys", [prefix])) as readonly string[],
        set: async (key, value) => void (await this.#ask("state.set", [key, value])),
        delete: async (key) => void (await this.#ask("state.delete", [key])),
      },
      logger: {
        debug: (message, fields) => this.log("debug", message, fields),
        info: (message, fields) => this.log("info", message, fields),
        warn: (message, fields) => this.log("warn", message, fields),
        error: (message, fields) => this.log("error", message, fields),
      },
      clock: { now: this.#options.now },
      fetch: async (url, options = {}) => (await this.#ask("fetch", [url, options])) as PluginResponse,
      tool: (name, run) => this.#register(this.#tools, name, run),
      models: (answer) => {
        this.#checkOnce("models", this.#models);
        this.#models = answer;
      },
      memory: (memory) => {
        this.#checkOnce("memory", this.#memory);
        this.#memory = memory;
      },
      command: (name, run) => this.#register(this.#commands, name, run),
      route: (method, path, answer) => this.#register(this.#routes, `${method} ${path}`, answer),
      hook: (name: HookName, handle: unknown) => this.#register(this.#hooks, name, handle as AnyHandler),
    };
  }

  #register<Value>(table: Map<string, Value>, name: string, value: Value): void {
    if (this.#isSetUp) throw new Error(`${name} was registered after setup`);
    if (table.has(name)) throw new Error(`${name} is registered twice`);
    table.set(name, value);
  }

  #checkOnce(role: PluginRole, registered: unknown): void {
    if (this.#isSetUp) throw new Error(`${role} was registered after setup`);
    if (registered !== undefined) throw new Error(`${role} is registered twice`);
  }

  async #ask(method: AskMethod, params: readonly unknown[]): Promise<unknown> {
    this.#asked += 1;
    const ask = this.#asked;
    return new Promise((resolve, reject) => {
      this.#asks.set(ask, { resolve, reject });
      try {
        this.#options.send({ type: "ask", ask, method, params });
      } catch (error) {
        this.#asks.delete(ask);
        reject(error instanceof Error ? error : new Error("it could not be asked"));
      }
    });
  }
}

/** SDKs of providers have the status of the answer in the error. */
function statusOf(error: unknown): number | undefined {
  const status: unknown = typeof error === "object" && error !== null && "status" in error ? error.status : undefined;
  return typeof status === "number" && Number.isInteger(status) ? status : undefined;
}

function isPlugin(value: unknown): value is { readonly id: unknown; readonly setup: (api: PluginApi) => unknown } {
  return typeof value === "object" && value !== null && "id" in value && "setup" in value && typeof value.setup === "function";
}

/** The first line of an error's message. */
export function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split("\n")[0] ?? "").slice(0, 500);
}
