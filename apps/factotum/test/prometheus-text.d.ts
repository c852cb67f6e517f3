/** Types for a parser of Prometheus' text format; the package has none. */
declare module "parse-prometheus-text-format" {
  /** One metric family. */
  export interface ParsedFamily {
    readonly name: string;
    readonly help: string;
    readonly type: string;
    readonly metrics: readonly { readonly value?: string; readonly labels?: Readonly<Record<string, string>> }[];
  }
  export default function parsePrometheusTextFormat(text: string): readonly ParsedFamily[];
}
