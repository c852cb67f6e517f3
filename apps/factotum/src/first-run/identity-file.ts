/** The line of IDENTITY.md with the name, as the prompt parses it: list marks and emphasis are ignored. */
const NAME_LINE = /^([ \t]*(?:[-*][ \t]*)?[*_]*name[*_]*[ \t]*:[*_]*)[ \t]*([^\n]*)$/im;

/** The name in IDENTITY.md; `undefined` if there is none. */
export function readIdentityName(content: string): string | undefined {
  const name = NAME_LINE.exec(content)?.[2]?.replaceAll(/[*_`]/g, "").trim();
  return name === undefined || name === "" ? undefined : name;
}

/** The content with another name, otherwise unchanged. */
export function withIdentityName(content: string, name: string): string {
  if (NAME_LINE.test(content)) return content.replace(NAME_LINE, (_line, start: string) => `${start} ${name}`);
  const end = content === "" || content.endsWith("\n") ? "" : "\n";
  return `${content}${end}- Name: ${name}\n`;
}
