import { crc32, deflateSync } from "node:zlib";
import type { Plugin } from "vite";

/** The drawing of `public/favicon.svg`, in its units: a square of 32, its corners, and the lines of the F. */
const SIDE = 32;
const CORNER = 8;
const LINE = 3;
const LINES: readonly (readonly [x1: number, y1: number, x2: number, y2: number])[] = [
  [11, 24, 11, 9],
  [11, 9, 22, 9],
  [11, 16, 19, 16],
];
const GREEN = [0x2f, 0x5d, 0x50] as const;
const WHITE = [0xff, 0xff, 0xff] as const;

/** An icon of the installed page. `maskable`: the device cuts its own form out of it, so the ground fills the square and the letter is smaller. */
interface IconForm {
  readonly name: string;
  readonly pixels: number;
  readonly maskable?: boolean;
}

const FORMS: readonly IconForm[] = [
  { name: "icon-192.png", pixels: 192 },
  { name: "icon-512.png", pixels: 512 },
  { name: "icon-maskable-512.png", pixels: 512, maskable: true },
];

/** Draws the icons of the installed page into the build. */
export function drawIcons(): Plugin {
  return {
    name: "draw-icons",
    apply: "build",
    buildStart() {
      for (const form of FORMS) this.emitFile({ type: "asset", fileName: form.name, source: renderPng(drawIcon(form), form.pixels) });
    },
  };
}

/** The pixels, four bytes each, with smooth edges. */
function drawIcon({ pixels, maskable = false }: IconForm): Buffer {
  const bytes = Buffer.alloc(pixels * pixels * 4);
  const unit = SIDE / pixels;
  const scale = maskable ? 0.75 : 1;
  for (let row = 0; row < pixels; row += 1) {
    for (let column = 0; column < pixels; column += 1) {
      const [x, y] = [(column + 0.5) * unit, (row + 0.5) * unit];
      const ground = maskable ? 1 : coverage(distanceToSquare(x, y) / unit);
      const [letterX, letterY] = [SIDE / 2 + (x - SIDE / 2) / scale, SIDE / 2 + (y - SIDE / 2) / scale];
      const distance = Math.min(...LINES.map((line) => distanceToLine(letterX, letterY, line))) - LINE / 2;
      const letter = coverage((distance * scale) / unit);
      const colour = GREEN.map((value, index) => Math.round(value + ((WHITE[index] ?? 0) - value) * letter));
      bytes.set([...colour, Math.round(ground * 255)], (row * pixels + column) * 4);
    }
  }
  return bytes;
}

/** How much of a pixel lies inside of an edge at a distance in pixels; negative is inside. */
function coverage(distance: number): number {
  return Math.min(1, Math.max(0, 0.5 - distance));
}

function distanceToSquare(x: number, y: number): number {
  const [dx, dy] = [x, y].map((at) => Math.abs(at - SIDE / 2) - SIDE / 2 + CORNER) as [number, number];
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - CORNER;
}

function distanceToLine(x: number, y: number, [x1, y1, x2, y2]: (typeof LINES)[number]): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const along = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
}

/** A square picture with colours of eight bits and transparency. */
function renderPng(bytes: Buffer, pixels: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(pixels, 0);
  head.writeUInt32BE(pixels, 4);
  head.set([8, 6, 0, 0, 0], 8);
  const rows = Array.from({ length: pixels }, (_, row) => [
    Buffer.from([0]),
    bytes.subarray(row * pixels * 4, (row + 1) * pixels * 4),
  ]).flat();
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    renderChunk("IHDR", head),
    renderChunk("IDAT", deflateSync(Buffer.concat(rows), { level: 9 })),
    renderChunk("IEND", Buffer.alloc(0)),
  ]);
}

function renderChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
