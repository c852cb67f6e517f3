import type { LoginPorts } from "../src/index.ts";

/** Logins in memory. */
export interface MemoryLogins extends LoginPorts {
  readonly texts: Map<string, string>;
  readonly secrets: Set<string>;
  /** The addresses that were reached as public ones. */
  readonly reached: string[];
}

/** What is public in tests is not on this machine; nothing is there, unless `answer` says so. */
export function memoryLogins({ answer }: { readonly answer?: LoginPorts["fetchPublic"] } = {}): MemoryLogins {
  const texts = new Map<string, string>();
  const secrets = new Set<string>();
  const reached: string[] = [];
  return {
    texts,
    secrets,
    reached,
    read: async (server) => Promise.resolve(texts.get(server)),
    write: async (server, text) => {
      texts.set(server, text);
      return Promise.resolve();
    },
    addSecrets: (values) => {
      for (const value of values) secrets.add(value);
    },
    fetchPublic: async (url, init) => {
      reached.push(String(url));
      if (answer !== undefined) return answer(url, init);
      throw new Error("it is not a public address");
    },
  };
}
