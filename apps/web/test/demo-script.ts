import type { Script } from "./scripted-gateway.ts";

/** Holds a slow run until the test releases it. */
export interface Gate {
  /** Resolves when a run waits at the gate. */
  reached(): Promise<void>;
  open(): void;
}

const LISTING = ["AGENTS.md", "notes.md", "scripts/", "scripts/list_files.py"].join("\n");

const ANSWER = `Your workspace holds **three files** and one folder.

| File | What it is |
|---|---|
| \`AGENTS.md\` | rules for the assistant |
| \`notes.md\` | a short note |
| \`scripts/list_files.py\` | prints the files of a folder |

The script is small:

\`\`\`python
from pathlib import Path

for path in sorted(Path(".").rglob("*")):
    if path.is_file():
        print(path, path.stat().st_size, "bytes", path.stat().st_mtime, "last changed at this moment of time")
\`\`\`

Next I could:

1. add the sizes to \`notes.md\`
2. skip hidden folders ([how patterns work](https://docs.example.org/patterns))
`;

/** Thinks, lists files, and answers in Markdown. A message with "slowly" pauses in the middle of its answer, one with "fail" has a failing tool. */
export function createDemoScript(): { readonly script: Script; readonly gate: Gate } {
  let arrived = Promise.withResolvers<void>();
  let opened = Promise.withResolvers<void>();
  const gate: Gate = {
    reached: () => arrived.promise,
    open: () => {
      opened.resolve();
      arrived = Promise.withResolvers();
      opened = Promise.withResolvers();
    },
  };
  const wait = (signal: AbortSignal): Promise<void> => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    arrived.resolve();
    return Promise.race([opened.promise, promise]);
  };

  const script: Script = async (session, text, { signal }) => {
    const fails = text.includes("fail");
    session.startBlock("thinking");
    session.write("The person wants to know what is in the workspace. ");
    session.write("A listing says it.");
    session.startBlock("text");
    session.write("I look into your workspace.");
    const call = {
      id: `call-${session.entries.length}`,
      name: fails ? "exec" : "ls",
      argumentsText: JSON.stringify(fails ? { command: "ls /nowhere" } : { path: "." }),
    };
    session.commitAnswer([call], "toolUse");
    session.startTool(call);
    session.print(call.id, fails ? "ls: " : "AGENTS.md\n");
    if (text.includes("tool slowly")) await wait(signal);
    session.endTool(call.id, fails ? "ls: cannot access '/nowhere': No such file or directory" : LISTING, fails);
    session.startBlock("text");
    const pieces = ANSWER.match(/[\s\S]{1,9}/g) ?? [];
    for (const [index, piece] of pieces.entries()) {
      signal.throwIfAborted();
      session.write(piece);
      if (index === 5 && text.includes("answer slowly")) await wait(signal);
    }
    session.commitAnswer([], "stop");
  };
  return { script, gate };
}
