/** A count with its unit, whose plural ends in "s": `1 minute`, `2 minutes`. */
export function plural(count: number, unit: string): string {
  return `${count} ${count === 1 ? unit : `${unit}s`}`;
}
