/** With names of at most 64 characters, this many entries fit into one row of the state. */
const MAX_ENTRIES = 200;
const DEFAULT_KEPT = 100;
const DEFAULT_LISTED = 20;
const LIMIT = `limit is a whole number from 1 to ${MAX_ENTRIES}.`;

export const plugin = {
  id: "audit-log",
  setup(api) {
    const { keep = DEFAULT_KEPT } = api.config;
    const inTurn = createQueue();
    const read = async () => (await api.state.get("entries")) ?? [];

    const note = (event, name, facts) => {
      const entry = { at: api.clock.now(), event, name: plain(name), ...facts };
      return inTurn(async () => api.state.set("entries", [...(await read()), entry].slice(-keep)));
    };

    api.hook("message_received", ({ message }) => note("message_received", message.channel, { chars: message.text.length }));
    api.hook("after_tool_call", ({ tool, text, isError }) =>
      note("after_tool_call", tool, { outcome: isError ? "failed" : "done", chars: text.length }),
    );
    api.hook("agent_end", ({ agentId, outcome, text }) => note("agent_end", agentId, { outcome, chars: text.length }));
    api.hook("message_sent", ({ channel, outcome }) => note("message_sent", channel, { outcome }));

    // What was noted before is in it.
    const newest = (limit) => inTurn(async () => (await read()).slice(-limit));

    api.tool("recent", async ({ limit = DEFAULT_LISTED }) => {
      if (!isLimit(limit)) return { text: LIMIT, isError: true };
      return (await newest(limit)).map(renderEntry).join("\n") || "Nothing is logged yet.";
    });

    api.route("GET", "/entries", async ({ query }) => {
      const limit = Number(query.limit ?? DEFAULT_LISTED);
      if (!isLimit(limit)) return { status: 400, body: LIMIT };
      return { headers: { "content-type": "application/json" }, body: JSON.stringify(await newest(limit)) };
    });
  },
};

function isLimit(value) {
  return Number.isInteger(value) && value >= 1 && value <= MAX_ENTRIES;
}

/** Handlers run at the same time. Each reads the log and writes it with one entry more, so they take turns; a failure does not stop those after it. */
function createQueue() {
  let last = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/** A model can ask for a tool of any name: it stays a short word on one line. */
function plain(name) {
  return name.replaceAll(/[^\w.:-]/g, "?").slice(0, 64);
}

function renderEntry({ at, event, name, outcome, chars }) {
  const facts = [outcome, chars === undefined ? undefined : `${chars} characters`].filter((fact) => fact !== undefined);
  return `${new Date(at).toISOString()} ${event} ${name}: ${facts.join(", ")}`;
}
