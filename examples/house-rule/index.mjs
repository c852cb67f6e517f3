export const plugin = {
  id: "house-rule",
  setup(api) {
    const { rules = [], timeZone = "UTC" } = api.config;
    // An unknown time zone throws here. A plugin that decides and cannot be set up denies every call: no rule is left out in silence.
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

    api.hook("before_tool_call", ({ tool }) => {
      const time = clock.format(api.clock.now());
      const fitting = rules.filter(({ tools, between }) => tools.some((name) => isNamed(tool, name)) && isWithin(time, between));
      const rule = fitting.find(({ answer }) => answer === "deny") ?? fitting[0];
      if (rule === undefined) return undefined;
      const { answer, between, reason = `There is a rule for ${tool}${between === undefined ? "" : ` from ${between}`}.` } = rule;
      return answer === "deny" ? { deny: reason } : { ask: reason };
    });
  },
};

/** `name`: a tool, or the beginning of several names and `*`. */
function isNamed(tool, name) {
  return name.endsWith("*") ? tool.startsWith(name.slice(0, -1)) : tool === name;
}

/** `between`: `22:00-07:00`, without the end, also over midnight; equal times are the whole day. */
function isWithin(time, between) {
  if (between === undefined) return true;
  const [from, to] = between.split("-");
  return from < to ? from <= time && time < to : from <= time || time < to;
}
