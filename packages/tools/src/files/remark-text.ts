/** What the result of a change says about a file that was written otherwise than asked for; empty without a remark. */
export function remarkText(remark: string | undefined): string {
  return remark === undefined ? "" : `\n${remark}`;
}
