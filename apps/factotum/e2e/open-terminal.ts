import { spawn } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { productEntry } from "@factotum/testing-product";

/** A command of the built product on a terminal of its own. */
export interface Terminal extends AsyncDisposable {
  /** Everything that was shown so far, without colours. */
  shown(): string;
  /** Resolves once what was shown since the last call fits; rejects when the command ends before. */
  waitFor(pattern: RegExp): Promise<void>;
  type(keys: string): void;
  /** The exit code, once the command has ended. */
  readonly ended: Promise<number>;
}

/** Runs a command on a terminal that util-linux's `script` makes. */
export function openTerminal(
  args: readonly string[],
  options: { readonly home: string; readonly env?: Readonly<Record<string, string>> },
): Terminal {
  const quoted = [process.execPath, productEntry, ...args].map((part) => `'${part.replaceAll("'", `'\\''`)}'`).join(" ");
  const child = spawn("script", ["--quiet", "--return", "--flush", "--command", `stty cols 100 rows 40; exec ${quoted}`, "/dev/null"], {
    env: {
      PATH: process.env["PATH"],
      HOME: options.home,
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      SHELL: "/bin/sh",
      FACTOTUM_HOME: options.home,
      OLLAMA_HOST: "127.0.0.1:9",
      ...options.env,
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let shown = "";
  let seen = 0;
  const listeners = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    for (const listen of listeners) listen();
  });
  const ended = once(child, "close").then(([code]) => Number(code));
  const text = (): string => stripVTControlCharacters(shown);
  return {
    shown: text,
    ended,
    type: (keys) => void child.stdin.write(keys),
    waitFor: async (pattern) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const look = (): void => {
        const found = pattern.exec(text().slice(seen));
        if (found === null) return;
        seen += found.index + found[0].length;
        resolve();
      };
      listeners.add(look);
      look();
      void ended.then((code) => reject(new Error(`it ended with ${code} before ${String(pattern)}:\n${text()}`)));
      return promise.finally(() => listeners.delete(look));
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
