/** The variable whose value is the bearer token of a header, as other products write it: `Authorization: Bearer ${NAME}` or `Bearer ${env:NAME}`. */
export function bearerVariable(header: string, value: string): string | undefined {
  return header.toLowerCase() === "authorization" ? /^Bearer \$\{(?:env:)?([A-Za-z_]\w*)\}$/i.exec(value)?.[1] : undefined;
}
