const EMOJI: Readonly<Record<string, string>> = { "+1": "👍", thumbsup: "👍", tada: "🎉" };

/** What people see of a reaction with this name, for the emoji of the suite. */
export function shownEmoji(name: string): string {
  return EMOJI[name] ?? name;
}
