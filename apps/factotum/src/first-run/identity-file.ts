/** The line of IDENTITY.md that holds the name, as the prompt reads it: list marks and emphasis do not count. */
const NAME_LINE = /^([ \t]*(?:[-*][ \t]*)?[*_]*name[*_]*[ \t]*:[*_]*)[ \t]*([^\n]*)$/im;

/** The name that IDENTITY.md gives; `undefined` for none. */
export function readIdentityName(content: string): string | undefined {
  const name = NAME_LINE.exec(content)?.[2]?.replaceAll(/[*_`]/g, "").trim();
  return name === undefined || name === "" ? undefined : name;
}

/** The content with another name, everything else as it is. */
export function withIdentityName(content: string, name: string): string {
  if (NAME_LINE.test(content)) return content.replace(NAME_LINE, (_line, start: string) => `${start} ${name}`);
  const end = content === "" || content.endsWith("\n") ? "" : "\n";
  return `${content}${end}- Name: ${name}\n`;
}
