/** An argument of a command: an atom, a string, or a list. */
export type ImapValue = string | readonly ImapValue[];

/** A command of a client. */
export interface ImapCommand {
  readonly tag: string;
  /** Upper case; `UID FETCH` is one name. */
  readonly name: string;
  readonly values: readonly ImapValue[];
}

const LITERAL = /\{(\d+)(\+?)\}\r\n$/;

/** Collects bytes of a client until a command is complete, literals included. */
export class ImapReader {
  #waiting = Buffer.alloc(0);
  #command = "";

  /** Takes bytes; calls `onContinue` when the client waits to send a literal. Returns the complete commands, each as one text in which literals stand as `{n}`. */
  add(chunk: Buffer, onContinue: () => void): readonly string[] {
    this.#waiting = Buffer.concat([this.#waiting, chunk]);
    const commands: string[] = [];
    for (;;) {
      const end = this.#waiting.indexOf("\r\n");
      if (end === -1) return commands;
      const line = this.#waiting.subarray(0, end + 2).toString("latin1");
      const literal = LITERAL.exec(line);
      if (literal === null) {
        this.#waiting = this.#waiting.subarray(end + 2);
        commands.push(this.#command + line.slice(0, -2));
        this.#command = "";
        continue;
      }
      const size = Number(literal[1]);
      const isComplete = this.#waiting.length >= end + 2 + size;
      if (!isComplete) {
        if (literal[2] === "" && this.#waiting.length === end + 2) onContinue();
        return commands;
      }
      this.#command += line + this.#waiting.subarray(end + 2, end + 2 + size).toString("latin1");
      this.#waiting = this.#waiting.subarray(end + 2 + size);
    }
  }
}

/** Parses a command; `undefined` if it has no tag or name. Texts are in Latin-1, byte for byte. */
export function parseCommand(text: string): ImapCommand | undefined {
  const [, tag, first, rest = ""] = /^(\S+) ([A-Za-z]+)(?: ([^]*))?$/.exec(text) ?? [];
  if (tag === undefined || first === undefined) return undefined;
  const upper = first.toUpperCase();
  if (upper !== "UID") return { tag, name: upper, values: parseValues(rest) };
  const [, second = "", more = ""] = /^(\S+)(?: ([^]*))?$/.exec(rest) ?? [];
  return { tag, name: `UID ${second.toUpperCase()}`, values: parseValues(more) };
}

function parseValues(text: string): readonly ImapValue[] {
  const stack: ImapValue[][] = [[]];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const top = stack.at(-1) ?? [];
    const literal = /^\{(\d+)\+?\}\r\n/.exec(rest);
    const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(rest);
    // `BODY.PEEK[HEADER.FIELDS (…)]<0.5>` is one atom.
    const atom = /^[^\s()"{[]+(?:\[[^\]]*\](?:<[\d.]+>)?)?/.exec(rest);
    if (literal !== null) {
      top.push(rest.slice(literal[0].length, literal[0].length + Number(literal[1])));
      at += literal[0].length + Number(literal[1]);
    } else if (quoted !== null) {
      top.push((quoted[1] ?? "").replaceAll(/\\(.)/g, "$1"));
      at += quoted[0].length;
    } else if (rest.startsWith("(")) {
      stack.push([]);
      at += 1;
    } else if (rest.startsWith(")")) {
      const list = stack.pop() ?? [];
      stack.at(-1)?.push(list);
      at += 1;
    } else if (atom !== null) {
      top.push(atom[0]);
      at += atom[0].length;
    } else {
      at += 1;
    }
  }
  return stack[0] ?? [];
}
