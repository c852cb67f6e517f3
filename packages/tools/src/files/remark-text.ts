/** A line for the result of a tool whose file got other content than the model gave; empty without a remark. */
export function remarkText(remark: string | undefined): string {
  return remark === undefined ? "" : `\n${remark}`;
}
