/** Which note of which agent. */
export interface NoteProps {
  /** Absent: the default agent. */
  readonly agent: string | undefined;
  readonly path: string;
}
