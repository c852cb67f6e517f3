import { Buffer } from "node:buffer";
import { crc32, deflateRawSync } from "node:zlib";

/** One entry of a handmade archive, right or wrong. */
export interface ArchiveEntry {
  readonly name: string;
  readonly body?: string | Buffer;
  readonly mode?: number;
  /** The tar type flag: 0 file, 1 hard link, 2 symbolic link, 3 device, 5 folder, 6 pipe. */
  readonly type?: string;
  readonly link?: string;
  /** The size in the header, if it is not that of the body. */
  readonly size?: number;
  readonly encrypted?: boolean;
}

const BLOCK = 512;

/** A tar archive of these entries, byte by byte: nothing is checked. */
export function tar(entries: readonly ArchiveEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(tarEntry), Buffer.alloc(2 * BLOCK)]);
}

function tarEntry({ name, body = "", mode = 0o644, type, link = "", size }: ArchiveEntry): Buffer[] {
  const content = Buffer.from(body);
  const flag = type ?? (name.endsWith("/") ? "5" : "0");
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100);
  header.write(octal(mode, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size ?? content.length, 12), 124);
  header.write(octal(0, 12), 136);
  header.write("        ", 148);
  header.write(flag, 156);
  header.write(link, 157, 100);
  header.write("ustar\u000000", 257, "latin1");
  header.write(
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      8,
    ),
    148,
  );
  return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, "0")}\0`;
}

/** A zip archive of these entries, byte by byte: nothing is checked. */
export function zip(entries: readonly ArchiveEntry[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { name, body = "", mode = 0o100_644, size, encrypted = false } of entries) {
    const content = Buffer.from(body);
    const packed = deflateRawSync(content);
    const file = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE((encrypted ? 1 : 0) | 0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size ?? content.length, 18);
    common.writeUInt16LE(file.length, 22);
    locals.push(Buffer.from("PK\u0003\u0004", "latin1"), common, file, packed);
    const central = Buffer.alloc(14);
    central.writeUInt32LE((mode << 16) >>> 0, 6);
    central.writeUInt32LE(offset, 10);
    centrals.push(Buffer.from("PK\u0001\u0002\u0014\u0003", "latin1"), common, central, file);
    offset += 30 + file.length + packed.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from("PK\u0005\u0006", "latin1"), end]);
}
