/** A parser of the text format of Prometheus; the package has no types of its own. */
declare module "parse-prometheus-text-format" {
  /** What one family says. */
  export interface ParsedFamily {
    readonly name: string;
    readonly help: string;
    readonly type: string;
    readonly metrics: readonly { readonly value?: string; readonly labels?: Readonly<Record<string, string>> }[];
  }
  export default function parsePrometheusTextFormat(text: string): readonly ParsedFamily[];
}
