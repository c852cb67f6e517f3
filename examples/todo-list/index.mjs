const MAX_ENTRIES = 100;
const MAX_CHARS = 200;

export const plugin = {
  id: "todo-list",
  setup(api) {
    const inTurn = createQueue();
    /** `next`: the number of the next entry; none is given twice. */
    const read = async () => (await api.state.get("list")) ?? { next: 1, entries: [] };

    const add = (text) => {
      // A model writes the arguments, and they are not checked against the schema.
      if (typeof text !== "string") return failure("Give the entry as text.");
      const line = oneLine(text);
      if (line === "") return failure("The entry is empty: say in text what is to be done.");
      if (line.length > MAX_CHARS)
        return failure(`The entry has ${line.length} characters, and ${MAX_CHARS} are allowed: make it shorter.`);
      return inTurn(async () => {
        const { next, entries } = await read();
        if (entries.length >= MAX_ENTRIES)
          return failure(`The list is full: it has ${MAX_ENTRIES} entries. Take off what is done first, or ask the user what can go.`);
        await api.state.set("list", { next: next + 1, entries: [...entries, { number: next, text: line }] });
        return `Added ${next}: ${line}`;
      });
    };
    const list = () =>
      inTurn(async () => {
        const { entries } = await read();
        return entries.map(({ number, text }) => `${number}: ${text}`).join("\n") || "There is nothing to do.";
      });

    api.tool("add", ({ text }) => add(text));
    api.tool("list", list);
    api.command("todo", async (words) => {
      const answer = await (words === "" ? list() : add(words));
      return typeof answer === "string" ? answer : answer.text;
    });

    api.tool("done", ({ number }) =>
      inTurn(async () => {
        const { next, entries } = await read();
        const done = entries.find((entry) => entry.number === number);
        if (done === undefined) {
          const known = entries.map((entry) => entry.number).join(", ");
          return failure(known === "" ? "The list is empty." : `There is no entry with this number. The list has: ${known}.`);
        }
        await api.state.set("list", { next, entries: entries.filter((entry) => entry !== done) });
        return `Done: ${done.text}`;
      }),
    );
  },
};

/** Conversations call tools at the same time. Each call reads the list and writes it changed, so they take turns; a failure does not stop those after it. */
function createQueue() {
  let last = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/** Line breaks and control characters become spaces: an entry cannot look like several. */
function oneLine(text) {
  return text.replaceAll(/[\s\p{Cc}\p{Cs}]+/gu, " ").trim();
}

/** A failure that the model reads and can act on. */
function failure(text) {
  return { text, isError: true };
}
