/** A mail in a folder. */
export interface StoredMail {
  readonly uid: number;
  readonly source: Buffer;
  /** When the server got it, milliseconds since the epoch. */
  readonly atMs: number;
  readonly flags: Set<string>;
}

/** A folder of the mailbox. */
export class MailFolder {
  readonly path: string;
  readonly specialUse: string | undefined;
  uidValidity: number;
  uidNext = 1;
  mails: StoredMail[] = [];
  readonly #onChange: (folder: MailFolder) => void;

  constructor(
    path: string,
    { specialUse, onChange }: { readonly specialUse?: string | undefined; readonly onChange: (folder: MailFolder) => void },
  ) {
    this.path = path;
    this.specialUse = specialUse;
    this.uidValidity = 1_700_000_001;
    this.#onChange = onChange;
  }

  append(
    source: Buffer,
    { atMs = Date.now(), flags = [] }: { readonly atMs?: number; readonly flags?: readonly string[] } = {},
  ): StoredMail {
    // A server keeps whole seconds.
    const mail = { uid: this.uidNext, source, atMs: Math.floor(atMs / 1_000) * 1_000, flags: new Set(flags) };
    this.uidNext += 1;
    this.mails.push(mail);
    this.#onChange(this);
    return mail;
  }

  remove(uid: number): void {
    this.mails = this.mails.filter((mail) => mail.uid !== uid);
    this.#onChange(this);
  }

  /** Numbers everything again, as after a repair or a move to another server. */
  renumber(): void {
    this.uidValidity += 1;
    const { mails } = this;
    this.uidNext = 1;
    this.mails = mails.map((mail) => {
      const uid = this.uidNext;
      this.uidNext += 1;
      return { ...mail, uid };
    });
  }
}
